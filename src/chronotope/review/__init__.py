"""The review of a benchmark: passes of a model over its questions, and the folder without the dropped questions."""
