"""The check whether all pictures and videos reach a model, in order."""
