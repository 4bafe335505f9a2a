"""Every quantity that is asked about, measured or Refused with a reason.

Arrays go in; values in metres, seconds and radians come out. Nothing here knows a question, an option or a file.
"""

from chronotope.families.sti.measure.course import LEAST_STRAIGHT, LEAST_TURN, Leg, course

__all__ = ["LEAST_STRAIGHT", "LEAST_TURN", "Leg", "course"]
