"""Baked light: against independent solutions, without dark seams, and with the same depth and identities as ever."""

from dataclasses import replace

import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.world import engine
from chronotope.world.camera import look_at
from chronotope.world.catalogue import Look, Piece, Thing
from chronotope.world.film_set import CeilingLamp, FilmSet, Placement
from chronotope.world.kinds import world_kinds
from chronotope.world.light import bake, bake_states
from chronotope.world.light.atlas import pack
from chronotope.world.light.bake import _bake_state, _Common, _Part, light_of
from chronotope.world.light.cells import cells_of, points_of
from chronotope.world.light.gather import SKY, solve
from chronotope.world.light.rays import hemisphere, spread, turned_to
from chronotope.world.light.surfaces import encoded, linear, surfaces_of
from chronotope.world.light.tone import exposure_of, glossy, toned
from chronotope.world.quality import Quality
from chronotope.world.render import open_renderer
from chronotope.world.slabs import slab

pytest.importorskip("embreex")
