"""Sketches of vehicles and of street furniture."""
