"""The evaluation protocol of VGenST-Bench: prompts, modes of asking, and tables."""

from chronotope.families.vgenst.protocol.protocol import RunSettings, VGenSTProtocol

__all__ = ["RunSettings", "VGenSTProtocol"]
