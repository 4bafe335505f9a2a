"""Facts that an audit counts: duplicate questions and clips, and frames that miss the moment of a question."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import combinations
from math import comb

import numpy as np

from chronotope.audit.findings import Finding
from chronotope.audit.trials import Asked
from chronotope.audit.wording import finding
from chronotope.errors import InputError
from chronotope.evaluate.plan.plan import media_facts
from chronotope.families import family
from chronotope.media import FramePlan, decode_frames
from chronotope.protocol import MediaFacts
from chronotope.question import Benchmark, Question

FRAMES = (8, 16, 32)  # numbers of frames for which the evidence is counted
_EDGE = 0.1  # s; a time that begins and ends so close to the ends of a clip is the whole clip
NEAR = 6  # bits of 64 in which the pictures of near-duplicate clips differ, at most
FEWEST_SEEN = 2  # frames inside a window, without which nothing can be seen to move
_DEFAULT = "the default ("
_PLACES = (0.0, 0.5, 0.98)  # parts of a clip whose pictures are compared
_FLAT = 6  # a picture with fewer or more than 64 - 6 bits set has no structure to compare


def same_questions(asked: Asked) -> Finding:
    """Find questions that ask the same about the same media."""
    groups: dict[tuple[object, ...], list[Question]] = defaultdict(list)
    for one in asked.questions:
        options = frozenset(option.text or option.image or "" for option in one.options)
        shown = tuple((path, item.start, item.end) for item in one.media for path in item.paths)
        groups[one.cluster, shown, one.window, " ".join(one.stem.casefold().split()), options].append(one)
    repeated = [group for group in groups.values() if len(group) > 1]
    differing = [group for group in repeated if len({_answers(one) for one in group}) > 1]
    items = tuple(one.id for group in repeated for one in group[1:])
    if not repeated:
        return finding("duplicates", "pass", "No question is asked twice about the same media, with the same options.")
    repeat = _count(len(items), "question repeats", "questions repeat")
    said = f"{repeat} another question, with the same media, words and options."
    if differing:
        said += f" In {_count(len(differing), 'group')} of equal questions, the answers differ."
    wrong = bool(differing) or len(items) > 0.01 * len(asked.questions)
    return finding("duplicates", "defect" if wrong else "slight", said, items=items)


def _answers(one: Question) -> frozenset[str]:
    return frozenset(one.options[place].text or one.options[place].image or "" for place in one.answer)


def _count(number: int, one: str, several: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def same_clips(benchmark: Benchmark, advance: Callable[[int, int], object] | None) -> Finding:
    """Find clips of different clusters that show nearly the same pictures."""
    clusters: dict[str, set[str]] = defaultdict(set)
    for one in benchmark.questions:
        for item in one.media:
            for path in item.paths:
                if benchmark.media[path].kind == "video":
                    clusters[path].add(one.cluster)
    paths = sorted(clusters)
    hashes: dict[str, np.ndarray] = {}
    broken: list[str] = []
    for number, path in enumerate(paths):
        try:
            hashes[path] = _picture_bits(benchmark, path)
        except InputError:
            broken.append(path)
        if advance is not None:
            advance(number + 1, len(paths))
    if len(paths) < 2:
        return finding("clips", "not tested", "There are fewer than two clips to compare.")
    flat = [path for path, bits in hashes.items() if not (bits.sum(axis=1) >= _FLAT).any()]
    hashes = {path: bits for path, bits in hashes.items() if path not in flat}
    pairs = [(a, b) for a, b in _near_pairs(hashes) if not clusters[a] & clusters[b]]
    same = _pairs_of_one_scene([clusters[path] for path in hashes])
    compared = comb(len(hashes), 2) - same
    if not compared:
        return finding("clips", "not tested", _none_compared(len(paths), len(broken), len(flat), same))
    unread = f" {_count(len(broken), 'clip')} could not be decoded." if broken else ""
    unread += (
        f" {_count(len(flat), 'clip has', 'clips have')} pictures of nearly one brightness, which cannot be compared."
        if flat
        else ""
    )
    unread += (
        f" {_count(same, 'pair')} of clips of one scene {'was' if same == 1 else 'were'} not compared." if same else ""
    )
    if not pairs:
        said = f"{_count(compared, 'pair')} of {len(hashes):,} clips compared: none shows nearly the same pictures."
        return finding("clips", "pass", said + unread)
    later = {b for _, b in pairs}
    items = tuple(one.id for one in benchmark.questions if later & {path for item in one.media for path in item.paths})
    first = f"{pairs[0][0]} and {pairs[0][1]}"
    show = _count(len(pairs), "pair of clips of different scenes shows", "pairs of clips of different scenes show")
    said = f"{show} nearly the same pictures, such as {first}."
    return finding("clips", "slight", said + unread, items=items)


def _none_compared(clips: int, broken: int, flat: int, same: int) -> str:
    """Say why no two clips could be compared."""
    why = [f"{broken:,} of {clips:,} could not be decoded"] if broken else []
    why += (
        [f"{flat:,} of {clips:,} clips {'has' if flat == 1 else 'have'} pictures of nearly one brightness"]
        if flat
        else []
    )
    why += [f"{_count(same, 'pair is', 'pairs are')} of one scene"] if same else []
    return f"No two clips could be compared: {', '.join(why)}."


def _pairs_of_one_scene(clusters: Sequence[set[str]]) -> int:
    """Count the pairs of clips that have a cluster in common."""
    single = Counter(name for of in clusters if len(of) == 1 for name in of)
    several = [of for of in clusters if len(of) > 1]
    return (
        sum(comb(count, 2) for count in single.values())
        + sum(single[name] for of in several for name in of)
        + sum(bool(a & b) for a, b in combinations(several, 2))
    )


def _picture_bits(benchmark: Benchmark, path: str) -> np.ndarray:
    """Return the difference hash (3, 64) of three pictures of a clip."""
    frames = benchmark.media[path].frames or 1
    indices = sorted({min(frames - 1, round(part * (frames - 1))) for part in _PLACES})
    pictures = [picture for _, picture in decode_frames(benchmark.folder / path, indices)]
    pictures += [pictures[-1]] * (len(_PLACES) - len(pictures))
    return np.stack([_bits(picture) for picture in pictures])


def _bits(picture: np.ndarray) -> np.ndarray:
    from PIL import Image

    small = np.asarray(Image.fromarray(picture).convert("L").resize((9, 8), Image.Resampling.BOX), int)
    return (small[:, 1:] > small[:, :-1] + 2).ravel()


def _near_pairs(hashes: dict[str, np.ndarray]) -> Iterator[tuple[str, str]]:
    names = list(hashes)
    if len(names) < 2:
        return
    bits = np.stack([hashes[name] for name in names]).astype(np.float32)
    for first in range(len(names) - 1):
        rest = bits[first + 1 :]
        off = np.abs(rest - bits[first]).sum(axis=2).max(axis=1)
        for other in np.flatnonzero(off <= NEAR):
            yield names[first], names[first + 1 + int(other)]


def evidence(benchmark: Benchmark, asked: Asked) -> Finding:
    """Count questions whose window has fewer than two of the frames that the family's protocol shows."""
    timed = [
        one for one in asked.questions if one.window is not None and one.window.end > one.window.start and one.media
    ]
    chosen = benchmark.card.family
    if not timed or "frames" not in family(chosen).RunSettings.model_fields:
        return finding("evidence", "not tested", "No question is about a stated time of its clip.")
    facts = media_facts(benchmark)
    missed: dict[str, list[str]] = {}
    for frames in (None, *FRAMES):
        plans = {one.id: planned_frames(chosen, one, frames, facts) for one in timed}
        if None in plans.values():
            continue
        shown = {len(one.times) for of in plans.values() for one in of or ()}
        name = f"{frames} frames" if frames else default_words(shown)
        if f"{_DEFAULT}{name})" not in missed:
            missed[name] = [one.id for one in timed if _inside(one, plans[one.id] or ()) < FEWEST_SEEN]
    if not missed:
        return finding("evidence", "not tested", "The frames of these clips cannot be planned.")
    whole = sum(_is_whole(one, benchmark) for one in timed)
    of = f"{_count(len(timed), 'question names', 'questions name')} a time: {len(timed) - whole:,} a part of the clip, "
    of += f"{whole:,} the whole clip."
    every = f"a run shows at least {FEWEST_SEEN} frames of this time, for each question"
    few = f"Fewer than {FEWEST_SEEN} frames of this time are shown for"
    return by_frames("evidence", of, missed, (every, few, "those about motion"))


