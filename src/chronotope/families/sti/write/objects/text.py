"""The wording of stems about things (specification, 6a to 6g; the words are our own)."""

__all__ = ["STEMS"]

STEMS = {
    "length": "What is the length of {0}, that is, the longer horizontal side of the upright box that just holds it?",
    "width": "What is the width of {0}, that is, the shorter horizontal side of the upright box that just holds it?",
    "height": "What is the height of {0}, from its lowest to its highest point?",
    "gap": "How wide is the smallest gap between {0} and {1}, each taken as the upright box that just holds it?",
    "centre-distance": "How far apart are the centres of {0} and {1}, that is, the middles of the upright boxes that "
    "just hold them?",
    "gap-at": "At t = {t}, how wide is the smallest gap between {0} and {1}, each taken as the upright box that just "
    "holds it?",
    "centre-distance-at": "At t = {t}, how far apart are the centres of {0} and {1}, that is, the middles of the "
    "upright boxes that just hold them?",
    "camera-distance": "At t = {t}, how far is the camera from the centre of {0}, that is, from the middle of the "
    "upright box that just holds it?",
    "relation": "At t = {t}, seen from the camera, which says best where {0} is relative to {1}: Left, Right, Up, "
    "Down, Front (nearer to the camera) or Back (farther from the camera)?",
    "bearing-car": "At t = {t}, in which direction from this car, as its driver faces, is {0}?",
    "bearing-camera": "At t = {t}, in which direction from the camera, as it looks, is {0}, seen from above?",
    "thing-trajectory": "Which of these describes the way that {0} travels during this period? Distances are measured "
    "along the way, and turns are as seen from above.",
    "thing-displacement": "What is the straight-line distance between where {0} is at the start and where it is at the "
    "end of this period?",
    "thing-path-length": "How long is the way that {0} travels during this period, measured along its path?",
    "thing-average-speed": "What is the average speed of {0} during this period (the length of the way it travels "
    "divided by the time)?",
    "thing-speed": "How fast is {0} moving at t = {t}?",
    "thing-average-acceleration": "What is the average acceleration of {0} during this period (its speed at the end "
    "minus its speed at the start, divided by the time; negative if it slows down)?",
    "thing-acceleration": "At what rate does the speed of {0} change at t = {t} (negative if it is slowing down)?",
    "nearest": "At t = {t}, which of these five things is nearest to the camera, measured to the thing's centre?",
}
