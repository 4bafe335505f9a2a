"""The wire formats, one module for each."""
