"""AI2-THOR: walks, changes and films of its scenes, by the rules for our own homes.

``open_thor`` starts AI2-THOR, and needs the extra ``thor`` and a Unity build. A ``ThorSimulator`` carries out actions,
with an ``Event`` for each (``actions``, ``metadata``, ``events``). ``film_scene`` makes the recordings of a scene.
"""

from chronotope.world.simulator.events import Event, Pictures
from chronotope.world.simulator.metadata import Metadata, ObjectRecord

__all__ = ["Event", "Metadata", "ObjectRecord", "Pictures"]
