"""Assembly of products by a person, and films of it.

A take has a shot for each group of parts that a step brings in.
"""
