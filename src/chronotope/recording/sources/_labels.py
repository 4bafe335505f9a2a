"""Labels of data sets as a person would say them."""

import re

__all__ = ["kind_of", "plain_label"]

# What a stranger may take for a thing of another word: the kind that both are of.
_KINDS = {
    "armchair": "chair",
    "loveseat": "couch",
    "sofa": "couch",
    "bookshelf": "shelf",
    "bookcase": "shelf",
    "bookshelves": "shelf",
    "shelves": "shelf",
    "nightstand": "table",
    "endtable": "table",
    "television": "tv",
    "fridge": "refrigerator",
    "wastebasket": "trash can",
    "garbage bin": "trash can",
    "trash bin": "trash can",
    "recycling bin": "trash can",
    "dustbin": "trash can",
}


def plain_label(name: str) -> str:
    """The words of a label in small letters: "Flower_pot " is a "flower pot"."""
    return re.sub(r"[\s_]+", " ", name).strip().lower()


def kind_of(label: str) -> str:
    """The kind of a plain label: what things with other words for the same share, else the label itself."""
    return _KINDS.get(label, label)
