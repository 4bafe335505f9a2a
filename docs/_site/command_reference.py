"""Generates the page of all commands from the commands themselves, so the page equals ``--help``."""

import re
from collections.abc import Iterator
from html import escape
from typing import Any

import typer.main

from chronotope.cli.app import app

_INTRODUCTION = """\
# Commands

This page shows the help text of each command, as printed by `--help`. All commands that list or measure accept `--json`
and then print JSON for programs. Exit codes: 0 for success, 1 for a problem that the command found and reports, 2 for
wrong use or bad input.
"""


def page() -> str:
    """Return Markdown with one section for each command."""
    root: Any = typer.main.get_command(app)
    sections = [_section(command, context) for command, context in _commands(root, None, "chronotope")]
    return "\n".join([_INTRODUCTION, *sections])


def _commands(command: Any, parent: Any, name: str) -> Iterator[tuple[Any, Any]]:
    """Yield every command with its context, and the commands of a group instead of the group."""
    context = type(command).context_class(command, info_name=name, parent=parent)
    if not hasattr(command, "list_commands"):
        yield command, context
        return
    inside = {below: command.get_command(context, below) for below in command.list_commands(context)}
    for below in sorted(inside, key=lambda one: not hasattr(inside[one], "commands")):  # groups come first
        yield from _commands(inside[below], context, below)


def _section(command: Any, context: Any) -> str:
    prose, examples = _parted(command.help or "")
    lines = [f"## {context.command_path}", "", _words(prose), ""]
    if examples:
        lines += ["```bash", *examples, "```", ""]
    lines += ["```", f"{context.command_path} {' '.join(command.collect_usage_pieces(context))}", "```", ""]
    for heading, records in _panels(command, context).items():
        lines += ['<div class="flags" markdown>', "", f"| {heading} | |", "|---|---|"]
        lines += [f"| {_names(names)} | {_words(' '.join(help_.split()))} |" for names, help_ in records]
        lines += ["", "</div>", ""]
    return "\n".join(lines)


def _parted(text: str) -> tuple[str, list[str]]:
    """Split a help text into its description and the examples at its end."""
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
    examples = [one.removeprefix("Example: ") for one in paragraphs if one.startswith("Example: ")]
    return "\n\n".join(one for one in paragraphs if one and not one.startswith("Example: ")), examples


def _panels(command: Any, context: Any) -> dict[str, list[tuple[str, str]]]:
    """Return the arguments and flags by their headings in ``--help``."""
    panels: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(context):
        if getattr(parameter, "hidden", False) or "--help" in parameter.opts:
            continue
        kind = "Arguments" if parameter.param_type_name == "argument" else "Options"
        heading = getattr(parameter, "rich_help_panel", None) or kind
        panels.setdefault(heading, []).append(parameter.get_help_record(context))
    first = {"Arguments": 0, "Options": 1}
    return dict(sorted(panels.items(), key=lambda panel: first.get(panel[0], 2)))


def _names(text: str) -> str:
    """Format the flag and, below it in small letters, its values, with a possible line break at each alternative."""
    flags, _, takes = text.partition(" <")
    shown = f"<code>{escape(flags.strip())}</code>"
    if not takes:
        return shown
    return f"{shown}<br><small>{escape(takes.removesuffix('>')).replace('|', '&#124;<wbr>')}</small>"


def _words(text: str) -> str:
    """Escape a help text for Markdown, and turn text in backticks into code."""
    parts = re.split(r"`([^`]+)`", text)
    return "".join(
        f"<code>{escape(part)}</code>" if number % 2 else re.sub(r"([*_\[\]|\\])", r"\\\1", escape(part, quote=False))
        for number, part in enumerate(parts)
    )
