"""Chronotope: benchmarks of how vision-language models understand space and time in video.

The packages, from the lowest layer up: ``geometry`` and ``media``; ``recording``; ``question``; ``protocol`` and
``ledger``; ``models``; ``families``; ``make`` and ``evaluate``; ``report``; ``cli``. Each package imports only from
packages in lower layers (see ``docs/architecture.md``).
"""

__version__ = "0.1.0"
