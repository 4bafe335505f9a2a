"""The page of commands says what the commands' own --help says."""

import re
from functools import cache
from html import unescape

import command_reference
import pytest
from typer.testing import CliRunner

from chronotope.cli.app import app
from chronotope.families import families
from chronotope.io import write_yaml
from chronotope.question import Card, Counts


def sections() -> dict[str, str]:
    """The Markdown of each command, by the words that call it."""
    parts = re.split(r"^## (chronotope .+)$", command_reference.page(), flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


@cache
def told(*words: str) -> str:
    """What --help prints where nothing has to be wrapped, without its frame."""
    shown = CliRunner(env={"COLUMNS": "1000", "NO_COLOR": "1", "TERM": "dumb"}).invoke(app, [*words, "--help"])
    assert shown.exit_code == 0, (shown.output, shown.exception)
    return shown.stdout


def plain(markdown: str) -> str:
    """A cell as it is read."""
    text = re.sub(r"<[^>]+>", "", markdown)
    return " ".join(unescape(re.sub(r"\\([*_\[\]|\\])", r"\1", text)).split())


def rows(section: str) -> list[tuple[str, str]]:
    found = re.findall(r"^\| (<code>.*?) \| (.*) \|$", section, flags=re.MULTILINE)
    return [(unescape(re.search(r"<code>(.*?)</code>", names)[1]), plain(text)) for names, text in found]


def commands_of(*words: str) -> list[str]:
    """Every command that --help leads to, asked as a person would ask."""
    panel = re.search(r"─ Commands ─.*?\n(.*?)╰", told(*words), flags=re.DOTALL)
    if panel is None:
        return [" ".join(["chronotope", *words])]
    names = re.findall(r"^│ (\S+) ", panel[1], flags=re.MULTILINE)
    return [command for name in names for command in commands_of(*words, name)]


def test_every_command_has_its_section_and_no_other_has() -> None:
    assert sorted(sections()) == sorted(commands_of())


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A folder with a card for each family: all that --help looks at."""
    folders = []
    for name in families():
        folder = tmp_path_factory.mktemp(name)
        counts = Counts(questions=0, clusters=0, clips=0, pictures=0, tasks={}, variants={})
        card = Card(name=name, family=name, profile="paper", licence="", counts=counts, content_hash="")
        write_yaml(folder / "card.yaml", card.model_dump(mode="json"))
        folders.append(str(folder))
    return folders


@pytest.mark.parametrize("command", sections())
def test_a_section_says_what_help_says(command: str, cards: list[str]) -> None:
    words = command.split()[1:]
    # Flags of a family are shown where a benchmark of its is named; the page has all of them.
    said = (
        "\n".join(told(*words, card) for card in cards)
        if words[0] in ("run", "score", "play", "export")
        else told(*words)
    )
    flat = " ".join(re.sub(r"[│╭╮╰╯─]", " ", said.replace("`", "")).split())
    shown = rows(sections()[command])
    flags = {flag for names, _ in shown for flag in re.findall(r"--[\w-]+", names)}
    first_columns = re.findall(r"^│[ *]+(--.*?)(?=<|│)", said, flags=re.MULTILINE)
    assert {flag for column in first_columns for flag in re.findall(r"--[\w-]+", column)} - {"--help"} == flags
    for names, text in shown:
        words, _, extra = text.partition(" [") if text.endswith("]") else (text, "", "")
        for part in re.split(r"; Protocol of \w+: ", words):
            assert part.replace("`", "") in flat, names
        for default in re.findall(r"default: ([^;\]]+)", extra):
            assert f"[default: {default}" in flat
        if "required" in extra:
            assert "[required]" in flat


def test_the_examples_of_help_are_there() -> None:
    for command, section in sections().items():
        said = " ".join(told(*command.split()[1:]).split())
        examples = re.findall(r"Example: (chronotope .*?)(?= Example:| ╭)", said)
        assert examples and all(example in section for example in examples), command
