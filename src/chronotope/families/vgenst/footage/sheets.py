"""The page of candidates: eight frames of each clip with its checks, and a form that writes ``picked.yaml``."""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template

import numpy as np

from chronotope.families.vgenst.drafted import DraftedScene
from chronotope.families.vgenst.footage.shelf import PAGE, SHEETS, Candidate
from chronotope.io import visible, write_atomically
from chronotope.media import decode_frames, probe

FRAMES, WIDTH, GAP = 8, 240, 4  # frames of a sheet, the width (px) of each, and the gap (px) between two


def save_sheet(clip: Path, path: Path) -> None:
    """Write eight frames of a clip, in two rows, as a JPEG picture.

    Raises:
        InputError: If the clip cannot be read.
    """
    from PIL import Image

    facts = probe(clip)
    size = (WIDTH, round(WIDTH * facts.height / facts.width))
    wanted = np.linspace(0, facts.frames - 1, FRAMES).round().astype(int).tolist()
    pictures = dict(decode_frames(clip, sorted(set(wanted)), size))
    half = FRAMES // 2
    width, height = size[0] + GAP, size[1] + GAP
    sheet = Image.new("RGB", (half * width - GAP, 2 * height - GAP), "white")
    for place, frame in enumerate(wanted):
        sheet.paste(Image.fromarray(pictures[frame]), (place % half * width, place // half * height))
    with write_atomically(path) as temporary:
        sheet.save(temporary, "JPEG", quality=82)


def save_page(folder: Path, scenes: Sequence[DraftedScene], candidates: Sequence[Candidate]) -> Path:
    """Write the page with all candidates, and their sheets."""
    for candidate in candidates:
        sheet = folder / SHEETS / f"{candidate.name}.jpg"
        if candidate.file is not None and not sheet.exists():
            save_sheet(folder / candidate.file, sheet)
    template = Template(Path(__file__).with_name("page.html").read_text("utf-8"))
    body = "\n".join(_scene(scene, [one for one in candidates if one.scene == scene.item]) for scene in scenes)
    path = folder / PAGE
    with write_atomically(path) as temporary:
        temporary.write_text(template.substitute(body=body), encoding="utf-8")
    return path


def _scene(scene: DraftedScene, candidates: Sequence[Candidate]) -> str:
    timeline = (scene.scenario or {}).get("timeline", {})
    told = "".join(f"<li><b>{_text(name)}</b>: {_text(words)}</li>" for name, words in timeline.items())
    proposed = next((one.name for one in candidates if one.may_be_chosen), None)
    cards = "".join(_card(one, is_proposed=one.name == proposed) for one in candidates)
    none = _choice(scene.item, "false", "none of them", is_checked=proposed is None)
    head = f"{scene.item} ({scene.graph.scene_meta.theme})"
    return f"<section><h2>{_text(head)}</h2><ul>{told}</ul>{cards}<p>{none}</p></section>"


def _card(candidate: Candidate, *, is_proposed: bool) -> str:
    checks = "".join(
        f'<li class="{"passed" if check.passed else "failed"}">{_text(f"{check.name}: {check.told}")}</li>'
        for check in candidate.checks
    )
    seen = "".join(f'<li class="failed">judge: {_text(fault)}</li>' for fault in candidate.seen or ())
    if candidate.file is None:
        return f"<div><p>{_text(candidate.name)}: {_text(candidate.told or candidate.state)}</p></div>"
    words = f"{candidate.name}{', proposed' if is_proposed else ''}"
    sheet, clip = f"{SHEETS}/{candidate.name}.jpg", candidate.file
    return (
        f"<div><p>{_choice(candidate.scene, candidate.name, words, is_checked=is_proposed)}</p>"
        f'<a href="{_text(clip)}"><img src="{_text(sheet)}" alt="eight frames of {_text(candidate.name)}"></a>'
        f"<ul>{checks}{seen}</ul></div>"
    )


def _choice(scene: str, value: str, words: str, *, is_checked: bool) -> str:
    checked = " checked" if is_checked else ""
    return f'<label><input type="radio" name="{_text(scene)}" value="{_text(value)}"{checked}> {_text(words)}</label>'


def _text(words: str) -> str:
    return escape(visible(words))
