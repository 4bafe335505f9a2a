"""Write results of several measurements into one Markdown file, with a section for each."""

import re
from pathlib import Path


def record(path: Path, section: str) -> None:
    """Replace the section with the title of ``section`` (its first line, ``# title``), or add it at the end."""
    there = re.split(r"^(?=# )", path.read_text() if path.exists() else "", flags=re.MULTILINE)
    title = section.partition("\n")[0]
    kept = [one.strip() for one in there if one.strip()]
    titles = [one.partition("\n")[0] for one in kept]
    if title in titles:
        kept[titles.index(title)] = section.strip()
    else:
        kept.append(section.strip())
    path.write_text("\n\n".join(kept) + "\n")
