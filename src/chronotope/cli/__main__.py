"""The entry point of ``python -m chronotope.cli``, which is the same as ``chronotope``."""

from chronotope.cli import main

main()
