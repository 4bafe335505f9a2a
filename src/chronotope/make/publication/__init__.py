"""Publishing of a benchmark on a hub: its page, its Croissant metadata, its tasks, checksums, and the upload."""
