"""Repair, time, label and assemble the data that every source reads."""
