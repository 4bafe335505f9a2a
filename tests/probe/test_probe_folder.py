"""The folder of a probe from a stranger: no path leads out of it, and no link is followed."""

from pathlib import Path
from typing import Any

import pytest

from chronotope.errors import InputError
from chronotope.io import write_yaml
from chronotope.probe.folder import ProbeStore, locked, read_manifest

MANIFEST: dict[str, Any] = {
    "benchmark": "b", "path": "b", "content_hash": "h", "family": "sti", "model": "m", "weights": {},
}  # fmt: skip


@pytest.mark.parametrize(
    "layer",
    [
        {"figures": [{"path": "../../secret.svg", "title": "t", "words": "w"}]},
        {"figures": [{"path": "/etc/passwd", "title": "t", "words": "w"}]},
        {"tables": {"pairs": "../pairs.parquet"}},
    ],
)
def test_no_path_leads_out_of_the_folder(tmp_path: Path, layer: dict[str, Any]) -> None:
    write_yaml(tmp_path / "probe.yaml", MANIFEST | {"layers": {"lens": layer}})
    with pytest.raises(InputError, match=r"probe\.yaml: field 'layers\.lens.*is not safe"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("name", ["parts", "parts/lens", "figures", "lens.parquet", ".lock", "probe.yaml"])
def test_links_of_fixed_names_are_refused(tmp_path: Path, name: str) -> None:
    victim, folder = tmp_path / "victim", tmp_path / "probe"
    victim.mkdir()
    (victim / "theirs.parquet").write_bytes(b"not a part of a probe")
    (folder / name).parent.mkdir(parents=True)
    (folder / name).symlink_to(victim)
    with pytest.raises(InputError, match=f"{name}: is a link"), locked(folder):
        ProbeStore(folder, "lens").done()
    assert [one.name for one in victim.iterdir()] == ["theirs.parquet"]
