"""Read KITTI odometry: its folders and its bare trajectories."""
