"""The finished parts of a build and their questions, packed, so that memory hardly grows with the number of parts."""

from array import array
from collections import Counter
from collections.abc import Sequence

from chronotope.errors import InputError
from chronotope.io.packed import Keys, PackedList, chosen
from chronotope.make.jobs.part import Part
from chronotope.question import Question, objects_that_stay

_KEPT_PARTS = 100
_KEPT_QUESTIONS = 500  # they need 5 MB; more are packed


class Gathered:
    """The finished parts of a build, and their questions.

    Parts are added in the order in which they are finished.
    """

    def __init__(self) -> None:
        self._parts, self._names = PackedList[Part](kept=_KEPT_PARTS), list[str]()
        self._questions = PackedList[Question](kept=_KEPT_QUESTIONS)
        self._starts, self._ids = array("L", [0]), Keys()

    def add(self, part: Part) -> None:
        """Add a part, and read its questions."""
        with objects_that_stay():
            for question in part.read_questions():
                self._questions.append(question)
                self._ids.add(question.id)
        self._starts.append(len(self._questions))
        self._parts.append(part)
        self._names.append(part.id)

    def __len__(self) -> int:
        return len(self._parts)

    @property
    def parts(self) -> Sequence[Part]:
        """Return the parts, sorted by their ids."""
        return chosen(self._parts, self._order)

    def questions(self, source: str, subject: str) -> Sequence[Question]:
        """Return the questions, part by part.

        ``source`` and ``subject`` are words for errors: the source of the build, and what a part is made from.

        Raises:
            InputError: If two parts have the same id, or both have a question with the same id.
        """
        repeated = [name for name, n in Counter(self._names).items() if n > 1]
        if repeated:
            raise InputError(f"{source}: two {subject}s have the name {min(repeated)!r}: rename one of their folders")
        if len(self._ids) < len(self._questions):
            self._refuse_equal_ids(source, subject)
        starts = self._starts
        places = array("L")
        for number in self._order:
            places.extend(range(starts[number], starts[number + 1]))
        return chosen(self._questions, places)

    @property
    def _order(self) -> Sequence[int]:
        return sorted(range(len(self._names)), key=self._names.__getitem__)

    def _refuse_equal_ids(self, source: str, subject: str) -> None:
        asked_of: dict[str, str] = {}
        for number in self._order:
            own = self._names[number]
            for place in range(self._starts[number], self._starts[number + 1]):
                name = self._questions[place].id
                other = asked_of.setdefault(name, own)
                if other != own:
                    raise InputError(
                        f"{source}: the {subject}s {other!r} and {own!r} both have a question with the id {name!r}: "
                        "rename one of their folders"
                    )
