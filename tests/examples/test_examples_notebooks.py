"""The notebooks of examples/: they have no outputs in the repository, and all their cells run."""

import base64
import io
from pathlib import Path

import nbformat
import numpy as np
import PIL.Image
import pytest
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = ["first_result", "two_runs", "wrong_answers"]


def read(name: str) -> nbformat.NotebookNode:
    return nbformat.read(EXAMPLES / f"{name}.ipynb", as_version=4)


@pytest.fixture(scope="module")
def place(drawable: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which all notebooks run, so that the first one renders the tables for all."""
    return tmp_path_factory.mktemp("notebooks")


def html_of(notebook: nbformat.NotebookNode) -> list[str]:
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return [output["data"]["text/html"] for output in outputs if "text/html" in output.get("data", {})]


def pictures_in(html: str) -> list[np.ndarray]:
    found = [part.partition('"')[0] for part in html.split("data:image/jpeg;base64,")[1:]]
    return [np.asarray(PIL.Image.open(io.BytesIO(base64.b64decode(data)))) for data in found]


def test_the_notebooks_are_those_of_the_page_without_outputs() -> None:
    assert sorted(path.stem for path in EXAMPLES.glob("*.ipynb")) == NAMES
    page = (EXAMPLES.parent / "docs" / "python.md").read_text(encoding="utf-8")
    for name in NAMES:
        assert f"`{name}.ipynb`" in page
        for cell in read(name).cells:
            assert cell.cell_type == "markdown" or (cell.outputs == [] and cell.execution_count is None)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_all_cells_of_a_notebook_run(name: str, place: Path) -> None:
    notebook = read(name)
    NotebookClient(notebook, timeout=900, resources={"metadata": {"path": str(place)}}).execute()
    nbformat.write(notebook, place / f"{name}.ipynb")
    shown = html_of(notebook)
    assert any('<table border="1" class="dataframe">' in html for html in shown)  # pandas made it
    pictures = [picture for html in shown for picture in pictures_in(html)]
    if name != "two_runs":
        assert len(pictures) > 10 and all(picture.std() > 10 for picture in pictures)  # something is on each
        assert any("correct" in html or "right" in html for html in shown)
