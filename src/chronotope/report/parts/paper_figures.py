"""The plots of the paper, drawn with the runs, and the accuracy by number of frames."""

from chronotope.report.plots.table_plots import frames_figure, table_figures
from chronotope.report.section import Section
from chronotope.report.table import Fold, Part, Plot

PLACE = 70


def make(section: Section) -> Part:
    """Draw the plots that the family defines for its tables, and the accuracy by number of frames."""
    by_frames = frames_figure(section.rows, section.forms[0].variant)
    figures = [*table_figures(section.rows), *([] if by_frames is None else [by_frames])]
    folds = (Fold(one.title, (Plot(section.label(one.title), one.svg, one.words),)) for one in figures)
    return Part(tuple(folds), data={})
