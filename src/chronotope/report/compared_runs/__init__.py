"""The runs of a report: their names, marks, notes, rows of scores and differences."""
