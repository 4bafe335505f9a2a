"""A model on a Ray cluster: each worker has the weights, and answers one group of questions at a time."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from math import ceil
from typing import Any

from chronotope.errors import InputError
from chronotope.media import Encoded
from chronotope.models.model import PictureBytes
from chronotope.models.services.availability import Trouble
from chronotope.models.transformers.answers import Answered, ClipAnswers, Sharing
from chronotope.models.transformers.desks import Prompts
from chronotope.models.transformers.local import LocalModel, load
from chronotope.models.transformers.settings import LocalSettings
from chronotope.pool import TRIES, Actor, Actors, LostError, chosen_actors
from chronotope.protocol import Part, Picture, Video, media_of

MANY = 64  # workers of a cluster whose size is not known yet
PREFIXES = 8  # groups in flight of one server (see `chronotope.evaluate.run.admission`)

Shown = Picture | Video


class OnCluster:
    """The workers of a cluster, as desks."""

    def __init__(self, local: LocalModel) -> None:
        settings = local.sources.settings
        # Pictures of the next groups are made while the workers answer.
        self.servers = ceil(2 * (settings.workers or MANY) / PREFIXES)
        self.batch = settings.batch
        self.remarks: tuple[str, ...] = ()
        self._clips = count()
        self.actors = actors_of(local, Answerer, "all answers so far are kept")

    @asynccontextmanager
    async def desk(self) -> AsyncIterator["ClusterDesk"]:
        """Wait for a free worker."""
        desk = ClusterDesk(self, self.actors, await self.actors.take())
        try:
            yield desk
        finally:
            await desk.leave()

    def number(self) -> int:
        """Return the number of the next group."""
        return next(self._clips)

    def remark(self, remarks: Sequence[str]) -> None:
        """Add the sentences of a worker."""
        self.remarks = tuple(dict.fromkeys((*self.remarks, *remarks)))

    def trouble(self) -> Trouble | None:
        """Return the current problem of the cluster."""
        told = self.actors.trouble
        return None if told is None else Trouble("nobody", told)

    async def close(self) -> None:
        """End the workers."""
        await self.actors.close()


class ClusterDesk:
    """One worker, or the worker that replaces it."""

    def __init__(self, desks: OnCluster, actors: Actors, actor: Actor) -> None:
        self.desks, self.actors, self.actor = desks, actors, actor

    def clip(self, prefix: Sequence[Part], pictures: PictureBytes) -> "ClusterClip":
        """Begin with a group."""
        return ClusterClip(self, self.desks.number(), prefix, pictures)

    async def other(self) -> None:
        """Take another worker, because this one was lost."""
        self.actor = await self.actors.take()

    async def leave(self) -> None:
        """Let other groups use the worker."""
        await self.actors.give(self.actor)


class ClusterClip:
    """A group that a worker answers; if the worker is lost, another one answers the same questions."""

    def __init__(self, desk: ClusterDesk, number: int, prefix: Sequence[Part], pictures: PictureBytes) -> None:
        self._desk, self._number, self._prefix, self._pictures = desk, number, prefix, pictures
        self._on: Actor | None = None  # the worker that has the prefix
        self._there: set[Shown] = set()  # the pictures that this worker has

    async def answer(self, prompts: Prompts) -> Sequence[Answered]:
        """Answer some prompts together, in their order.

        Raises:
            InputError: If the workers are lost again and again.
        """
        shown = {one for parts, _ in prompts for one in media_of(parts)}
        why: object = None
        for _ in range(TRIES):
            actor = self._desk.actor
            if self._on is not actor:
                self._on, self._there = actor, set()
            new = {one: self._pictures(one) for one in shown - self._there}
            try:
                answers, remarks = await self._desk.actors.call(
                    actor, "answer", self._number, self._prefix, new, prompts
                )
            except LostError as error:
                why = error
                await self._desk.other()
                continue
            self._there |= set(new)
            self._desk.desks.remark(remarks)
            return answers
        raise InputError(
            f"{TRIES} workers of the cluster were lost over the same questions, usually because memory ran out ({why})",
            fix="give each node more memory, or ask fewer questions together with --set batch=N",
        )

    async def close(self) -> None:
        """Let the worker drop the prefix, after the questions in flight."""
        if self._on is not None and not self._on.is_lost:
            self._desk.actors.send(self._on, "close", self._number)


@dataclass(frozen=True)
class Copied:
    """What a worker needs to load a copy of a model: its place, its settings there, and the identity of its weights."""

    place: str
    settings: LocalSettings
    identity: Mapping[str, Any]

    def load(self) -> LocalModel:
        """Load the model with its weights, before the first work waits for them.

        Raises:
            InputError: If the weights are other ones than those of the caller.
        """
        local = load(self.place, self.settings)
        if dict(local.sources.identity) != dict(self.identity):
            raise InputError("the weights here differ from those of this machine", where=self.place, fix="copy them")
        _ = local.model
        return local


def actors_of(local: LocalModel, make: Callable[[Copied], object], kept: str) -> Actors:
    """Return the workers of a cluster, each with a copy of a model.

    ``make`` makes the object of a worker, which has the copy. ``kept`` states, for errors, what stays after a failure.

    Raises:
        InputError: If the device cannot be one of a worker.
    """
    settings, dtype = local.sources.settings, str(local.dtype).removeprefix("torch.")
    if settings.device not in (None, "cpu", "cuda"):
        raise InputError(
            f"--set device={settings.device}: each worker of a cluster sees only its own GPU",
            expected="cuda or cpu",
            fix="omit it",
        )
    there = settings.model_copy(update={"on": None, "workers": None, "dtype": dtype})
    copied = Copied(local.sources.place, there, local.sources.identity)
    on_gpus = settings.device != "cpu"
    return chosen_actors(settings.on, settings.workers, partial(make, copied), on_gpus=on_gpus, kept=kept)


class Answerer:
    """The object of a worker: the model with its weights, and the groups at work."""

    def __init__(self, copied: Copied) -> None:
        self._local, self._sharing = copied.load(), Sharing(copied.settings.batch)
        self._groups: dict[int, tuple[dict[Shown, Encoded], ClipAnswers]] = {}

    def answer(
        self, number: int, prefix: Sequence[Part], new: Mapping[Shown, Encoded], prompts: Prompts
    ) -> tuple[list[Answered], tuple[str, ...]]:
        """Answer some prompts of a group; ``new`` are the pictures that the worker does not have yet."""
        if number not in self._groups:
            pictures: dict[Shown, Encoded] = {}
            self._groups[number] = pictures, ClipAnswers(self._local, prefix, pictures.__getitem__, self._sharing)
        pictures, answers = self._groups[number]
        pictures.update(new)
        made = [_without_logits(one) for one in answers.answer(prompts)]
        return made, self._sharing.remarks

    def close(self, number: int) -> None:
        """Drop a group."""
        _, answers = self._groups.pop(number, (None, None))
        if answers is not None:
            answers.close()


def _without_logits(answered: Answered) -> Answered:
    """Leave out the logits, which no reply needs."""
    return answered if answered.reply is None else replace(answered, reply=replace(answered.reply, first=None))
