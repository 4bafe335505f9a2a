"""Jobs that ask a model to describe things, and variants of questions."""
