"""Pictures of identities: 8 bits as ever, 16 where there are more things, and nothing that does not fit."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from chronotope.errors import InputError
from chronotope.recording import read_identities, write_identities


@pytest.mark.parametrize(
    ("kind", "most", "mode"), [(np.uint8, 255, "L"), (np.uint16, 65535, "I;16"), (np.int64, 300, "I;16")]
)
def test_every_value_comes_back(tmp_path: Path, kind: type, most: int, mode: str) -> None:
    values = np.linspace(0, most, 48).astype(kind).reshape(6, 8)
    write_identities(tmp_path / "a.png", values)
    with Image.open(tmp_path / "a.png") as picture:
        assert picture.mode == mode
    found = read_identities(tmp_path / "a.png")
    assert found.dtype == (np.uint8 if mode == "L" else np.uint16)
    np.testing.assert_array_equal(found, values)


@pytest.mark.parametrize("values", [np.full((2, 2), 70000), np.full((2, 2), -1), np.full((2, 2), 0.5)])
def test_what_does_not_fit_is_refused(tmp_path: Path, values: np.ndarray) -> None:
    with pytest.raises(InputError, match="expected whole numbers from 0 to 65535"):
        write_identities(tmp_path / "a.png", values)
    assert not (tmp_path / "a.png").exists()
