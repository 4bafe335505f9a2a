"""Ablations of media (``--input``): the frames of an ask are left out, reordered, frozen or exchanged.

The protocol of a family makes an ask with all its pictures, and this module changes the frame plans or the media of the
ask. A protocol therefore knows only asks with and without pictures, and the ablations work for every family.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from chronotope.errors import InputError
from chronotope.families import Family
from chronotope.io import canonical_json, sha256_bytes
from chronotope.media import FramePlan
from chronotope.protocol import Ask, AskSettings, MediaFacts
from chronotope.question import MediaItem, Question

MEDIA_OF = "media_of"  # the name in the wording of an ask for the question whose media are shown instead
OF_FRAMES = ("first", "middle", "last", "shuffled", "frozen")  # inputs that change the order or the choice of frames


def is_ablated(settings_or_ask: AskSettings | Ask) -> bool:
    """Check whether pictures are shown, but not as planned by the protocol."""
    return settings_or_ask.input not in ("full", "blind")


def as_asked_in_full(ask: Ask) -> Ask:
    """Return an ask whose input is known to the protocol."""
    return replace(ask, input="full") if is_ablated(ask) else ask


def refuse_impossible(settings: AskSettings) -> None:
    """Refuse settings that contradict the input.

    Raises:
        InputError: If the input changes frames, but no frames are sent, or their stated times would reveal their order.
    """
    if settings.input in OF_FRAMES and settings.clips == "video":
        raise InputError(
            f"--input {settings.input}: cannot be combined with --clips video, which sends whole clips: omit one of "
            "the two flags"
        )
    if settings.input in ("shuffled", "frozen") and settings.frames_as is not None:
        raise InputError(
            f"--input {settings.input}: cannot be combined with --frames-as, because the stated times of the frames "
            "would reveal their order: omit one of the two flags"
        )


def make_asks(
    family: Family, question: Question, settings: AskSettings, facts: MediaFacts, donors: "Donors"
) -> list[tuple[Ask, Question]]:
    """Make the asks of a question, each with its shown question.

    A shown question has the media that the ask shows: its own media, or the media of another scene.

    Raises:
        InputError: If the input would not change the ask, or no other scene has such a question.
    """
    if not is_ablated(settings):
        return [(ask, question) for ask in family.protocol.asks(question, settings, facts)]
    donor = donors.of(question) if settings.input == "swapped" else None
    shown = question if donor is None else replace(question, media=donor.media)
    asks = family.protocol.asks(shown, settings.model_copy(update={"input": "full"}), facts)
    return [(_ablated(ask, settings, donor), shown) for ask in asks]


def shown_media(ask: Ask, question: Question, questions: Mapping[str, Question]) -> Question:
    """Return the question with the media that the ask shows.

    ``questions`` maps ids to all questions of the benchmark.
    """
    donor = dict(ask.wording).get(MEDIA_OF)
    return question if donor is None else replace(question, media=questions[donor].media)


def _ablated(ask: Ask, settings: AskSettings, donor: Question | None) -> Ask:
    named = replace(ask, id=f"{ask.id}#{settings.input}", input=settings.input)
    if donor is not None:
        return replace(named, wording=(*ask.wording, (MEDIA_OF, donor.id)))
    if not any(plan is not None and len(plan.indices) > 1 for plan in ask.plans):
        raise InputError(
            f"--input {settings.input}: question {ask.question!r} shows no clip with several frames, so nothing would "
            "change: exclude its task with --task, or use --input full"
        )
    change = _CHANGES[settings.input]
    return replace(named, plans=tuple(None if plan is None else _changed(plan, change) for plan in ask.plans))


def _changed(plan: FramePlan, change: Callable[[FramePlan], Sequence[int]]) -> FramePlan:
    """Show the frames at some positions of a plan, in order."""
    places = change(plan)
    times = tuple(plan.times[place] for place in places) if plan.times else ()
    return replace(plan, indices=tuple(plan.indices[place] for place in places), times=times)


def _shuffled(plan: FramePlan) -> list[int]:
    """Return the positions of the frames in random order.

    All orders are equally likely. The order depends only on the plan, so all questions about a clip show the same
    order, and their prompts can share a prefix.
    """
    generator = np.random.default_rng(int(sha256_bytes(f"shuffled {plan.key}".encode())[:16], 16))
    return generator.permutation(len(plan.indices)).tolist()


def _middle(plan: FramePlan) -> int:
    return (len(plan.indices) - 1) // 2


_CHANGES: dict[str, Callable[[FramePlan], Sequence[int]]] = {
    "first": lambda plan: (0,),
    "middle": lambda plan: (_middle(plan),),
    "last": lambda plan: (len(plan.indices) - 1,),
    "shuffled": _shuffled,
    "frozen": lambda plan: (_middle(plan),) * len(plan.indices),
}


@dataclass(frozen=True)
class _Shown:
    """Media in the order of their hashes, with the first question that shows them."""

    order: str
    question: Question


class Donors:
    """Finds the question of another scene whose media are shown instead.

    Both questions have the same task, the same variant, and media of the same kinds and roles. The media of a task are
    sorted by a hash, and each media are replaced by the next media of another scene. So almost all media are shown
    equally often, and questions about one clip show the same other clip.
    """

    def __init__(self, questions: Sequence[Question]) -> None:
        groups: dict[tuple[object, ...], dict[tuple[MediaItem, ...], Question]] = {}
        for question in questions:
            groups.setdefault(_form(question), {}).setdefault(question.media, question)
        self._rings = {
            form: sorted((_Shown(_order(question), question) for question in of.values()), key=lambda one: one.order)
            for form, of in groups.items()
        }

    def of(self, question: Question) -> Question:
        """Return the question whose media are shown instead.

        Raises:
            InputError: If the question has no media, or no other scene has a question of the same form.
        """
        ring = self._rings[_form(question)] if question.media else []
        own = next((place for place, one in enumerate(ring) if one.question.media == question.media), 0)
        for other in (*ring[own + 1 :], *ring[:own]):
            if other.question.cluster != question.cluster:
                return other.question
        raise InputError(
            f"--input swapped: no other scene has a question of task {question.task!r} with the same kinds of media as "
            f"question {question.id!r}: exclude its task with --task, or use --input blind"
        )


def _form(question: Question) -> tuple[object, ...]:
    return (question.task, question.variant, tuple((item.role, item.kind) for item in question.media))


def _order(question: Question) -> str:
    media = [[list(item.paths), item.start, item.end] for item in question.media]
    return sha256_bytes(canonical_json(media).encode())
