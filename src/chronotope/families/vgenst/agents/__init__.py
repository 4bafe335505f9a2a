"""Agents that write scene graphs, scenarios, prompts and questions of VGenST-Bench, and others that check them.

``draft`` makes the works of some items, stage by stage, and continues where it stopped. Code fills all stages without a
model. With a model, the rules that code checks have the last word.
"""

from typing import TYPE_CHECKING

from chronotope.lazy import public_names

if TYPE_CHECKING:
    from chronotope.families.vgenst.agents.drafting import DraftingOutcome, DraftingRequest, draft
    from chronotope.families.vgenst.agents.effort_tables import effort_tables
    from chronotope.families.vgenst.agents.foreseen_drafts import DraftingForeseen, foresee_drafts
    from chronotope.families.vgenst.agents.items import Item, benchmark_items, custom_item
    from chronotope.families.vgenst.agents.records import STAGE_NAMES, Draft, StageName, read_drafts
    from chronotope.families.vgenst.agents.selector import known_task

__all__ = [
    "STAGE_NAMES",
    "Draft",
    "DraftingForeseen",
    "DraftingOutcome",
    "DraftingRequest",
    "Item",
    "StageName",
    "benchmark_items",
    "custom_item",
    "draft",
    "effort_tables",
    "foresee_drafts",
    "known_task",
    "read_drafts",
]

__getattr__, __dir__ = public_names(
    __name__,
    {
        ".drafting": ("DraftingOutcome", "DraftingRequest", "draft"),
        ".foreseen_drafts": ("DraftingForeseen", "foresee_drafts"),
        ".effort_tables": ("effort_tables",),
        ".items": ("Item", "benchmark_items", "custom_item"),
        ".records": ("STAGE_NAMES", "Draft", "StageName", "read_drafts"),
        ".selector": ("known_task",),
    },
)
