"""Tables that turn labels of data sets into everyday words.

Waymo's labels (vehicle, pedestrian, cyclist, sign) are everyday words already and need no table. Simulated objects
get their names from the catalogue of objects.
"""

import re

ARGOVERSE2 = {
    "articulated bus": "bendy bus",
    "bicyclist": "cyclist",
    "construction barrel": "traffic barrel",
    "construction cone": "traffic cone",
    "message board trailer": "message board on a trailer",
    "mobile pedestrian crossing sign": "pedestrian crossing sign",
    "official signaler": "person directing traffic",
    "railed vehicle": "tram",
    "regular vehicle": "car",
    "traffic light trailer": "traffic light on a trailer",
    "truck cab": "semi-trailer truck",
    "vehicular trailer": "trailer",
    "wheeled device": "scooter or skateboard",
    "wheeled rider": "person on a scooter or skateboard",
}
SCANNET = {
    "bookshelves": "bookshelf",
    "doorframe": "door frame",
    "endtable": "end table",
    "file cabinets": "file cabinet",
    "kitchen cabinets": "kitchen cabinet",
    "rack stand": "rack",
    "shelves": "shelf",
    "tv": "television",
    "wardrobe closet": "wardrobe",
}
OMNI6DPOSE = {
    "beauty blender": "make-up sponge",
    "boxed beverage": "drink carton",
    "bucket noodle": "tub of instant noodles",
    "bumbag": "belt bag",
    "chess": "chess piece",
    "dice": "die",
    "eleocharis dulcis": "water chestnut",
    "facial tissue holder": "tissue box",
    "flash light": "flashlight",
    "garage kit": "figurine",
    "haimian baby": "toy figure",
    "hami melon": "melon",
    "handstamp": "stamp",
    "household blood glucose meter": "blood glucose meter",
    "light": "lamp",
    "microwaveoven": "microwave oven",
    "mousepad": "mouse pad",
    "ornaments": "ornament",
    "pad": "tablet",
    "pencase": "pencil case",
    "rubik cube": "Rubik's cube",
    "scissor": "pair of scissors",
    "shaomai": "dumpling",
    "spanner": "wrench",
    "tooth brush": "toothbrush",
    "tooth paste": "tube of toothpaste",
    "toy animals": "toy animal",
    "tvstand": "television stand",
}

# Maps a label to its kind, for things that people could confuse although their labels differ.
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


def plain_label(name: str, words: dict[str, str] | None = None) -> str:
    """Convert a label to plain words in small letters.

    For example, "Flower_pot " becomes "flower pot". ``words`` is the table for the labels of the data set.
    """
    plain = re.sub(r"[\s_]+", " ", name).strip().lower()
    return (words or {}).get(plain, plain)


def kind_of(label: str) -> str:
    """Return the kind of thing that a plain label names.

    Labels that are different words for the same thing, such as "sofa" and "couch", have the same kind. The kind of
    any other label is the label itself.
    """
    return _KINDS.get(label, label)
