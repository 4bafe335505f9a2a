"""Interiors that several kinds of worlds share: tables and small furniture, and the rooms and lights around them."""