def by_frames(check: str, of: str, missed: Mapping[str, Sequence[str]], words: tuple[str, str, str]) -> Finding:
    """State for which numbers of frames questions lack something; the default decides.

    ``missed`` has these questions, by the number of frames in words. If the default is unknown, each number decides.
    ``words`` say that nothing is missed, that something is, and which questions to leave out if the default is right.
    """
    every, few, leave = words
    often = Counter(name for ids in missed.values() for name in ids)
    items = tuple(sorted(often, key=lambda name: -often[name]))
    if not items:
        return finding(check, "pass", f"{of} With {_either(list(missed))}, {every}.")
    default = next((name for name in missed if name.startswith(_DEFAULT)), None)
    if default is None or missed[default]:
        return finding(check, "slight", f"{of} {few}: {_counts(missed)}.", items=items)
    said = f"{of} With {default}, {every}. {few}: {_counts({name: ids for name, ids in missed.items() if ids})}."
    said += f" In runs with another number than the default, leave out {leave}."
    most = _most(default)
    more = [count for name, ids in missed.items() if name != default and ids and (count := _most(name)) > most]
    if more:
        said += f" {more[0]} frames can miss a short time that {most} hit."
    return finding(check, "pass", said, items=items)


def _counts(missed: Mapping[str, Sequence[str]]) -> str:
    """Say how many questions each number of frames misses."""
    counts = {len(ids) for ids in missed.values()}
    if len(missed) > 1 and len(counts) == 1:
        return f"{counts.pop():,}, whichever of these is used: {_either(list(missed))}"
    return ", ".join(f"{len(ids):,} with {name}" for name, ids in missed.items())


