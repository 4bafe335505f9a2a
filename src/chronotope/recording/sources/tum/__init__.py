"""Read TUM RGB-D: its folders and its bare trajectories."""
