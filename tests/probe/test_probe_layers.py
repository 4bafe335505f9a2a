"""The layers of a probe on a built benchmark with a tiny random model, against values computed another way."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection
from chronotope.families import family
from chronotope.question import Benchmark, open_benchmark

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.slow

TWO = ("strategy=visual", "strategy=visual_text")


@pytest.fixture(scope="module")
def bench(drawn_manuals: Path, tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    import chronotope

    folder = tmp_path_factory.mktemp("probed") / "bench"
    return chronotope.build("ikea", drawn_manuals, folder) and open_benchmark(folder)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    from tiny_models import save_tiny

    folder = tmp_path_factory.mktemp("tiny") / "qwen"
    return f"transformers/{save_tiny('qwen2_5_vl', folder, max_position_embeddings=32768)}"


@pytest.fixture(scope="module")
def run(bench: Benchmark, model: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    from chronotope.probe import ProbeRequest, ProbeSettings, probe

    def made(
        layer: str,
        out: Path | None = None,
        limit: int | None = 8,
        tasks: Any = (),
        fields: dict[str, Any] | None = None,
        **settings: Any,
    ) -> Any:
        folder = out or tmp_path_factory.mktemp("probe") / layer
        chosen = ProbeSettings(**settings)
        selection = Selection(tuple(tasks), limit)
        return probe(ProbeRequest(bench, family("ikea"), model, layer, folder, chosen, selection, fields or {}))

    return made


def job_of(bench: Benchmark, model: str, **settings: Any) -> Any:
    from chronotope.probe import ProbeRequest, ProbeSettings
    from chronotope.probe.probing import _job, open_local

    request = ProbeRequest(
        bench, family("ikea"), model, "hidden", Path("none"), ProbeSettings(**settings), Selection((), 12)
    )
    return _job(request, open_local(model, {}))


def table(probed: Any, name: str) -> list[dict[str, Any]]:
    from chronotope.probe import read_table

    return read_table(probed.folder, probed.entry.tables.get(name, name))


def test_depicted_steps_agree_with_the_correct_answers(bench: Benchmark) -> None:
    """The steps come from the provenance; the answers of the questions say independently which are the same."""
    for question in bench.questions:
        shown = family("ikea").depicts(question)
        clips = [one.thing for one in shown if one.medium == "video"]
        diagrams = {one.item: one.thing for one in shown if one.medium == "diagram" and one.item is not None}
        options = {one.option: one.thing for one in shown if one.option is not None}
        [right] = question.answer
        words = question.options[right].text
        match question.task:
            case "T1":
                assert options[right] == clips[0] and list(options.values()).count(clips[0]) == 1
            case "T2":
                assert (words == "Yes") == (next(iter(diagrams.values())) == clips[0])
            case "T3":
                assert words == f"Step {int(clips[0].split()[1]) + 1}"
                assert len(set(diagrams.values())) == len(question.media) - 1
            case "T4":
                assert int(options[right].split()[1]) == int(clips[0].split()[1]) + 1
            case "D1":
                assert (words == "Same") == (clips[0] == clips[1]) and len({one.role for one in shown}) == 2
            case "D2":
                order = [int(one.split()[-1]) - 1 for one in words.split(" -> ")]
                steps = [int(diagrams[at].split()[1]) for at in order]
                assert steps == sorted(steps)


def test_python_measures_a_layer_and_reads_its_tables(
    bench: Benchmark, model: str, run: Callable[..., Any], tmp_path: Path
) -> None:
    import chronotope as ct

    part = ct.open(bench.folder)[:6]
    made = ct.probe(part, model, "attention", tmp_path / "probe", at="0,1", condition="strategy=visual")
    assert made.entry.units == len(part.questions) == 6 and made.entry.settings["at"] == "0,1"
    name, rows = next((name, table(made, path.name)) for name, path in made.tables.items())
    assert made.table().to_dict("records") == made.table(name).to_dict("records") and len(made.table()) == len(rows)
    assert repr(made) == f"<Probe {made.folder}: attention, 6 units, tables {', '.join(made.tables)}>"
    with pytest.raises(InputError, match="no table 'x': expected one of"):
        made.table("x")
    with pytest.raises(InputError, match="limit: expected a whole number, found 'x'"):
        ct.probe(part, model, "attention", tmp_path / "probe", limit="x")


def test_every_token_has_one_modality(bench: Benchmark, model: str) -> None:
    from chronotope.probe.prompts import letters_of, places_of

    job = job_of(bench, model)
    for prompted in job.prompts:
        encoded = job.instrument.encode(prompted)
        places = places_of(prompted, encoded)
        every = sorted(at for of in places.modalities.values() for at in of)
        assert every == list(range(encoded.length))
        roles = {"D1": {"clip_a", "clip_b"}, "D2": {"diagram"}}.get(prompted.question.task, {"video", "diagram"})
        assert set(places.modalities) == roles | {"text", "template"}
        vision = (encoded.input_ids[0] == job.local.model.config.image_token_id).sum()
        assert sum(len(at) for _, at in places.pictures) == vision
        assert encoded.length - 1 in places.modalities["template"]
        words = job.local.tokenizer.decode(encoded.input_ids[0, places.modalities["text"]])
        assert prompted.question.stem.splitlines()[0] in words and "assistant" not in words
        assert set(letters_of(prompted)) <= set(places.options)
        if prompted.question.task == "T1":  # the picture of an option belongs to the option and to the diagrams
            of_options = {at for of in places.options.values() for at in of}
            assert set(places.modalities["diagram"]) <= of_options


def test_hidden_influence_is_that_of_the_library_s_states(
    bench: Benchmark, model: str, run: Callable[..., Any]
) -> None:
    from chronotope.probe.prompts import places_of

    done = run("hidden", condition=list(TWO))
    rows = table(done, "hidden.parquet")
    job = job_of(bench, model, condition=list(TWO))
    prompted = next(one for one in job.prompts if one.id == rows[0]["unit"])
    encoded = job.instrument.encode(prompted)
    with torch.inference_mode():
        states = job.local.model(**job.local.inputs(encoded), output_hidden_states=True).hidden_states
    video = places_of(prompted, encoded).modalities["video"]
    for depth in range(4):  # the library's last states are after the norm
        mean = states[depth][0, video].double().mean(0)
        cosine = torch.nn.functional.cosine_similarity(states[depth][0, -1].double(), mean, dim=0)
        [row] = [
            one for one in rows
            if one["unit"] == prompted.id
            and (one["depth"], one["kind"], one["modality"]) == (depth, "modality", "video")
        ]  # fmt: skip
        assert row["influence"] == pytest.approx(float(cosine), abs=1e-5) and row["tokens"] == len(video)
    changes = table(done, "changes")
    [change] = [
        one for one in changes if (one["task"], one["depth"], one["modality"]) == ("all", 4, "text")
    ]  # fmt: skip
    deepest = [row for row in rows if (row["depth"], row["kind"], row["modality"]) == (4, "modality", "text")]
    first, second = ({row["question"]: row["influence"] for row in deepest if row["condition"] == name} for name in TWO)
    assert change["difference"] == pytest.approx(np.mean([second[name] - first[name] for name in first]))
    assert change["items"] == 8 and {row["condition"] for row in rows} == set(TWO)


def test_attention_shares_are_those_of_the_plain_weights(bench: Benchmark, model: str, run: Callable[..., Any]) -> None:
    from chronotope.probe.capture.attention import using_attention
    from chronotope.probe.prompts import places_of

    done = run("attention", limit=4, at="1,3")
    rows = table(done, "attention.parquet")
    job = job_of(bench, model)
    prompted = next(one for one in job.prompts if one.id == rows[0]["unit"])
    encoded = job.instrument.encode(prompted)
    with using_attention(job.local.family, "eager"), torch.inference_mode():
        weights = job.local.model(**job.local.inputs(encoded), output_attentions=True).attentions
    places = places_of(prompted, encoded)
    of_prompt = [row for row in rows if row["unit"] == prompted.id]
    for name, at in places.modalities.items():
        for row in of_prompt:
            if row["kind"] == "modality" and row["name"] == name and row["head"] >= 0:
                expected = weights[row["layer"]][0, row["head"], -1, at].sum()
                assert row["share"] == pytest.approx(float(expected), abs=1e-6)
    for layer in (1, 3):
        shares = [
            row["share"]
            for row in of_prompt
            if row["layer"] == layer and row["head"] == -1 and row["kind"] == "modality"
        ]
        assert sum(shares) == pytest.approx(1.0, abs=1e-5)
    pictures = [row for row in of_prompt if row["kind"] == "picture" and row["layer"] == 3]
    assert len(pictures) == len(places.pictures)
    letters = [row for row in of_prompt if row["kind"] == "option" and row["layer"] == 3]
    assert [row["correct"] for row in letters].count(True) == 1
    means = {(row["layer"], row["name"]): row for row in table(done, "means") if row["task"] == "all"}
    video = means[-1, "video"]["mean"]
    assert video == pytest.approx((means[1, "video"]["mean"] + means[3, "video"]["mean"]) / 2)


def test_the_authors_tokens_have_their_own_tables(bench: Benchmark, model: str, run: Callable[..., Any]) -> None:
    """The sets come from a scan of the token ids, and the shares and cosines from the library's own outputs."""
    from chronotope.probe.capture.attention import using_attention

    hidden, attention = run("hidden", limit=6), run("attention", limit=6, at="3")
    job = job_of(bench, model)
    prompted = next(one for one in job.prompts if one.question.task == "T1")
    encoded = job.instrument.encode(prompted)
    ids = encoded.input_ids[0].tolist()
    begin, end = (job.local.tokenizer.convert_tokens_to_ids(f"<|vision_{word}|>") for word in ("start", "end"))
    spans = [range(at, ids.index(end, at) + 1) for at, one in enumerate(ids) if one == begin]
    shown = len(spans) - sum(option.image is not None for option in prompted.question.options)
    sets = {
        "video": [at for span in spans[:shown] for at in span],
        "diagram": [at for span in spans[shown:] for at in span],
    }
    sets["text"] = sorted(set(range(len(ids))) - set(sets["video"]) - set(sets["diagram"]))
    with using_attention(job.local.family, "eager"), torch.inference_mode():
        made = job.local.model(**job.local.inputs(encoded), output_hidden_states=True, output_attentions=True)
    rows = [row for row in table(hidden, "hidden.parquet") if row["unit"] == prompted.id and row["kind"] == "published"]
    shares = [row for row in table(attention, "attention.parquet") if row["unit"] == prompted.id]
    shares = [row for row in shares if row["kind"] == "published"]
    assert {row["modality"] for row in rows} == {row["name"] for row in shares} == set(sets)
    for row in rows:
        states = made.hidden_states[row["depth"]][0].double()
        cosine = torch.nn.functional.cosine_similarity(states[-1], states[sets[row["modality"]]].mean(0), dim=0)
        if row["depth"] < 4:  # the library's last states are after the norm
            assert row["influence"] == pytest.approx(float(cosine), abs=1e-5)
    for row in shares:
        expected = made.attentions[3][0, :, -1, sets[row["name"]]].sum(-1).mean()
        assert row["share"] == pytest.approx(float(expected), abs=1e-6)
    means = {row["name"]: row["mean"] for row in table(attention, "published-means") if row["task"] == "T1"}
    own = {row["name"]: row["mean"] for row in table(attention, "means") if row["task"] == "T1"}
    assert means["diagram"] > own["diagram"] and sum(means.values()) == pytest.approx(1, abs=1e-5)


