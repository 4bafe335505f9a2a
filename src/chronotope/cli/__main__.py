"""``python -m chronotope.cli``: the same as ``chronotope``."""

from chronotope.cli import main

main()
