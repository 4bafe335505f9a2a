"""Batch jobs: their wire formats, and the client that sends and fetches them."""