def test_vectors_are_the_library_s_features(bench: Benchmark, model: str, run: Callable[..., Any]) -> None:
    from chronotope.probe.measures import similarity
    from chronotope.protocol import Image, PictureFile

    done = run("representation", limit=None)
    rows = table(done, "representation.parquet")
    job = job_of(bench, model)
    diagrams = {path: file for path, file in bench.media.items() if file.kind == "image"}
    path, file = next(iter(diagrams.items()))
    encoded = job.local.encode([Image(PictureFile(path, file.sha256))], job.pictures)
    with torch.inference_mode():
        features = job.local.model.get_image_features(
            encoded.tensors["pixel_values"], encoded.tensors["image_grid_thw"]
        )
    [row] = [one for one in rows if one["file"] == job.pictures(PictureFile(path, file.sha256)).sha256]
    assert row["projector"] == pytest.approx(torch.cat(tuple(features.pooler_output)).mean(0).tolist(), abs=1e-5)
    assert row["vision"] == pytest.approx(features.last_hidden_state.mean(0).tolist(), abs=1e-5)  # any order
    # The pairs, again from the folder alone: the diagram of each step and the frames of all its segments.
    by_file: dict[str, list[dict[str, Any]]] = {}
    for one in rows:
        by_file.setdefault(one["pictures"], []).append(one)
    things: dict[tuple[str, str], dict[str, list[Any]]] = {}
    from chronotope.probe.shown import shown_of

    everything = job_of_all(bench, model)
    for one in shown_of(everything.prompts, everything.plans):
        of = things.setdefault((one.group, one.depicted.thing), {}).setdefault(one.depicted.medium, [])
        of += [(row["file"], row["vision"]) for row in by_file[one.id]]
    both = [
        {medium: np.mean(list(dict(of[medium]).values()), axis=0) for medium in of}
        for of in things.values()
        if len(of) == 2
    ]
    x, y = (np.array([one[medium] for one in both]) for medium in ("diagram", "video"))
    values = {(one["level"], one["measure"]): one["value"] for one in table(done, "measures") if one["task"] == "all"}
    found = similarity(x, y, [str(row) for row in range(len(x))], resamples=1)
    assert values["vision", "CKA"] == pytest.approx(found.cka, abs=1e-9)
    assert values["vision", "unbiased CKA"] == pytest.approx(found.unbiased, abs=1e-9)
    assert {"R@1", "R@10 in its cluster"} <= {measure for _, measure in values}


