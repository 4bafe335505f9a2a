"""The sources of a build: recordings, manuals and simulated worlds, and the material of one part."""
