"""The report in one file, which can be sent to others: scripts, styles and pictures are inside the page.

Whatever a name or a reply contains, the page can run only its own scripts, which the policy names by their hashes.
"""

import base64
import hashlib
import json
import re
from pathlib import Path

from markupsafe import escape

from chronotope.report.out.page_files import POLICY
from chronotope.report.out.report_folder import FRAMES, SINGLE

_TYPES = {".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".webp": "image/webp", ".gif": "image/gif"}
_STYLE, _SCRIPT = (
    re.compile(r'<link rel="stylesheet" href="([\w.]+)">'),
    re.compile(r'<script src="([\w.]+)"></script>'),
)
_PICTURE = re.compile(rf'src="{FRAMES}/([0-9a-f]{{64}}\.[a-z]{{3,4}})"')


def write_single_file(folder: Path) -> Path:
    """Write the page of a report folder once more, as one file in the same folder."""
    page = (folder / "index.html").read_text(encoding="utf-8")
    pictures = {file.name: _address(file) for file in sorted((folder / FRAMES).iterdir())}
    hashes: dict[str, list[str]] = {"style": [], "script": []}

    def inside(kind: str, text: str) -> str:
        # The end of a script or of a style inside itself would end it for the page, too.
        text = re.sub(rf"</(?={kind})", r"<\\/", text, flags=re.IGNORECASE) if kind == "script" else text
        text = text.replace("<!--", r"\u003c!--") if kind == "script" else text
        hashes[kind].append(base64.b64encode(hashlib.sha256(text.encode()).digest()).decode())
        return f"<{kind}>{text}</{kind}>"

    def read(name: str) -> str:
        text = (folder / name).read_text(encoding="utf-8")
        return f"window.PICTURES = {json.dumps(pictures)};\n{text}" if name == "questions.js" else text

    page = _STYLE.sub(lambda found: inside("style", read(found[1])), page)
    page = _SCRIPT.sub(lambda found: inside("script", read(found[1])), page)
    page = _PICTURE.sub(lambda found: f'src="{pictures[found[1]]}"', page)
    allowed = {kind: " ".join(f"'sha256-{one}'" for one in of) for kind, of in hashes.items()}
    policy = (
        f"default-src 'none'; script-src {allowed['script']}; style-src {allowed['style']}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    stated = str(escape(POLICY))
    assert stated in page, "the page states its policy"
    file = folder / SINGLE
    file.write_text(page.replace(stated, str(escape(policy))), encoding="utf-8")
    return file


def _address(file: Path) -> str:
    """Return a picture as an address that contains it."""
    return f"data:{_TYPES[file.suffix]};base64,{base64.b64encode(file.read_bytes()).decode()}"