def job_of_all(bench: Benchmark, model: str) -> Any:
    from chronotope.probe import ProbeRequest
    from chronotope.probe.probing import _job, open_local

    return _job(ProbeRequest(bench, family("ikea"), model, "representation", Path("none")), open_local(model, {}))


# The command, killed when it has measured its fourth unit and is about to put that in place.
KILLED = """
import os, signal, sys
from chronotope.cli import main
placed = []
def hook(event, arguments):
    if event == "os.rename" and "/parts/hidden/" in str(arguments[1]):
        placed.append(1)
        if len(placed) == 4: os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(hook)
main()
"""


@pytest.mark.drill
def test_a_killed_probe_goes_on(bench: Benchmark, model: str, run: Callable[..., Any], tmp_path: Path) -> None:
    whole = run("hidden", limit=6)
    out = tmp_path / "killed"
    words = ["probe", bench.folder, "--model", model, "--layer", "hidden", "--limit", 6, "--out", out]
    process = subprocess.run([sys.executable, "-c", KILLED, *map(str, words)], capture_output=True, text=True)
    assert process.returncode == -signal.SIGKILL, process.stderr
    parts = out / "parts" / "hidden"
    before = list(parts.glob("*.parquet"))
    assert len(before) == 4  # the fourth is whole, under the name of a file that is being written
    done = run("hidden", out=out, limit=6)
    assert (done.kept, done.measured) == (len(before), 6 - len(before))
    assert table(done, "means") == table(whole, "means")
    assert not parts.exists() and not (out / ".lock").exists()
    again = run("hidden", out=out, limit=6)
    assert (again.kept, again.measured) == (6, 0)
    more = run("hidden", out=out, limit=8)  # more questions extend the probe
    assert (more.kept, more.measured) == (6, 2)
    assert table(more, "means") == table(run("hidden"), "means")


