"""Let people review a benchmark: begin a study, serve its pages, and use its results."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from chronotope.api.benchmarks import Benchmark
from chronotope.api.benchmarks import open as open_folder
from chronotope.api.checked_settings import as_path
from chronotope.errors import InputError
from chronotope.io import canonical_json, write_atomically
from chronotope.question import Benchmark as Folder
from chronotope.review.filters import (
    FILTERS,
    View,
    apply_records,
    keep_record,
    read_records,
    record_folder,
    write_filtered,
)

if TYPE_CHECKING:
    from chronotope.review.people.figures import StageFigures
    from chronotope.review.store import Database
    from chronotope.review.studies import Study
    from chronotope.review.studies.figure_table import KindFigures
    from chronotope.review.studies.giving import Case

PORT = 8765  # so that invitations stay valid when the server is started again
REJECTED, REVIEWS, UNDECIDED = "rejected.jsonl", "reviews.jsonl", "undecided.jsonl"


@dataclass(frozen=True)
class Assigned:
    """A study that has begun, with the invitations of its people by their names.

    ``each`` has the fewest and the most assignments of a person.
    """

    study: str
    people: int
    items: int
    assignments: int
    new: bool
    invitations: dict[str, str]
    each: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Resolved:
    """The result of a study so far: its view of the benchmark, and the numbers of open splits and missing verdicts.

    ``outside`` counts the base questions that are not in the study, such as those beyond its limit; they stay.
    """

    view: View
    splits: int
    waiting: int
    folder: Path
    outside: int = 0


def opened_storage(
    bench: Folder | Path | str, record: Path | str | None, database: str | None
) -> "tuple[Folder, Database]":
    """Open a whole benchmark, and the storage of its studies.

    Raises:
        InputError: If one cannot be opened, or the extra ``review`` is not installed.
    """
    from chronotope.review.app import require_app

    require_app("review")
    from chronotope.review.store import open_database, review_folder

    folder = bench if isinstance(bench, Folder) else open_folder(bench)
    if isinstance(folder, Benchmark) and folder.whole is not None:
        raise InputError("is a part of a benchmark", where="bench", expected="a whole benchmark")
    place = review_folder(folder.folder) if record is None else as_path(record, "record")
    return folder, open_database(place, database)


def _url(public_url: str | None, host: str, port: int) -> str:
    """Return the beginning of all addresses.

    Raises:
        InputError: If the public address cannot be used, or is missing although the server listens on all addresses.
    """
    if public_url is None and host in ("0.0.0.0", "::"):
        raise InputError(
            f"{host}: is not an address that others can open", where="host",
            fix="add --public-url, such as http://NAME:8765 with the name of this machine",
        )  # fmt: skip
    if public_url is None:
        return f"http://{f'[{host}]' if ':' in host else host}:{port}"
    parts = urlsplit(public_url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.query:
        raise InputError(f"{public_url!r}", where="public_url", expected="such as https://review.example.org")
    return public_url.rstrip("/")


def assign_study(
    bench: Folder | Path | str,
    study: Path | str,
    *,
    limit: int | None = None,
    record: Path | str | None = None,
    database: str | None = None,
    host: str = "127.0.0.1",
    port: int = PORT,
    public_url: str | None = None,
    days: int = 30,
) -> Assigned:
    """Begin a study about a benchmark, and return the invitations of its people.

    ``study`` is a YAML file, or the name of a template. A study that has begun before stays as it is. ``limit`` is
    the most questions of a review, in place of the limit of the study. ``record`` is the
    folder of the storage (default: ``BENCHMARK.review`` beside the benchmark), and ``database`` the URL of a PostgreSQL
    database. ``host``, ``port``, ``public_url`` and ``days`` are as in `serve_review`.

    Raises:
        InputError: If the study is not valid, or somebody takes part in two studies that must be disjoint.
    """
    from chronotope.review.app import require_app

    require_app("review")
    from chronotope.review.studies import read_study

    where = {"record": record, "database": database}
    address = {"host": host, "port": port, "public_url": public_url, "days": days}
    return begin_study(bench, _limited(read_study(study), limit), **where, **address)


def _limited(study: "Study", limit: int | None) -> "Study":
    """Return a study with another limit.

    Raises:
        InputError: If the study is of a kind that has no limit.
    """
    if limit is None:
        return study
    if not hasattr(study, "limit"):
        raise InputError(
            f"a study of the kind {study.kind} has no limit of questions", where="limit",
            fix="set `clips_per_task` of a human baseline, `sets` of a ranking, `intact` and `planted` of practice",
        )  # fmt: skip
    if limit < 1:
        raise InputError(f"{limit}", where="limit", expected="at least 1")
    return study.model_copy(update={"limit": limit})


def begin_study(
    bench: Folder | Path | str,
    study: "Study",
    *,
    cases: "Sequence[Case]" = (),
    record: Path | str | None,
    database: str | None,
    host: str,
    port: int,
    public_url: str | None,
    days: int,
) -> Assigned:
    """Begin a declared study; ``cases`` are the answers of a run that people label (see `assign_study`).

    Raises:
        InputError: In the same cases as `assign_study`.
    """
    folder, opened = opened_storage(bench, record, database)
    from chronotope.review.studies.enrolment import enrol

    found = enrol(opened, folder, study, cases)
    names = ["owner", *found.study.adjudicators, *found.study.people]
    invitations = _invitations(folder, opened, _url(public_url, host, port), days, names)
    return Assigned(found.study.study, found.people, found.items, found.assignments, found.new, invitations, found.each)


def _invitations(folder: Folder, opened: "Database", url: str, days: int, names: Sequence[str]) -> dict[str, str]:
    from sqlalchemy import select

    from chronotope.review.app.review_state import Review
    from chronotope.review.store import Person

    review = Review(opened, folder, opened.folder, url, days=days)
    with opened.reading() as session:
        people = {one.name: one for one in session.scalars(select(Person).where(Person.name.in_(names)))}
        return {name: review.invitation(people[name]) for name in names if name in people}


def serve_review(
    bench: Folder | Path | str,
    *,
    record: Path | str | None = None,
    database: str | None = None,
    host: str = "127.0.0.1",
    port: int = PORT,
    public_url: str | None = None,
    days: int = 30,
    browser: bool = True,
    say: Callable[[str], None] | None = None,
    ready: Callable[[str], None] | None = None,
) -> None:
    """Serve the pages of all studies about a benchmark, until the user presses Ctrl-C.

    By default, only this machine can reach the server. With another ``host``, or with ``public_url``, such as
    ``https://review.example.org`` of a proxy that ends TLS, others can, and ``say`` warns about it. Invitations are
    valid for ``days``. ``browser`` opens the page of the owner. ``ready`` is called with the address of this page as
    soon as the server answers; by default, ``say`` tells it. The other parameters are as in `assign_study`.

    Raises:
        InputError: If no study has begun, or the port is in use.
        KeyboardInterrupt: If the user pressed Ctrl-C. Every verdict is stored.
    """
    folder, opened = opened_storage(bench, record, database)
    from chronotope.review.app.review_app import review_app
    from chronotope.review.app.review_state import Review
    from chronotope.review.app.serving import Address, open_socket, serve, url_of

    say = say or print
    beginning = _url(public_url, host, port)
    address = Address(host, port, None if public_url is None else beginning)
    invitations = _invitations(folder, opened, "", days, ["owner"])
    if not invitations:
        raise InputError("has no study yet", where=str(folder.folder), fix="begin one with `chronotope review assign`")
    listening = open_socket(address)
    url = url_of(address, listening)
    if address.exposed:
        say(
            f"warning: other machines can reach {url}. Whoever has an invitation comes in; only HTTPS, such as behind "
            "a proxy, keeps invitations and verdicts secret on the way"
        )
    owner = f"{url}{invitations['owner']}"
    names = {name for name in (host, urlsplit(url).hostname, "localhost", "127.0.0.1") if name}
    with TemporaryDirectory() as frames:
        review = Review(opened, folder, Path(frames), url, sorted(names), days)
        serve(
            review_app(review), listening, opened=owner if browser else None,
            started=lambda: ready(owner) if ready is not None else say(f"the owner's page: open {owner}"),
        )  # fmt: skip


def study_report(
    bench: Folder | Path | str,
    study: str | None = None,
    *,
    record: Path | str | None = None,
    database: str | None = None,
    out: Path | str | None = None,
) -> "list[StageFigures | KindFigures]":
    """Compute the figures of a study.

    Of quality control, these are retention, raw agreement and kappas with their intervals, stage by stage. Of the other
    kinds, they are tables: mean ranks and shares judged fake, rejections by round and cell, right verdicts in practice,
    or labels and agreement.

    ``study`` can be omitted if there is only one. With ``out``, the figures are also written to this file, as a page.

    Raises:
        InputError: If there is no such study.
    """
    folder, opened = opened_storage(bench, record, database)
    from chronotope.review.people import find_study
    from chronotope.review.people.figures import study_figures

    _go_on(opened, folder, study)
    with opened.reading() as session:
        row = find_study(session, study)
        found, name = study_figures(session, row, folder.card.family), row.name
    if out is not None:
        from chronotope.review.app.page_parts import written_report

        with write_atomically(as_path(out, "out")) as temporary:
            Path(temporary).write_text(written_report(folder.card.name, name, found), encoding="utf-8")
    return found


def _go_on(opened: "Database", folder: Folder, study: str | None) -> None:
    """Add what follows in rounds of filtering, if a server was killed before it did."""
    from chronotope.review.people import find_study
    from chronotope.review.studies.rounds import continue_rounds

    with opened.reading() as session:
        row = find_study(session, study)
        kind, name = row.kind, row.name
    if kind == "filter-rounds":
        continue_rounds(opened, folder, name)


def resolve_study(
    bench: Folder | Path | str,
    study: str | None = None,
    *,
    record: Path | str | None = None,
    database: str | None = None,
    filters: Path | str | None = None,
) -> Resolved:
    """Write the decisions of people beside those of models' passes, and return the questions that remain.

    An item is kept if all its reviewers accept it, or if an adjudicator keeps it; in rounds of filtering, a question is
    kept if every round and inspection accepts it. ``filters`` is the folder of
    decisions (default: ``BENCHMARK.filters``).

    Raises:
        InputError: If there is no such study, or the decisions there are about another version of the benchmark.
    """
    folder, opened = opened_storage(bench, record, database)
    from chronotope.review.people import find_study, open_splits, records_of, reviewed_items
    from chronotope.review.people.told_items import count_outside
    from chronotope.review.studies.items import base_questions, shown_by

    _go_on(opened, folder, study)
    place = record_folder(folder.folder) if filters is None else as_path(filters, "filters")
    place.mkdir(parents=True, exist_ok=True)
    for one in records_of(opened, folder, study):
        keep_record(place, folder, one)
    with opened.reading() as session:
        items = reviewed_items(session, find_study(session, study))
        splits, waiting = len(open_splits(items)), sum(one.judged is None for one in items)
        outside = count_outside(items, {one.id: shown_by(one) for one in base_questions(folder)})
    view = apply_records(folder.questions, read_records(place, folder))
    return Resolved(view, splits, waiting, place / FILTERS, outside)


def export_study(
    bench: Folder | Path | str,
    out: Path | str,
    study: str | None = None,
    *,
    record: Path | str | None = None,
    database: str | None = None,
    filters: Path | str | None = None,
    partial: bool = False,
) -> Path:
    """Write the result of a study: a new version of the benchmark, or the run of the people.

    Of quality control, ``out`` is a new folder without the rejected questions, which ``rejected.jsonl`` lists with the
    reasons, and with who settled a split and why. ``reviews.jsonl`` has what each reviewer answered and decided, and
    ``undecided.jsonl`` the items without a final decision, if there are any. Of a human baseline, ``out`` is a run
    folder. With ``partial``, a study can be exported before it has ended: questions without all verdicts stay, and
    splits that nobody has settled are left out.

    Raises:
        InputError: If ``out`` exists, or the study has not ended.
    """
    folder, opened = opened_storage(bench, record, database)
    from chronotope.review.people import find_study

    target = as_path(out, "out")
    with opened.reading() as session:
        row = find_study(session, study)
        kind, name = row.kind, row.name
    if kind == "human-baseline":
        from chronotope.review.people.human_answers import write_human_run

        return write_human_run(opened, folder, name, target, partial=partial)
    found = resolve_study(folder, name, record=record, database=database, filters=filters)
    if not partial and (found.splits or found.waiting):
        raise InputError(
            f"{found.splits} splits and {found.waiting} items without all verdicts are left", where=name,
            fix="finish the study, or add --partial",
        )  # fmt: skip
    write_filtered(folder, read_records(found.folder.parent, folder), target)
    _write_reviews(folder, opened, name, found.view, target)
    return target


def _write_reviews(folder: Folder, opened: "Database", name: str, view: View, target: Path) -> None:
    """Write the rejected questions, all that people said, and the items that are not decided yet."""
    from chronotope.review.people import find_study, reviewed_items
    from chronotope.review.people.told_items import decisions_about, item_lines, settled
    from chronotope.review.store import OPEN, SPLIT
    from chronotope.review.studies.items import shown_by

    with opened.reading() as session:
        items = reviewed_items(session, find_study(session, name))
        about = decisions_about(items, {one.id: shown_by(one) for one in folder.questions})
        lines = item_lines(items)
        rejected = [
            {
                "question": key, "pass": one.name, "by": one.model, "reason": one.reason,
                "state": about[key].item.state if key in about else "dropped",
                "settled": settled(about[key]) if key in about else None,
            }
            for key, one in sorted(view.dropped.items())
        ]  # fmt: skip
    undecided = [line for line in lines if line["state"] in (OPEN, SPLIT)]
    files = {REJECTED: rejected, REVIEWS: lines} | ({UNDECIDED: undecided} if undecided else {})
    for file, of in files.items():
        with write_atomically(target / file) as temporary:
            Path(temporary).write_text("".join(f"{canonical_json(line)}\n" for line in of), encoding="utf-8")
