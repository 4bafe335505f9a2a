"""Pages of a manual: wordless line drawings of the steps of an assembly.

Points of a page are in px: x to the right, y down, from the upper left corner of the page.
"""