def test_a_folder_keeps_to_its_model_and_settings(run: Callable[..., Any], tmp_path: Path) -> None:
    run("hidden", out=tmp_path / "probe", limit=2)
    with pytest.raises(InputError, match=r"was measured with condition None, now \['input=full'\]"):
        run("hidden", out=tmp_path / "probe", limit=2, condition=["input=full"])
    done = run("attention", out=tmp_path / "probe", limit=2)  # another layer joins it
    from chronotope.probe import read_manifest

    assert set(read_manifest(done.folder).layers) == {"hidden", "attention"}
    again = run("hidden", out=tmp_path / "probe", limit=2, fields={"device": "cpu"})  # where it runs changes nothing
    assert again.measured == 0
    with pytest.raises(InputError, match="dtype"):
        run("hidden", out=tmp_path / "probe", limit=2, fields={"dtype": "bfloat16"})
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("keep me")
    with pytest.raises(InputError, match=r"contains letter.txt, and is not the folder of a probe"):
        run("hidden", out=tmp_path / "other", limit=2)


def test_settings_that_cannot_be_used(run: Callable[..., Any], tmp_path: Path) -> None:
    for layer, settings, words in (
        ("hidden", {"condition": ["strategy"]}, "expected name=value"),
        ("hidden", {"condition": ["frames=[1"]}, "cannot be read as YAML"),
        ("hidden", {"condition": ["colour=red"]}, "does not have the setting 'colour'"),
        ("attention", {"at": "0,99"}, "layer 99 has no attention; expected some of 0, 1, 2, 3"),
        ("attention", {"at": "first"}, "expected numbers of layers"),
        ("representation", {"roles": "diagram,after"}, "no question shows 'after'; expected two of diagram, video"),
    ):
        with pytest.raises(InputError, match=words):
            run(layer, out=tmp_path / "refused", **settings)
        assert not (tmp_path / "refused").exists()  # nothing is left of a refused probe


