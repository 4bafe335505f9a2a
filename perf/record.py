"""Results of several benchmarks in one Markdown file, a section for each."""

import re
from pathlib import Path


def record(path: Path, section: str) -> None:
    """Put a section, which begins with ``# its title``, in the place of the one of that title, or at the end."""
    there = re.split(r"^(?=# )", path.read_text() if path.exists() else "", flags=re.MULTILINE)
    title = section.partition("\n")[0]
    kept = [one.strip() for one in there if one.strip()]
    titles = [one.partition("\n")[0] for one in kept]
    if title in titles:
        kept[titles.index(title)] = section.strip()
    else:
        kept.append(section.strip())
    path.write_text("\n\n".join(kept) + "\n")
