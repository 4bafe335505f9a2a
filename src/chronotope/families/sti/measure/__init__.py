"""Every quantity that is asked about: arrays in, values in metres, seconds and radians out, or Refused with its reason.

Nothing here knows a question, an option or a file.
"""

from chronotope.families.sti.measure.course import LEAST_STRAIGHT, LEAST_TURN, Leg, course
from chronotope.families.sti.measure.track import Piece, Track, track_of

__all__ = ["LEAST_STRAIGHT", "LEAST_TURN", "Leg", "Piece", "Track", "course", "track_of"]