def test_a_prompt_that_is_too_long_is_a_sentence(bench: Benchmark, tmp_path: Path) -> None:
    from chronotope.probe import ProbeRequest, probe
    from tiny_models import save_tiny

    short = save_tiny("qwen2_5_vl", tmp_path / "short", max_position_embeddings=64)
    request = ProbeRequest(
        bench, family("ikea"), f"transformers/{short}", "hidden", tmp_path / "probe", selection=Selection((), 1)
    )
    with pytest.raises(InputError, match=r"tokens, but the context of the model has 64.*show fewer frames"):
        probe(request)


def test_the_balance_of_two_clips_is_that_of_their_shares(bench: Benchmark, run: Callable[..., Any]) -> None:
    """From the rows of single questions alone, and the answers of the questions."""
    done = run("attention", limit=6, tasks=["D1"], at="1,3")
    shares: dict[str, dict[str, float]] = {}
    for row in table(done, "attention.parquet"):
        if row["kind"] == "published" and row["head"] == -1 and row["name"] in ("clip_a", "clip_b"):
            of = shares.setdefault(row["question"], {"clip_a": 0.0, "clip_b": 0.0})
            of[row["name"]] += row["share"] / 2  # two layers
    words = {one.id: one.options[one.answer[0]].text for one in bench.questions}
    for row in table(done, "balance"):
        wanted = [
            of["clip_a"] / (of["clip_a"] + of["clip_b"])
            for name, of in shares.items()
            if row["pairs"] in ("all", words[name].lower())
        ]
        assert row["mean"] == pytest.approx(np.mean(wanted)) and row["questions"] == len(wanted)
        assert 0.2 < row["chance"] < 0.8 and row["task"] == "D1"
    assert {row["pairs"] for row in table(done, "balance")} == {"all", "same", "different"}


