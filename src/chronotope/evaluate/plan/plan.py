"""The plan of a run: all its asks, made before any request is sent.

Planning opens no clip.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from operator import attrgetter

from chronotope.errors import InputError
from chronotope.evaluate.plan.inputs import Donors, as_asked_in_full, make_asks, refuse_impossible
from chronotope.evaluate.plan.shards import Shard
from chronotope.evaluate.plan.staged import Made, Staged, estimated_tokens, refuse_with_method, text_of
from chronotope.families import Family
from chronotope.io import sha256_bytes
from chronotope.io.packed import PackedDict, PackedList, by_key, select
from chronotope.media import ClipFacts
from chronotope.methods import MethodAsk
from chronotope.models import NO_FRAMES, Limits, tokens_of_size, tokens_of_text
from chronotope.protocol import (
    Ask,
    AskSettings,
    FrameOf,
    Layout,
    MediaFacts,
    Part,
    Picture,
    PictureFacts,
    Video,
    arrange,
    as_frame_videos,
    as_videos,
    describe,
    media_of,
    option_letters,
    with_times,
)
from chronotope.question import Benchmark, MediaItem, Question, by_image, find_questions, limit_balanced

KEPT = 20_000  # questions of a plan whose prompts are all kept in memory

# Rough estimates, reported as such: one token for four characters of English; one token for every 28 x 28 pixels of a
# picture (patches of 14 pixels, merged two by two, as in most open vision-language models); one picture for each second
# of a video.


@dataclass(frozen=True)
class Selection:
    """The questions to select from a benchmark.

    Empty ``tasks`` select all tasks, empty ``variants`` all variants, and empty ``questions`` (ids) all questions.
    ``limit`` is the number of questions, balanced over the clips. A given limit always selects the same questions.
    ``shard`` is the part of these questions to ask, or None for all.
    """

    tasks: tuple[str, ...] = ()
    limit: int | None = None
    variants: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    shard: Shard | None = None


@dataclass(frozen=True, slots=True)
class Prompt:
    """The prompt of an ask, with facts about the prompt.

    - ``parts`` are in the order in which they are sent. In a plan of more than `KEPT` questions, they are None, and
      `Plan.parts` makes them again when they are sent: most of the memory of a plan would be their frames.
    - ``sha256`` is the hash of the messages.
    - ``pictures`` is the number of pictures in the prompt, with the frames of a video of frames.
    - ``files`` are the different paths inside the benchmark, sorted.
    - ``tokens`` is an estimate of the number of tokens, and ``picture_tokens`` the part of pictures and videos.
    - ``pixels`` counts the pixels of all pictures, and ``videos`` the videos.
    - ``media`` are the media that the ask shows, one for each of its frame plans: the media of its question, or the
      media of another scene.
    """

    parts: tuple[Part, ...] | None
    sha256: str
    files: tuple[str, ...]
    pictures: int
    tokens: int
    picture_tokens: int = 0
    pixels: int = 0
    videos: int = 0
    media: tuple[MediaItem, ...] = ()


@dataclass(frozen=True)
class Plan:
    """All asks of a run, with their questions and prompts.

    ``questions`` maps the id of each question to the question. ``prompts`` maps the id of each ask to its prompt.
    ``staged`` is the method of the run, or None. With a method, ``prompts`` has the prompts of the answers, with
    placeholders for unknown replies. ``shard`` is the planned part of a run, or None. Many asks are packed
    (see `chronotope.io.packed`).
    """

    benchmark: Benchmark
    family: Family
    settings: AskSettings
    layout: Layout
    asks: Sequence[Ask]
    questions: Mapping[str, Question]
    facts: MediaFacts
    prompts: Mapping[str, Prompt]
    staged: Staged | None = None
    shard: Shard | None = None

    def steps(self, ask: Ask, reply_of: Callable[[str], str | None]) -> list[Made]:
        """Return the calls of the method for an ask.

        ``reply_of`` returns the reply to the call with a key, or None.
        """
        assert self.staged is not None
        return self.staged.walk(self.method_ask(ask), reply_of)[0]

    def method_ask(self, ask: Ask) -> MethodAsk:
        """Return the ask to which the method is applied."""
        question = self.questions[ask.question]
        parts = ask_parts(self.family, ask, question, self.settings, self.facts, self.layout)
        return MethodAsk(ask, question, tuple(parts), self.facts)

    def parts(self, ask: Ask) -> tuple[Part, ...]:
        """Return the parts of a prompt, in the order sent."""
        prompt = self.prompts[ask.id]
        if prompt.parts is not None:
            return prompt.parts
        shown = replace(self.questions[ask.question], media=prompt.media)
        return tuple(ask_parts(self.family, ask, shown, self.settings, self.facts, self.layout))


def ask_parts(
    family: Family, ask: Ask, question: Question, settings: AskSettings, facts: MediaFacts, layout: Layout
) -> list[Part]:
    """Make the parts of a prompt, in the order sent.

    ``question`` has the media that the ask shows.

    Raises:
        InputError: If a clip cannot be sent as a video, or the times of its frames are unknown.
    """
    parts = family.protocol.parts(as_asked_in_full(ask), question, facts)
    if settings.clips == "video":
        parts = as_videos(parts)
    elif settings.frames_as is not None:
        if any(plan is not None and plan.of_files for plan in ask.plans):
            raise InputError(
                f"--frames-as {settings.frames_as}: question {question.id!r} shows released pictures, whose times are "
                "unknown: omit the flag"
            )
        parts = as_frame_videos(parts, facts) if settings.frames_as == "video" else with_times(parts)
    return arrange(parts, layout)


def make_plan(
    benchmark: Benchmark,
    family: Family,
    settings: AskSettings,
    selection: Selection,
    limits: Limits,
    layout: Layout = "published",
    staged: Staged | None = None,
) -> Plan:
    """Make the plan of a run: all asks of the selected questions.

    The sizes, durations and hashes of the media come from ``media.parquet``. With a method (``staged``), pictures are
    shown to the models of its stages, and ``limits`` belong to the model that answers.

    Raises:
        InputError: If one of these conditions is met:

            - The benchmark has no question of a selected task or variant.
            - A question has no media, although ``settings.input`` is not ``blind``.
            - ``settings.input`` would not change the pictures of a question, or no other scene has such a question.
            - The frame rate of a clip varies.
            - A prompt has more pictures than the model accepts, or does not fit into the model's context.
            - The model always replies with one letter, and no question has an option with this letter.
            - The method cannot be applied to a question, or a setting cannot be combined with it.
    """
    _refuse_another_family(benchmark, family)
    _refuse_frames_of_nothing(settings)
    if staged is not None:
        refuse_with_method(staged.method.name, settings, layout)
    refuse_impossible(settings)
    questions = _select(benchmark, selection)
    if (limits.looks or staged is not None) and settings.input != "blind":
        _refuse_nothing_to_see(benchmark, questions)
    _refuse_varying_rates(benchmark, benchmark.questions if settings.input == "swapped" else questions)
    facts = media_facts(benchmark)
    donors = Donors(benchmark.questions if settings.input == "swapped" else ())
    asks = PackedList[Ask]()
    prompts = PackedDict[Prompt]()
    is_kept = staged is not None or len(questions) <= KEPT
    files: dict[tuple[str, ...], tuple[str, ...]] = {}  # one object for all prompts that show these files
    for question in questions:
        with _told_of(benchmark, family, question):
            for ask, shown in make_asks(family, question, settings, facts, donors):
                parts = ask_parts(family, ask, shown, settings, facts, layout)
                if staged is not None:
                    ask, made = _staged(staged, ask, shown, parts, facts)
                else:
                    made = _prompt(benchmark, parts, limits, files, is_kept)
                    if limits.looks:
                        _refuse_over_limits(ask.question, shown, parts, limits)
                        _refuse_over_context(shown, parts, made.tokens, limits)
                asks.append(ask)
                prompts[ask.id] = replace(made, media=shown.media)
    _refuse_no_frames(settings, asks, limits)
    _refuse_letter_of_none(benchmark, asks, limits)
    whole = len(questions) == len(benchmark.questions)
    by_id = benchmark.by_id if whole else by_key(questions, attrgetter("id"))
    return Plan(benchmark, family, settings, layout, asks.ended(), by_id, facts, prompts, staged, selection.shard)


def _staged(
    staged: Staged, ask: Ask, question: Question, parts: Sequence[Part], facts: MediaFacts
) -> tuple[Ask, Prompt]:
    """Apply a method to an ask; return it with its prompt."""
    asked = staged.applied(ask, question, parts, facts)
    made, answer, recipe = staged.recipe(asked)
    for one in made:
        limits = staged.models[one.step.kind].limits
        _refuse_over_limits(one.step.name, question, one.step.parts, limits, "use a smaller --clip-frames")
    return asked.ask, Prompt(answer, recipe, (), 0, estimated_tokens(answer, made, staged))


@contextmanager
def _told_of(benchmark: Benchmark, family: Family, question: Question) -> Iterator[None]:
    """Raise errors about a question that does not fit its family.

    A benchmark from another program may have other tasks or other media than the family expects. Exceptions inside this
    context become an `InputError` that names the question.
    """
    where = f"{benchmark.folder}: question {question.id!r}"
    if question.task not in family.tasks:
        tasks = ", ".join(family.tasks)
        raise InputError(f"{where}: {family.title} has no task {question.task!r}; expected one of {tasks}")
    try:
        yield
    except InputError:
        raise
    except (AssertionError, LookupError, AttributeError, TypeError, ValueError) as error:
        shown = ", ".join(f"{item.kind} {item.role!r}" for item in question.media) or "nothing"
        raise InputError(
            f"{where}: does not fit task {question.task!r} of {family.title} ({error}): the question has {shown} and "
            f"{len(question.options)} options; build or import the benchmark again"
        ) from error


def pictures_of(parts: Sequence[Part]) -> list[Picture]:
    """List all pictures of a prompt, in the order sent."""
    return [one for one in media_of(parts) if not isinstance(one, Video)]


def _select(benchmark: Benchmark, selection: Selection) -> Sequence[Question]:
    questions = find_questions(benchmark, selection.questions) if selection.questions else benchmark.questions
    for what, wanted, of in (
        ("task", selection.tasks, lambda question: question.task),
        ("variant", selection.variants, lambda question: question.variant),
    ):
        if not wanted:
            continue
        there = sorted({of(question) for question in benchmark.questions})
        known = {name.casefold(): name for name in there}
        for name in wanted:
            if name.casefold() not in known:
                raise InputError(
                    f"no question of {what} {name!r}",
                    where=str(benchmark.folder),
                    expected=f"one of {', '.join(there)}",
                )
        names = {known[name.casefold()] for name in wanted}
        questions = select(questions, lambda question, of=of, names=names: of(question) in names)
    if not questions:
        raise InputError(
            f"{benchmark.folder}: none of the questions has one of these tasks and one of these variants: select more "
            "questions, tasks or variants"
        )
    if selection.limit is not None:
        if selection.limit < 1:
            raise InputError(f"limit {selection.limit}: expected the number of questions, at least 1")
        questions = limit_balanced(questions, selection.limit)
    if (shard := selection.shard) is not None:
        questions = select(questions, lambda question: shard.has(benchmark, question))
        if not questions:
            raise InputError(f"--shard {shard}: this shard has no question: nothing is to do, or use fewer shards")
    return questions


def _refuse_another_family(benchmark: Benchmark, family: Family) -> None:
    if benchmark.card.family != family.name:
        raise InputError(
            f"{benchmark.folder}: the benchmark has the family {benchmark.card.family!r}, expected {family.name!r}"
        )


def _refuse_frames_of_nothing(settings: AskSettings) -> None:
    if settings.frames is not None and settings.clips == "video":
        raise InputError(
            "--frames: cannot be combined with --clips video, which sends whole clips: omit one of the two flags"
        )
    if settings.frames is not None and settings.input == "blind":
        raise InputError(
            "--frames: cannot be combined with --input blind, which shows no frames: omit one of the two flags"
        )
    if settings.frames_as is not None and (settings.clips == "video" or settings.input == "blind"):
        shows = (
            "--input blind, which shows no" if settings.input == "blind" else "--clips video, which sends files, not"
        )
        raise InputError(f"--frames-as: cannot be combined with {shows} frames: omit one of the two flags")


def _refuse_nothing_to_see(benchmark: Benchmark, questions: Sequence[Question]) -> None:
    unseen = [q.id for q in questions if not q.media and not any(option.image for option in q.options)]
    if unseen:
        raise InputError(
            f"{benchmark.folder}: {len(unseen)} of {len(questions)} questions have no media (the first is "
            f"{unseen[0]!r}): use --input blind, or build the benchmark from recordings with clips"
        )


def _refuse_varying_rates(benchmark: Benchmark, questions: Sequence[Question]) -> None:
    """Refuse clips with a variable frame rate.

    The times of the frames of such clips are only in the clip files, and planning opens no clip file.
    """
    shown = {path for q in questions for item in q.media if item.kind == "video" for path in item.paths}
    varying = sorted(path for path in shown if benchmark.media[path].fps is None)
    if varying:
        others = f" (and of {len(varying) - 1} more)" if len(varying) > 1 else ""
        raise InputError(
            f"{benchmark.folder}: the frame rate of {varying[0]}{others} varies, so no frames can be planned: convert "
            "it to a constant rate with `ffmpeg -i FILE -vf fps=30 NEW.mp4`, and build or import again"
        )


def _refuse_over_limits(
    name: str, question: Question, parts: Sequence[Part], limits: Limits, fix: str | None = None
) -> None:
    """Refuse a prompt that the model does not accept.

    ``name`` names the prompt, and ``fix`` is the remedy for too many pictures.
    """
    shown = pictures_of(parts)
    if limits.pictures is not None and len(shown) > limits.pictures:
        raise InputError(
            f"question {name!r} shows {len(shown)} pictures, but the model accepts at most {limits.pictures}: "
            f"{fix or _fewer(question, shown, limits.pictures)}"
        )
    videos = [part for part in parts if isinstance(part, Video)]
    if limits.takes_video is False and any(video.frames is None for video in videos):
        raise InputError(
            f"question {name!r} is sent as a video file, but the model accepts only pictures: use --clips frames"
        )
    of_frames = {(video.frames.indices, video.frames.fps, video.frames.total) for video in videos if video.frames}
    if of_frames and limits.refuses_video_of_frames:
        raise InputError(NO_FRAMES)
    if len(of_frames) > 1:
        raise InputError(
            f"--frames-as video: question {name!r} shows {len(of_frames)} clips, but a request can state the "
            "times of one video only: use --frames-as images, or omit the flag"
        )


def _refuse_over_context(question: Question, parts: Sequence[Part], tokens: int, limits: Limits) -> None:
    """Refuse a prompt that leaves no room for a reply.

    An estimated number of tokens must be twice the context, because estimates are rough.
    """
    sure = 1 if limits.tokens is not None else 2
    if limits.context is None or tokens < sure * limits.context:
        return
    shown = pictures_of(parts) + [
        frame for part in parts if isinstance(part, Video) and part.frames for frame in part.frames.frames
    ]
    each = tokens / max(1, len(shown))
    fitting = int((limits.context - limits.context // 16) / each) if shown else 0
    remedy = _fewer(question, shown, fitting) if fitting else "exclude its task with --task"
    about = "" if limits.tokens is not None else "about "
    raise InputError(
        f"question {question.id!r} has a prompt of {about}{tokens} tokens, but the context of the model has "
        f"only {limits.context}: {remedy}"
    )


def _fewer(question: Question, shown: Sequence[Picture], most: int) -> str:
    """Describe the setting that reduces the number of pictures to ``most``."""
    there = {picture.path for picture in shown}
    clips = [item for item in question.media if item.kind != "image" and not there.isdisjoint(item.paths)]
    of_clips = {path for item in clips for path in item.paths}
    room = most - sum(picture.path not in of_clips for picture in shown)  # frames that fit
    fitting = room // len(clips) if clips else 0
    if fitting < 1:
        return "exclude its task with --task, or use --input blind"
    each = f" ({fitting} of each of {len(clips)} clips)" if len(clips) > 1 else ""
    return f"show fewer with --frames {fitting}{each}"


def _refuse_no_frames(settings: AskSettings, asks: Sequence[Ask], limits: Limits) -> None:
    if settings.frames_as is not None and limits.looks and not any(plan for ask in asks for plan in ask.plans):
        raise InputError(f"--frames-as {settings.frames_as}: no question shows frames of a clip: omit the flag")


def _refuse_letter_of_none(benchmark: Benchmark, asks: Sequence[Ask], limits: Limits) -> None:
    letters = option_letters(max((len(ask.placement) for ask in asks), default=0))
    if limits.letter is not None and letters and limits.letter not in letters:
        raise InputError(
            f"{benchmark.folder}: no selected question has the option {limits.letter}: choose a letter from A to "
            f"{letters[-1]}"
        )


def media_facts(benchmark: Benchmark) -> MediaFacts:
    """Return the facts about media that ``media.parquet`` contains.

    No media file is opened.
    """
    facts = MediaFacts()
    described = by_image(benchmark.descriptions)
    for path, file in benchmark.media.items():
        if file.kind == "video":
            if file.frames is None or file.duration_s is None or file.width is None or file.height is None:
                raise InputError(
                    f"{benchmark.folder}: media.parquet lacks the frames, size or duration of {path}: "
                    "import or build the benchmark again"
                )
            facts[path] = ClipFacts(file.sha256, file.width, file.height, file.frames, file.fps, file.duration_s)
        else:
            facts[path] = PictureFacts(file.sha256, described.get(path, {}))
    return facts


def _prompt(
    benchmark: Benchmark,
    parts: list[Part],
    limits: Limits,
    known: dict[tuple[str, ...], tuple[str, ...]],
    is_kept: bool,
) -> Prompt:
    """Make a prompt, whose parts are None without ``is_kept``.

    ``known`` are the lists of files of earlier prompts, which equal lists share.
    """
    pictures = pictures_of(parts)
    videos = [part for part in parts if isinstance(part, Video)]
    files = tuple(sorted({picture.path for picture in pictures} | {video.path for video in videos}))
    frames = [frame for video in videos if video.frames is not None for frame in video.frames.frames]
    sizes = [picture_size(benchmark, shown) for shown in pictures]
    pixels = sum(width * height for width, height in (*sizes, *(picture_size(benchmark, one) for one in frames)))
    tokens, of_text = _tokens(benchmark, parts, sizes, limits)
    return Prompt(
        tuple(parts) if is_kept else None, sha256_bytes(describe(parts).encode()), known.setdefault(files, files),
        len(pictures) + len(frames), tokens, tokens - of_text, pixels, len(videos),
    )  # fmt: skip


def tokens_of_parts(benchmark: Benchmark, parts: Sequence[Part], limits: Limits) -> int:
    """Count the tokens of a prompt (see `_tokens`)."""
    return _tokens(benchmark, parts, [picture_size(benchmark, shown) for shown in pictures_of(parts)], limits)[0]


def _tokens(
    benchmark: Benchmark, parts: Sequence[Part], sizes: Sequence[tuple[int, int]], limits: Limits
) -> tuple[int, int]:
    """Count the tokens of a prompt, and those of its text.

    The numbers are estimated if the model cannot count tokens before the run.
    """
    text = text_of(parts)
    videos = sum(_video_tokens(benchmark, part) for part in parts if isinstance(part, Video))
    if limits.tokens is not None:
        return limits.tokens(text, sizes) + videos, limits.tokens(text, ())
    of_text = tokens_of_text(text)
    return of_text + sum(tokens_of_size(*size) for size in sizes) + videos, of_text


def shown_size(benchmark: Benchmark, parts: Sequence[Part]) -> tuple[int, int]:
    """Return width and height (px) of the largest picture of a prompt."""
    sizes = [picture_size(benchmark, picture) for picture in pictures_of(parts)]
    return max(sizes, key=lambda size: size[0] * size[1])


def picture_size(benchmark: Benchmark, picture: Picture) -> tuple[int, int]:
    """Return width and height (px) of a picture as sent."""
    size = picture.plan.size if isinstance(picture, FrameOf) else None
    file = benchmark.media[picture.path]
    return size or (file.width or 0, file.height or 0)


def _video_tokens(benchmark: Benchmark, video: Video) -> int:
    if video.frames is not None:
        return sum(tokens_of_size(*picture_size(benchmark, frame)) for frame in video.frames.frames)
    file = benchmark.media[video.path]
    return math.ceil(file.duration_s or 0) * tokens_of_size(file.width or 0, file.height or 0)
