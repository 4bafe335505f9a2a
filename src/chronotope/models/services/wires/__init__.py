"""The forms of requests, one module for each."""
