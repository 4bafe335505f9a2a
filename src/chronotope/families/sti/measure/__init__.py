"""Every quantity that is asked about: arrays in, values in metres, seconds and radians out, or Refused with its reason.

Nothing here knows a question, an option or a file.
"""

from chronotope.families.sti.measure.course import LEAST_STRAIGHT, LEAST_TURN, Leg, course

__all__ = ["LEAST_STRAIGHT", "LEAST_TURN", "Leg", "course"]
