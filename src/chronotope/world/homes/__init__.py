"""The home: its plan, its furniture and small things, the operations on its objects, and the walks through it."""
