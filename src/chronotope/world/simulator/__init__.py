"""Simulators of homes: one interface, our own homes, and AI2-THOR.

A ``Simulator`` carries out actions, with an ``Event`` for each. The actions and the metadata are those of AI2-THOR
(``actions``, ``metadata``). ``homes.open_home`` simulates our own homes. ``thor.open_thor`` starts AI2-THOR, and
needs the extra ``thor`` and a Unity build. Other code knows only the interface: ``walks`` walks through a home in
any simulator.
"""

from chronotope.world.simulator.interface import Event, Pictures, Simulator
from chronotope.world.simulator.metadata import Metadata, ObjectRecord

__all__ = ["Event", "Metadata", "ObjectRecord", "Pictures", "Simulator"]
