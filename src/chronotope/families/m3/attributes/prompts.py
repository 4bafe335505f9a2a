"""The prompts of the describer, and the forms of its replies.

The texts in `DESCRIBER`, `CONSOLIDATION` and `COMPARISON` are published. The second look, the prompt for an object
without others of its type, and the words of the prompt for the function of a type are ours. The paper asks for the
function of each type and prints no prompt; the sentence that the reply completes, and the limit of five words, are
those of its authors.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, Field, create_model, field_validator

from chronotope.families.m3.grounding.objects import with_article
from chronotope.families.m3.looks import Colour, Shape
from chronotope.ledger import CallKind
from chronotope.models import Stage

MOST_WORDS = 5  # of a function
OBJECT_WHICH_IS = "An object which is"


class Description(BaseModel):
    """What an object looks like."""

    description: str = Field(min_length=1, description="the description, in plain sentences")


class Profile(BaseModel):
    """What distinguishes an object from others of its type."""

    shape: str | None = Field(default=None, description="one adjective, or null")
    color: str | None = Field(default=None, description="one word, or null")
    other_features: str | None = Field(default=None, description="two to four words, or null")
    description: str | None = Field(default=None, description="one or two sentences, or null")


class Look(BaseModel):
    """The colour and the shape of an object, in words of closed lists."""

    colour: Colour | None = Field(description="the colour, or null if none fits")
    shape: Shape | None = Field(description="the shape, or null if none fits")


class Purpose(BaseModel):
    """What the objects of a type are for."""

    function: str = Field(
        min_length=1, description=f"at most {MOST_WORDS} words that complete the sentence “{OBJECT_WHICH_IS} …”"
    )

    @field_validator("function")
    @classmethod
    def _few_words(cls, value: str) -> str:
        """Return the words in lower case, without the sentence that they complete."""
        words = " ".join(value.lower().split()).strip(" .\"'“”…").removeprefix(OBJECT_WHICH_IS.lower()).split()
        if not 0 < len(words) <= MOST_WORDS:
            raise ValueError(f"expected 1 to {MOST_WORDS} words, found {len(words)}")
        return " ".join(words)


def _stage(kind: CallKind, instructions: str, longest: int) -> Stage:
    """Return a stage of the describer; replies have at most ``longest`` tokens.

    Temperatures, top-p and limits on replies are those of the authors.
    """
    return Stage(kind, instructions, {"temperature": 0.1, "top_p": 0.3, "max_tokens": longest})


_SHOWN = (
    "You get two pictures of one frame of a video of a home. In the first, a red line goes around one object; the "
    "second shows only this object, enlarged, on a plain grey ground. The object is masked in this way; neither the "
    "red line nor the grey ground belongs to it."
)
DESCRIBE = _stage("describe", _SHOWN, 512)
CONSOLIDATE = _stage("summary", "You write about what objects look like.", 1024)
COMPARE = _stage("label", "You compare objects by descriptions of them.", 2048)
LOOK = _stage(
    "validate",
    "You get pictures of one object from a video of a home; each shows only this object on a plain grey ground, which "
    "does not belong to it. Give the word of the form that a person in the room would use for its colour, and the one "
    "for its shape. Its colour is that of most of what is seen of it; light and shadow do not change it. Where no word "
    "fits, where two colours share the object, or where the pictures disagree, give null.",
    512,
)
FUNCTION = _stage("label", "You say what the things of a home are for.", 50)
STAGES = (DESCRIBE, CONSOLIDATE, COMPARE, LOOK, FUNCTION)

DESCRIBER = (
    "The masked object is a(n) {object_category}. Describe it in detail, focusing on its type, shape, color and "
    "physical properties."
)
CONSOLIDATION = (
    "You are given multiple descriptions of the same object. Please consolidate these descriptions into a single, "
    "comprehensive, and coherent description that: 1. Integrates all consistent information from the multiple "
    "descriptions 2. Resolves any contradictions by choosing the most frequently mentioned or most detailed "
    "information 3. Fills in missing details by combining information from different descriptions 4. Produces a more "
    "complete and reliable description than any individual description Here are the descriptions to consolidate: "
    "{descriptions_text} Please provide a single consolidated description that is comprehensive, coherent, and "
    "incorporates the best information from all descriptions. Focus on physical properties, appearance and "
    "distinguishing features. Consolidated description:"
)
COMPARISON = (
    "You are given descriptions of {num_objects} different {object_category} objects. Please analyze and compare these "
    "objects to identify their distinguishing characteristics. {objects_text} For each object, provide a JSON response "
    "that highlights what makes it unique compared to the others in the same category. {request}"
)
_ALONE = (
    "You are given a description of {object_category}. {objects_text} Please provide a JSON response that highlights "
    "its characteristics. {request}"
)
_FEATURES = (
    "Focus on distinguishing features like size, color and shape. For shape and color, the value should be a short "
    "phrase that fits grammatically in the following sentences: An object which is [shape]. (e.g., "
    '"rectangular", "round") An object which is [color]. (e.g., "red", "brown", "green", "blue") Please respond with '
    "a JSON object where each key is the object ID and the value contains the object's distinctive attributes: "
    "{entries} Instructions: Focus on what makes each object unique within this category Ensure the values for shape "
    "and color are concise and fit the grammatical examples provided If any attribute cannot be determined, set its "
    "value to null Ensure descriptions emphasize distinguishing characteristics Output only valid JSON"
)
_ENTRY = (
    '"{id}": {{ "shape": "<1 word, adjective describing shape>", "color": "<1 word, color description>", '
    '"other_features": "<2-4 words describing other notable features>", "description": "<1-2 sentences describing '
    'this specific {object_category} and what makes it different from the others>" }}'
)


def describer(category: str) -> str:
    """Return the request to describe one view of an object."""
    return DESCRIBER.format(object_category=category)


def consolidation(texts: Sequence[str]) -> str:
    """Return the request to join several descriptions of an object."""
    listed = " ".join(f"{number}. {text}" for number, text in enumerate(texts, 1))
    return CONSOLIDATION.format(descriptions_text=listed)


def comparison(category: str, texts: Sequence[str]) -> str:
    """Return the request to compare objects of one type.

    The objects have the ids ``object_1`` and so on, in the order of their ``texts``.
    """
    ids = _ids(len(texts))
    first, *rest = [_ENTRY.format(id=each, object_category=category) for each in ids[:2]]
    entries = f"{{ {first} }}" if not rest else f"{{ {first}, {rest[0]} // ... continue for all objects }}"
    listed = " ".join(f"{each}: {text}" for each, text in zip(ids, texts, strict=True))
    request = _FEATURES.format(entries=entries)
    if not rest:
        return _ALONE.format(object_category=with_article(category), objects_text=listed, request=request)
    return COMPARISON.format(num_objects=len(texts), object_category=category, objects_text=listed, request=request)


@cache
def comparison_form(count: int) -> type[BaseModel]:
    """Return the form of the reply about ``count`` objects."""
    fields: dict[str, Any] = dict.fromkeys(_ids(count), (Profile, ...))
    return create_model("Profiles", __doc__="What distinguishes each object from the others.", **fields)


def second_look(category: str) -> str:
    """Return the request to name an object's colour and shape."""
    return f"The object is {with_article(category)}."


def function_of_type(category: str) -> str:
    """Return the request to say what objects of a type are for."""
    return (
        f"What is the usual purpose of {with_article(category)}? Name one purpose that all things of this type have in "
        f"common. Use at most {MOST_WORDS} words that complete this sentence: {OBJECT_WHICH_IS} … (such as “used to "
        "keep food cold” for a fridge)"
    )


def _ids(count: int) -> list[str]:
    return [f"object_{number}" for number in range(1, count + 1)]
