"""VGenST-Bench as an evaluation protocol (specification, section 9): prompts, modes and their aggregation."""

from chronotope.families.vgenst.protocol.protocol import RunSettings, VGenSTProtocol

__all__ = ["RunSettings", "VGenSTProtocol"]
