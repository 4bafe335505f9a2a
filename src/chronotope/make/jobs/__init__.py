"""The job of a build: its request, its parts in worker processes, and the benchmark that is assembled from them."""
