"""Data from and to other places: downloads, archives, released data of a paper, and exports in its layout."""
