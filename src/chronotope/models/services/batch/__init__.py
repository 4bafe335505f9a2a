"""Batch jobs: their forms, and the client that sends and fetches them."""
