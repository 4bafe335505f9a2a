"""Check whether a service sees all pictures and videos, and in order."""
