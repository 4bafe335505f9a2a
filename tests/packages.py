"""Packages of other people's, as an installer leaves them."""

import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path

Points = Mapping[str, Mapping[str, str]]  # of each group of entry points: name to target


def install(source: str, module: str, points: Points, folder: Path, name: str = "") -> Path:
    """Put a module and the metadata with its entry points into a folder of packages."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{module}.py").write_text(source)
    return _declare(module, points, folder, name)


def _declare(module: str, points: Points, folder: Path, name: str) -> Path:
    metadata = folder / f"{module}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name or module}\nVersion: 1.0\n")
    lines = [line for group, of in points.items() for line in (f"[{group}]", *(f"{a} = {b}" for a, b in of.items()))]
    (metadata / "entry_points.txt").write_text("\n".join([*lines, ""]))
    return folder


def install_tiny(folder: Path, *names: str) -> Path:
    """Install those of the tiny families."""
    points = {"chronotope.families": {name: f"tiny_families:{name.upper()}" for name in names}}
    return install(Path(__file__).with_name("tiny_families.py").read_text(), "tiny_families", points, folder)


def install_project(project: Path, folder: Path) -> Path:
    """Install a project of one module or package, which has the name of its folder, as its pyproject.toml says."""
    about = tomllib.loads((project / "pyproject.toml").read_text())["project"]
    if (project / project.name).is_dir():
        shutil.copytree(project / project.name, folder / project.name, ignore=shutil.ignore_patterns("__pycache__"))
        return _declare(project.name, about["entry-points"], folder, about["name"])
    source = (project / f"{project.name}.py").read_text()
    return install(source, project.name, about["entry-points"], folder, about["name"])
