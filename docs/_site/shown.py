"""Selects the contents of the reference: the public names, and the fields of each class in one table."""

import ast
import re
from pathlib import Path
from typing import Any

import griffe

_NOTHING = "\u200b"  # a member without any docstring is left out of the reference


class Shown(griffe.Extension):
    """Collects the fields of each class in a section of its docstring, instead of one heading for each field."""

    def on_package(self, *, pkg: griffe.Module, loader: griffe.GriffeLoader, **kwargs: Any) -> None:
        """Change all modules, after the signatures of dataclasses are known."""
        _mend(pkg)
        loader.resolve_aliases(implicit=True, external=False)  # before functions hide modules of their name
        for member in pkg.members.values():  # in the package itself, a room keeps its page
            if isinstance(member, griffe.Module):
                _prefer_functions(member)

    def on_module_members(self, *, mod: griffe.Module, **kwargs: Any) -> None:
        """Leave out the functions of the door that have the name of a room: their page is that of the room `api`."""
        if mod.parent is None and isinstance(mod.filepath, Path):
            rooms = {path.name for path in mod.filepath.parent.iterdir() if path.is_dir()}
            for name in rooms & mod.members.keys():
                if isinstance(mod.members[name], griffe.Alias):
                    del mod.members[name]


def _prefer_functions(package: griffe.Module) -> None:
    """Let a name mean the exported member if a package exports a member with the name of its module."""
    for name, member in list(package.members.items()):
        if not isinstance(member, griffe.Module):
            continue
        _prefer_functions(member)
        if name in map(str, package.exports or ()) and name in member.members:
            package.members[name] = griffe.Alias(name, member.members[name], parent=package)


def _mend(module: griffe.Module | griffe.Class) -> None:
    for member in module.members.values():
        if isinstance(member, griffe.Class):
            _gather(member)
        if isinstance(member, griffe.Module | griffe.Class):
            _mend(member)
        elif isinstance(member, griffe.Attribute) and isinstance(module, griffe.Module):
            member.docstring = member.docstring or griffe.Docstring(_comment(member) or _NOTHING, parent=member)
            if re.search(r"\b_\w", str(member.value)):  # the value contains a private name
                member.value = None


def _gather(owner: griffe.Class) -> None:
    init = owner.members.get("__init__")  # its signature already shows names, types and defaults
    fields = []
    for name, member in owner.members.items():
        if not isinstance(member, griffe.Attribute) or member.docstring or name.startswith("_"):
            continue
        words = [_described(member) or _comment(member), "" if init else _default(member)]
        text = "; ".join(word for word in words if word)
        if name != "model_config" and (text or not init):
            fields.append(griffe.DocstringAttribute(name, annotation=member.annotation, description=text))
    if isinstance(init, griffe.Function):
        init.parameters = griffe.Parameters(
            *(one for one in init.parameters if not one.name.startswith("_") and one.name != "self")
        )
    if fields and owner.docstring is not None:
        title = "Values" if any(str(base).endswith("Enum") for base in owner.bases) else "Fields"
        sections = [*owner.docstring.parsed, griffe.DocstringSectionAttributes(fields, title=title)]
        owner.docstring.__dict__["parsed"] = sections


def _comment(member: griffe.Attribute) -> str:
    """Return the comment at the end of the field's line in the code."""
    if not isinstance(member.filepath, Path) or member.lineno is None:
        return ""
    lines = member.filepath.read_text(encoding="utf-8").splitlines()[member.lineno - 1 : member.endlineno]
    text = lines[-1].partition("  # ")[2] if lines else ""
    return "" if text.startswith(("noqa", "type:", "pyright:")) else text


def _described(member: griffe.Attribute) -> str:
    """Return the description of a Pydantic field."""
    for argument in getattr(member.value, "arguments", ()):
        if getattr(argument, "name", None) == "description":
            try:
                return str(ast.literal_eval(str(argument.value)))
            except ValueError:
                return ""  # computed when the module is imported
    return ""


def _default(member: griffe.Attribute) -> str:
    """Return the default of the field, or the value of a member of an enumeration."""
    value = member.value
    if value is None:
        return ""
    if str(getattr(value, "function", "")) == "Field":
        plain = [str(one) for one in value.arguments if getattr(one, "name", None) is None]
        value = plain[0] if plain and plain[0] != "..." else ""
    return f"`{value}`" if str(value) else ""
