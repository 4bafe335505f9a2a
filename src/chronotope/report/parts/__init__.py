"""The parts of a report about one benchmark; each module is one part."""
