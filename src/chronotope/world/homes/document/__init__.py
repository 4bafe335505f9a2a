"""House files in the JSON format of ProcTHOR: read a home from a file, and write one."""

from chronotope.world.homes.document.contents import document_of, home_of
from chronotope.world.homes.document.plan import plan_of
from chronotope.world.homes.document.schema import HouseDocument, read_house

__all__ = ["HouseDocument", "document_of", "home_of", "plan_of", "read_house"]
