"""Measure every quantity of the questions, or raise Refused with a reason.

Inputs are arrays; results are in metres, seconds and radians. This package knows no questions, options or files.
"""

from chronotope.families.sti.measure.course import LEAST_STRAIGHT, LEAST_TURN, Leg, course

__all__ = ["LEAST_STRAIGHT", "LEAST_TURN", "Leg", "course"]
