"""Links of benchmarks to files: never through symbolic links, and never over existing files."""

import errno
import os
from pathlib import Path

import pytest

from chronotope.io import link_or_copy


def no_link(source: object, target: object) -> None:
    raise OSError(errno.EXDEV, "another device", str(source), None, str(target))


@pytest.mark.parametrize("is_possible", [True, False])
def test_a_file_and_the_target_of_a_symbolic_link_are_linked_or_copied(
    is_possible: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not is_possible:
        monkeypatch.setattr(os, "link", no_link)
    (tmp_path / "real").write_bytes(b"x")
    (tmp_path / "way").symlink_to("real")
    for name in ("real", "way"):
        made = tmp_path / f"made-{name}"
        link_or_copy(tmp_path / name, made)
        assert made.read_bytes() == b"x" and not made.is_symlink()
        assert made.samefile(tmp_path / "real") == is_possible


@pytest.mark.parametrize("is_possible", [True, False])
def test_nothing_is_written_over_a_file_or_through_a_broken_link(
    is_possible: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not is_possible:
        monkeypatch.setattr(os, "link", no_link)
    (tmp_path / "new").write_bytes(b"new")
    (tmp_path / "old").write_bytes(b"old")
    (tmp_path / "broken").symlink_to("nowhere")
    for name in ("old", "broken"):
        with pytest.raises(FileExistsError, match="exists already"):
            link_or_copy(tmp_path / "new", tmp_path / name)
    assert (tmp_path / "old").read_bytes() == b"old" and not (tmp_path / "nowhere").exists()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        link_or_copy(tmp_path / "missing", tmp_path / "made")
    assert not (tmp_path / "made").exists()
