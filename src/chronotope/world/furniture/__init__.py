"""Furniture that is assembled from parts: designs, an order of assembly that is possible, and pages of a manual.

Lengths are in m. A product stands on z = 0 in its own frame, with its front along +x.
"""
