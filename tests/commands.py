"""The command, run in this process."""

from typing import Any

from typer import Typer
from typer.testing import CliRunner

import forks
from chronotope.cli.app import app as chronotope


class Told(forks.Told):
    """What came of a command; only one that ended well has JSON."""

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        return super().json

    @property
    def said(self) -> str:
        """All that was printed."""
        return self.out + self.err


def command(*words: object, app: Typer = chronotope, code: int | None = None, **environment: str) -> Told:
    """Run a command, which ends with this exit code; what a person would see as a traceback is raised."""
    result = CliRunner().invoke(app, [str(word) for word in words], env=environment)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert code is None or result.exit_code == code, result.output
    return Told(result.exit_code, result.stdout, result.stderr)


def refused(*words: object) -> str:
    """The one sentence of a command that is wrong use."""
    told = command(*words)
    assert told.code == 2 and told.out == ""
    sentence = told.err.strip()
    assert sentence.startswith("error: ") and "\n" not in sentence
    return sentence
