"""The web app in which people answer, review and adjudicate; it needs the extras ``play`` or ``review``.

All pages are made on the server. They work with few lines of JavaScript, load nothing from other hosts, and look like
the report, whose style sheet they share.
"""

from chronotope.review.app.serving import Address, require_app, serve

__all__ = ["Address", "require_app", "serve"]
