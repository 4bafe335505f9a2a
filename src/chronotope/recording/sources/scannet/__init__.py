"""Read ScanNet."""
