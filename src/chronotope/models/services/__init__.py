"""Models behind a service: its requests, its key, and its responses."""
