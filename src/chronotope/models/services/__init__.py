"""Models behind a service: its requests, its key, and what it says."""
