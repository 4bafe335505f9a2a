"""Common code of all readers: repair poses, assign times, convert labels and assemble recordings."""
