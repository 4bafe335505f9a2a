"""Readers of the Waymo Open Dataset, for both of its formats."""
