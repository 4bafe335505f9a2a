"""Options in several orders: circular accuracy, accuracy by letter, and the letters that were chosen."""

from collections.abc import Iterator

from chronotope.report.compared_runs.variant_scores import distinct
from chronotope.report.plots.run_plots import position_plot
from chronotope.report.section import Section
from chronotope.report.table import Block, Cell, Fold, Part, Plot, run_table, score_cell
from chronotope.view.words import count, percent

PLACE = 90


def make(section: Section) -> Part:
    """Show what the order of the options changes."""
    return Part(tuple(_folds(section)), data={})


def _folds(section: Section) -> Iterator[Fold]:
    # Only these runs asked each question with the correct option under every letter.
    placed = [row for row in section.rows if row.scores.circular is not None]
    if placed:
        words = (
            "These questions were asked with their options in several orders; each question in one order is one ask. "
            "“Each placement” is the mean over all asks (position-level accuracy). “Every placement” counts a question "
            "as correct only if it was answered correctly in all orders (circular)."
        )
        columns = ["each placement", "every placement", "chance of every"]
        rows = [
            (row, [score_cell(row.scores.position, "asks"), score_cell(circular), _chance(circular.chance)])
            for row in placed
            if (circular := row.scores.circular) is not None
        ]
        table = run_table(section.label("Placements"), columns, rows, (words,))
        yield Fold("Placements", (table,), "options in several orders")
    asks, unit = ("asks (each question in one order)", "asks") if placed else ("questions", "q")
    if letters := sorted(distinct(row.scores.positions for row in section.rows)):
        words = (
            f"Accuracy in percent over the {asks} whose correct option has this letter. A model without a preference "
            "for letters has the same accuracy under every letter."
        )
        rows = [
            (row, [score_cell(row.scores.positions.get(letter), unit) for letter in letters]) for row in section.rows
        ]
        label = section.label("Accuracy by the letter of the right option")
        blocks: list[Block] = [run_table(label, letters, rows, (words,))]
        plot = position_plot([row.plot_name for row in placed], [row.scores.positions for row in placed])
        if plot is not None:
            blocks.append(Plot(section.label("Plot by the letter of the right option"), plot))
        yield Fold("By the letter of the correct option", tuple(blocks))
    if letters := distinct(row.scores.letters for row in section.rows):
        words = (
            f"The number of times that each letter was chosen and, in brackets, the number of {asks} whose correct "
            "option has this letter."
        )
        rows = [
            (row, [_chosen(row.scores.letters, row.scores.right_letters, letter) for letter in letters])
            for row in section.rows
        ]
        yield Fold("Letters chosen", (run_table(section.label("Letters chosen"), letters, rows, (words,)),))


def _chance(value: float | None) -> Cell:
    return Cell(percent(value), value)


def _chosen(chosen: dict[str, int], right: dict[str, int], letter: str) -> Cell:
    if letter not in chosen:
        return Cell()
    small = (f"(correct {count(right[letter])})",)
    return Cell(count(chosen[letter]), chosen[letter], small=small, kind="wraps")
