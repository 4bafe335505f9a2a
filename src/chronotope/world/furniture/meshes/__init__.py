"""Products from the meshes of IKEA Manuals at Work: their parts in place, and the groups that each step joins."""
