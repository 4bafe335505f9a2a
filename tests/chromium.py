"""The browser of the tests of pages: Debian's Chromium, if it is installed."""

import shutil

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