def test_pairs_of_diagrams_and_frames_are_those_of_the_answers(bench: Benchmark, tmp_path: Path) -> None:
    """T2 asks whether a clip shows the step of a diagram, so its answers say which pictures are a pair."""
    datasets = pytest.importorskip("datasets")
    from PIL import Image as Pictures

    from chronotope.probe import export_pairs

    count = export_pairs(bench.folder, tmp_path / "pairs")
    read = datasets.load_dataset("imagefolder", data_dir=str(tmp_path / "pairs"), cache_dir=str(tmp_path / "cache"))[
        "train"
    ]
    assert len(read) == count > 50 and {"diagram", "video", "cluster", "thing", "take", "fold"} <= set(
        read.column_names
    )
    assert isinstance(read[0]["diagram"], Pictures.Image) and isinstance(read[0]["video"], Pictures.Image)
    folds = {(cluster, fold) for cluster, fold in zip(read["cluster"], read["fold"], strict=True)}
    assert len(folds) == len(set(read["cluster"]))  # no product is in two folds
    raw = read.cast_column("diagram", datasets.Image(decode=False))
    shown = {Path(one["diagram"]["path"]).stem: one for one in raw}
    pairs = {(Path(one["diagram"]["path"]).stem, one["cluster"], one["thing"]) for one in raw}
    checked = 0
    for question in bench.questions:
        if question.task == "T2":
            picture = next(item.paths[0] for item in question.media if item.kind == "image")
            [clip] = [one.thing for one in family("ikea").depicts(question) if one.medium == "video"]
            stem = bench.media[picture].sha256[:32]
            right = question.options[question.answer[0]].text == "Yes"
            assert ((stem, question.cluster, clip) in pairs) == right and stem in shown
            checked += 1
    assert checked > 4
    with pytest.raises(InputError, match="the folder has files"):
        export_pairs(bench.folder, tmp_path / "pairs")


def tiles_of(width: int, height: int, most: int, side: int) -> int:
    """The number of tiles by the rule of the specification: the closest ratio, the larger grid if the area suffices."""
    best, nearest = (1, 1), float("inf")
    for columns, rows in sorted(
        ((a, b) for a in range(1, most + 1) for b in range(1, most + 1) if a * b <= most),
        key=lambda grid: grid[0] * grid[1],
    ):
        distance = abs(width / height - columns / rows)
        if distance < nearest or (distance == nearest and width * height > 0.5 * side * side * columns * rows):
            best, nearest = (columns, rows), distance
    count = best[0] * best[1]
    return count + (count > 1)


def test_internvl_cuts_pictures_as_the_authors_do(drawn: Callable[..., Any], tmp_path: Path) -> None:
    from chronotope.probe.probing import open_local
    from chronotope.protocol import Image, PictureFile
    from tiny_models import save_tiny

    name = f"transformers/{save_tiny('internvl', tmp_path / 'internvl')}"
    local = open_local(name, {}, family("ikea").processors)
    token = local.sources.config.image_token_id
    for size in ((28, 28), (336, 28), (84, 56), (60, 112), (400, 300), (30, 30)):
        encoded = local.encode([Image(PictureFile(f"1-{size[0]}x{size[1]}", "1"))], drawn)
        assert int((encoded.input_ids == token).sum()) == 4 * tiles_of(*size, most=6, side=28), size
    own = open_local(name, {"processor": {"max_patches": 2}}, family("ikea").processors)
    assert own.sources.settings.processor == {"crop_to_patches": True, "max_patches": 2}
