"""Static files, frames and clips as replies; only files that a benchmark lists leave its folder."""

import re
from pathlib import Path

from fastapi import HTTPException
from fastapi.responses import FileResponse, Response

from chronotope.question import Benchmark
from chronotope.review.app.page_parts import TYPES, static_files

_FRAME = re.compile(r"[0-9a-f]{64}\.(jpg|png)")
_PICTURES = {"jpg": "image/jpeg", "png": "image/png"}
_FOR_EVER = {"cache-control": "private, max-age=31536000, immutable"}  # the address contains a hash of the content
_FOR_A_DAY = {"cache-control": "private, max-age=86400"}


def static_reply(name: str) -> Response:
    """Return a script or a style sheet."""
    content = static_files().get(name)
    if content is None:
        raise HTTPException(404)
    return Response(content, media_type=TYPES[name.rpartition(".")[2]], headers=_FOR_EVER)


def frame_reply(folder: Path, name: str) -> Response:
    """Return a picture of a prompt, by the name that `chronotope.view.frames.make_strip` gave it."""
    found = _FRAME.fullmatch(name)
    if found is None or not (folder / name).is_file():
        raise HTTPException(404)
    return FileResponse(folder / name, media_type=_PICTURES[found[1]], headers=_FOR_EVER)


def clip_reply(benchmark: Benchmark, path: str) -> Response:
    """Return a clip of a benchmark, or the part of it that a player asks for.

    The path must be a row of ``media.parquet``, and the file must be inside the folder of the benchmark.
    """
    file = benchmark.media.get(path)
    place = benchmark.folder / path
    if file is None or file.kind != "video" or not place.is_file():
        raise HTTPException(404)
    if not place.resolve().is_relative_to(benchmark.folder.resolve()):
        raise HTTPException(404)
    return FileResponse(place, media_type=_video_type(place), headers=_FOR_A_DAY)


def _video_type(place: Path) -> str:
    return {".webm": "video/webm", ".mov": "video/quicktime"}.get(place.suffix.lower(), "video/mp4")
