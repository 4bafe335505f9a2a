"""Readers of KITTI odometry, for folders with pictures and for trajectories without pictures."""
