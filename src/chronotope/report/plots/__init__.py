"""The plots of a report, as SVG text."""
