"""Measurements of all quantities that STI-Bench asks about.

A measurement that is not reliable raises Refused with a reason. Inputs are arrays, and results are in metres, seconds
and radians. This package does not depend on questions, options or files.
"""

from chronotope.families.sti.measure.course import LEAST_STRAIGHT, LEAST_TURN, Leg, course

__all__ = ["LEAST_STRAIGHT", "LEAST_TURN", "Leg", "course"]
