"""A run that is extended asks only what is new, and never the same thing twice."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from hardness_tools import (
    ANEW,
    Service,
    asked,
    assert_whole,
    chronotope,
    questions_about,
    readings,
    right_texts,
    run_words,
    twin,
    write_bench,
)

from chronotope.question import open_benchmark


def test_more_questions_orders_and_variants(serve: Callable[..., Service], tmp_path: Path) -> None:
    base = questions_about(5, 12)
    write_bench(tmp_path / "bench", base)
    made = chronotope("vary", tmp_path / "bench", "--variant", "none_answer", "--out", tmp_path / "varied")
    assert made.code == 0, made.err
    counts = Counter(question.variant for question in open_benchmark(tmp_path / "varied").questions)
    assert counts == {"base": 60, "none_answer": 60}
    service = serve(right_texts(base))
    run = tmp_path / "run"
    steps = [
        (("--variant", "base", "--limit", 50), 50, 0),
        (("--variant", "base"), 10, 50),
        (("--variant", "base", "--placement", "rotate"), 3 * 60, 60),
        (("--variant", "none_answer"), 60, 0),
        (("--placement", "rotate"), 2 * 60, 5 * 60),  # none of these stays last: three orders, one of them asked
        (("--variant", "base", "--placement", "swap"), 3 * 60, 60),  # no swap of two options is a rotation of four
        ((), 0, 2 * 60),
    ]
    total = 0
    for words, new, old in steps:
        before = readings(run) if total else {}
        command = run_words(tmp_path / "varied", service.url, *words, out=run)
        outcome = asked(chronotope(*command) if new else chronotope(*command, by=ANEW))
        total += new
        assert (outcome["asked"], outcome["already"]) == (new, old), words
        sent = Counter(request["body"] for request in service.requests())
        assert len(sent) == sent.total() == total, words
        assert outcome["accuracy"]["value"] == 1
        after = readings(run)
        assert len(after) >= total and {ask: after[ask] for ask in before} == before
    assert_whole(run)


def test_questions_that_send_the_same_are_sent_once(serve: Callable[..., Service], tmp_path: Path) -> None:
    base = questions_about(4, 5)
    twins = [twin(question) for question in base[:7]]
    bench = write_bench(tmp_path / "bench", [*base, *twins])
    service = serve(right_texts(base))
    run = tmp_path / "run"
    words = run_words(bench, service.url, "--placement", "rotate", out=run)
    outcome = asked(chronotope(*words))
    assert outcome["asked"] == len(service.requests()) == 4 * len(base)
    assert outcome["states"] == {"replied": 4 * (len(base) + len(twins))}
    assert outcome["accuracy"]["items"] == len(base) + len(twins)
    assert outcome["accuracy"]["clusters"] == 8, "a twin counts where it belongs"
    read = readings(run)
    assert all(read[one.id] == read[one.id.removesuffix("-twin")] for one in twins)
    again = asked(chronotope(*words, by=ANEW))
    assert (again["asked"], len(service.requests())) == (0, 4 * len(base))
    assert_whole(run)
