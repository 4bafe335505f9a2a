"""The wording of stems about things (the words are our own).

Each sentence refers to one moment. If only a stated time identifies a thing, a first sentence introduces the thing, and
the question calls it "this car".
"""

from collections.abc import Sequence

from chronotope.families.sti.refusal import Code
from chronotope.question import Reason, Refused
from chronotope.recording import Kind
from chronotope.scene import SceneView, Stem, named_stem, noun_of

STEMS = {
    "length": "What is the length of {0}, that is, the longer horizontal side of {box}?",
    "width": "What is the width of {0}, that is, the shorter horizontal side of {box}?",
    "diameter": "What is the diameter of {0} at its widest, as seen from above?",
    "height": "What is the height of {0}, from its lowest to its highest point?",
    "gap": "How wide is the smallest gap between {0} and {1}? {taken}",
    "gap-at": "At t = {t}, how wide is the smallest gap between {0} and {1}? {taken}",
    "centre-distance": "How far is the middle of {0} from the middle of {1}? {middles}",
    "centre-distance-at": "At t = {t}, how far is the middle of {0} from the middle of {1}? {middles}",
    "camera-distance": "At t = {t}, how far is the camera from the middle of {0}? {middles}",
    "relation": "At t = {t}, where is {0} relative to {1}, as seen from the camera? Front means nearer to the "
    "camera, Back farther from it, Up higher above the ground. The answer is the direction in which their middles lie "
    "farthest apart.",
    "bearing-car": "The camera is mounted on a car. At t = {t}, in which direction from this car is {0}? Front is "
    "where the car faces, and Left is its driver's left.",
    "bearing-camera": "At t = {t}, in which direction from the camera is {0}, as seen from above? Front is where the "
    "camera looks.",
    "thing-trajectory": "Which of these describes how {0} moves during this period? The distances are those of its "
    "straight pieces: what it travels within a turn is not counted. Turns are as seen from above.",
    "thing-displacement": "How far is {0} at the end of this period from where it was at the start, in a straight "
    "line?",
    "thing-path-length": "How far does {0} travel during this period, measured along its path?",
    "thing-average-speed": "What is the average speed of {0} during this period, that is, the length of its path "
    "divided by the time?",
    "thing-speed": "How fast is {0} moving at t = {t}?",
    "thing-average-acceleration": "What is the average acceleration of {0} during this period, that is, its speed at "
    "the end minus its speed at the start, divided by the time? It is negative if the speed falls.",
    "thing-acceleration": "At what rate does the speed of {0} change at t = {t}? The rate is negative if the speed "
    "falls.",
    "nearest": "At t = {t}, which of these five things is nearest to the camera, measured to the thing's middle?",
}
_ORDER = ("first", "second")
_UNCLEAR = "unclear"
_BOXES = {"smallest": "the smallest upright box around it"}


def stem_about(scene: SceneView, template: str, names: Sequence[str], **fields: str) -> Stem:
    """Write a stem with the names of things for {0} and {1}.

    If only a stated time identifies a thing, a first sentence introduces the thing. ``taken`` and ``middles`` are
    sentences that also name the things.

    Raises:
        Refused: If a thing has no name.
    """
    for sentence in ("taken", "middles"):
        template = template.replace(f"{{{sentence}}}", fields.get(sentence, "")).rstrip()
    phrases = scene.called(names)
    stated = [scene.states_a_moment(name) for name in names]
    nouns = [noun_of(scene.thing(name).entity) if said else "" for name, said in zip(names, stated, strict=True)]
    alike = all(stated) and len(set(nouns)) < len(nouns)
    before = ""
    for number, noun in enumerate(nouns):
        if stated[number]:
            spoken = f"the {_ORDER[number]} {noun}" if alike else f"this {noun}"
            about = "It is also about" if before else "This question is about"
            before += f"{spoken.capitalize()} is {{{number}}}. " if alike else f"{about} {{{number}}}. "
            template = template.replace(f"{{{number}}}", spoken)
    return named_stem(before + template, phrases, **fields)


def upright_box(scene: SceneView, name: str) -> str:
    """Write the words that define the box of a thing.

    Raises:
        Refused: If no part of the thing shows the orientation of its box.
    """
    how = _turned(scene, name)
    if how == _UNCLEAR:
        raise Refused(Code.SYMMETRIC_OBJECT)
    return _BOXES.get(how, f"the upright box around it that is {how}")


def require_one_box(scene: SceneView, name: str) -> None:
    """Check that one box fits a thing during the whole clip.

    Raises:
        Refused: If parts of the thing move, so that the stated box is around their whole motion.
    """
    if scene.thing(name).entity.body is not None and _turned(scene, name) == _UNCLEAR:
        raise Refused(Reason.MOVES)


def each_taken_as(scene: SceneView, names: Sequence[str]) -> str:
    """State the shapes for measuring a gap.

    The shapes are boxes or scanned points. The sentence contains {0} and {1}.
    """
    if all(scene.thing(name).entity.points is not None for name in names):
        return ""
    first, second = (upright_box(scene, name) for name in names)
    if first == second == _BOXES["smallest"]:
        return "It is measured between the smallest upright boxes around the two things."
    boxes = enumerate((first, second))
    one, other = (box.replace(" it", f" {{{which}}}", 1).replace(" that is ", ", ") for which, box in boxes)
    return f"It is measured between two boxes: {one}, and {other}."


def middles(scene: SceneView, names: Sequence[str]) -> str:
    """Define the middles of one or two things, for {middles}.

    The sentence contains {0} and {1}.
    """
    boxes = [_box_around(scene, name) for name in names]
    if len(boxes) == 2 and len(set(boxes)) == 1:
        noun = "person" if scene.thing(names[0]).entity.is_person else "thing"
        return f"The middle of a {noun} is the centre of {boxes[0]}."
    told = [f"the middle of {{{number}}} is the centre of {box}" for number, box in enumerate(boxes)]
    return f"T{', and '.join(told)[1:]}."


def _box_around(scene: SceneView, name: str) -> str:
    """Write the words for the box whose middle is the middle of a thing or a person."""
    if scene.thing(name).entity.is_person:
        return "the upright box around the whole body"
    return "the upright box around it" if _turned(scene, name) == _UNCLEAR else upright_box(scene, name)


def _turned(scene: SceneView, name: str) -> str:
    """Return words for the orientation of a thing's box.

    If the source states the orientation, its words are used. Otherwise, the box is the smallest box or, in desktop
    scenes, the box along the axes of the scanned model.
    """
    told = scene.thing(name).entity.attributes.get("box")
    return told or ("lined up with its own sides" if scene.recording.kind is Kind.DESKTOP else "smallest")
