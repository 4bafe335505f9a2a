"""Repair, time, name and assemble what every source reads."""
