"""The sketches of things: functions that make the model of a thing of each object type."""
