"""The items of a set: a task with a theme, known by both, whatever else is in the set."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chronotope.errors import InputError
from chronotope.io import sha256_bytes, slug
from chronotope.world.kinds.stage.graph import POOLS, PUBLISHED, Theme

CUSTOM = "custom"  # category of a theme that is in no pool
PLACES = 1200  # places in the cycle that themes outside pools get: a multiple of the lengths of all cycles


@dataclass(frozen=True)
class Item:
    """A scene to make: the short code of its task, its theme, and its place in the parameter cycle.

    ``id`` has the task and the theme's id. The place of a theme in its pool is its place in the cycle, so the
    parameters of an item do not change when other items fail or are left out.
    """

    task: str
    theme: Theme
    index: int

    @property
    def id(self) -> str:
        """Return the id of the item."""
        return f"{self.task}--{self.theme.id.replace('/', '--')}"


def benchmark_items(tasks: Sequence[str] = (), per_task: int | None = None, *, is_drawn: bool = False) -> list[Item]:
    """Return the items of a benchmark: each task with the themes of its pool, in their order.

    ``tasks`` are short codes, by default all. With ``is_drawn``, only themes with a set are used, which renderers need.

    Raises:
        InputError: If there is no such task, or a pool has fewer themes than ``per_task``.
    """
    items: list[Item] = []
    for task in tasks or tuple(PUBLISHED):
        if task not in PUBLISHED:
            raise InputError(f"there is no task {task!r}", expected=f"one of {', '.join(PUBLISHED)}")
        pool = POOLS[PUBLISHED[task].theme_pool]
        found = [Item(task, theme, index) for index, theme in enumerate(pool.themes) if theme.is_drawn or not is_drawn]
        if per_task is not None and per_task > len(found):
            raise InputError(f"task {task} has {len(found)} themes, and {per_task} were asked for: ask for fewer")
        items += found[:per_task]
    return items


def custom_item(theme: str, task: str, index: int | None = None) -> Item:
    """Return the item of a user's own theme.

    A theme of the task's pool keeps its place in the cycle. Without ``index``, the place of any other theme follows
    from its words, so that it does not depend on the other themes of a command.

    Raises:
        InputError: If the theme has no letters, or there is no such task.
    """
    if task not in PUBLISHED:
        raise InputError(f"there is no task {task!r}", expected=f"one of {', '.join(PUBLISHED)}")
    name = " ".join(theme.split())
    if not slug(name):
        raise InputError(f"theme {theme!r}: expected a few words, such as 'station square'")
    pool = POOLS[PUBLISHED[task].theme_pool]
    known = pool.named(name)
    if known is not None:
        return Item(task, known, pool.themes.index(known))
    place = int(sha256_bytes(name.casefold().encode())[:8], 16) % PLACES if index is None else index
    return Item(task, Theme(f"{CUSTOM}/{slug(name)}", name, CUSTOM, None), place)


def tasks_with_theme(theme: str) -> Iterator[str]:
    """Yield the tasks whose pool has a theme of this name."""
    for task, of in PUBLISHED.items():
        if POOLS[of.theme_pool].named(theme) is not None:
            yield task
