"""The ``--help`` of commands that have flags of several families.

The help shows the flags for the family of the given benchmark.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from typer.core import TyperCommand

from chronotope.api.vocabulary import AskSettings, Family, families, read_card
from chronotope.cli.flags import flag_help
from chronotope.errors import InputError

_WORDS = "chronotope.words"


class FamilyCommand(TyperCommand):
    """A command that takes a benchmark and has the flags of all families.

    The help of the command lists the flags for the family of the given benchmark.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, and store them for the help.

        The help is written before the parsed arguments are available.
        """
        ctx.meta[_WORDS] = tuple(args)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of the command."""
        with _flags_of(self.params, _family_of(ctx.meta.get(_WORDS, ()))) as left_out:
            name = f"chronotope {self.name} BENCHMARK --help"
            self.epilog = f"Flags of a benchmark's family ({', '.join(families())}): {name}" if left_out else None
            super().format_help(ctx, formatter)


def _family_of(words: Sequence[str]) -> Family | None:
    """Find the benchmark in the words of a command; return its family.

    Returns None if no word is the path of a benchmark.
    """
    for word in words:
        with suppress(InputError, OSError):
            if not word.startswith("-") and (Path(word) / "card.yaml").is_file():
                return families().get(read_card(Path(word) / "card.yaml").family)
    return None


@contextmanager
def _flags_of(flags: Sequence[Any], chosen: Family | None) -> Iterator[bool]:
    """Hide the flags of all families except ``chosen``.

    Yields whether all flags of families are hidden. The flags of ``chosen`` show the help texts of this family. If
    several families share a flag, the help text is taken from ``chosen``. If ``chosen`` is None, the common help text
    is shown.
    """
    every = {name for one in families().values() for name in one.RunSettings.model_fields}
    own = every - set(AskSettings.model_fields)
    before = [(flag, flag.hidden, flag.help, flag.rich_help_panel) for flag in flags if flag.name in every]
    fields = chosen.RunSettings.model_fields if chosen is not None else {}
    for flag, *_ in before:
        if flag.name not in own:
            if "Protocol of " in (flag.help or ""):
                flag.help = flag_help((fields or AskSettings.model_fields)[flag.name])
            continue
        flag.hidden = flag.name not in fields
        if chosen is not None and not flag.hidden:
            flag.help, flag.rich_help_panel = flag_help(fields[flag.name]), f"Protocol of {chosen.name}"
    try:
        yield chosen is None
    finally:
        for flag, *was in before:
            flag.hidden, flag.help, flag.rich_help_panel = was
