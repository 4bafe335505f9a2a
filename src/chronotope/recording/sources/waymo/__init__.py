"""Read the Waymo Open Dataset, in both of its forms."""
