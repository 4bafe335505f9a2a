"""Readers of TUM RGB-D, for folders with pictures and for trajectories without pictures."""