def default_words(counts: Collection[int]) -> str:
    """Name the numbers of frames that a run shows by default."""
    if len(set(counts)) <= 1:
        return f"{_DEFAULT}{max(counts, default=0)} frames)"
    return f"{_DEFAULT}{min(counts)} to {max(counts)} frames, by clip)"


def _most(words: str) -> int:
    """Return the largest number of frames in words."""
    return max(map(int, re.findall(r"\d+", words)), default=0)


def _is_whole(one: Question, benchmark: Benchmark) -> bool:
    """Return true if a question is about the whole of its longest clip."""
    files = [benchmark.media[path] for item in one.media for path in item.paths]
    ends = [file.duration_s - 1 / file.fps for file in files if file.duration_s and file.fps]
    window = one.window
    return bool(ends) and window is not None and window.start <= _EDGE and window.end >= max(ends) - _EDGE


def _either(numbers: Sequence[str]) -> str:
    *most, last = numbers
    return f"{', '.join(most)} or {last}" if most else last


def planned_frames(name: str, one: Question, frames: int | None, facts: MediaFacts) -> list[FramePlan] | None:
    """Return the frames that the first ask of a question shows, one plan for each clip.

    ``frames`` is the number of frames that the family ``name`` is asked for, None for its default. The result is None
    if such frames cannot be planned.
    """
    chosen = family(name)
    try:
        settings = chosen.RunSettings.model_validate({} if frames is None else {"frames": frames})
        asks = chosen.protocol.asks(one, settings, facts)
    except (InputError, ValueError):
        return None
    return [plan for plan in asks[0].plans if plan is not None]


def _inside(one: Question, plans: Sequence[FramePlan]) -> int:
    """Return how many of the planned frames lie in the question's window."""
    window = one.window
    assert window is not None
    times = np.array([time for plan in plans for time in plan.times], float)
    return int(((times >= window.start - 1e-6) & (times <= window.end + 1e-6)).sum())
