"""VGenST-Bench as an evaluation protocol: prompts, modes and their aggregation."""

from chronotope.families.vgenst.protocol.protocol import RunSettings, VGenSTProtocol

__all__ = ["RunSettings", "VGenSTProtocol"]
