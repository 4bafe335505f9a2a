"""The runs of a report beside the published rows of papers."""
