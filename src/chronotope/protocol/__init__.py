"""The building blocks of protocols: asks, parts of prompts, the strict reader of replies, and scoring."""

from chronotope.protocol.choices import choice_asks, option_letters, placements, read_asked_choice, score_choice
from chronotope.protocol.cleaning import plain_text, without_thinking
from chronotope.protocol.facts import MediaFacts, PictureFacts
from chronotope.protocol.layout import Layout, arrange, as_videos
from chronotope.protocol.means import mean, percent, strict
from chronotope.protocol.open_answers import Settled, SettlingRule, settle
from chronotope.protocol.parts import (
    FrameOf,
    Image,
    Option,
    Part,
    Picture,
    PictureFile,
    Role,
    Text,
    Video,
    describe,
    frames_of,
    planned_images,
    without_options,
)
from chronotope.protocol.protocol import (
    Ask,
    AskSettings,
    EvaluationProtocol,
    Input,
    ModeTables,
    Placement,
    PublishedReader,
    Reading,
    Scored,
    Table,
)
from chronotope.protocol.reader import Choice, Rule, read_choice
from chronotope.protocol.texts import OptionTexts, same_text

__all__ = [
    "Ask",
    "AskSettings",
    "Choice",
    "EvaluationProtocol",
    "FrameOf",
    "Image",
    "Input",
    "Layout",
    "MediaFacts",
    "ModeTables",
    "Option",
    "OptionTexts",
    "Part",
    "Picture",
    "PictureFacts",
    "PictureFile",
    "Placement",
    "PublishedReader",
    "Reading",
    "Role",
    "Rule",
    "Scored",
    "Settled",
    "SettlingRule",
    "Table",
    "Text",
    "Video",
    "arrange",
    "as_videos",
    "choice_asks",
    "describe",
    "frames_of",
    "mean",
    "option_letters",
    "percent",
    "placements",
    "plain_text",
    "planned_images",
    "read_asked_choice",
    "read_choice",
    "same_text",
    "score_choice",
    "settle",
    "strict",
    "without_options",
    "without_thinking",
]
