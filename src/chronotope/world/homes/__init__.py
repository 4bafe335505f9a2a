"""The home: its plan, furniture and small things, what can be done in it, and the walks through it."""
