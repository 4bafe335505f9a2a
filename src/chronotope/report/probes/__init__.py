"""The probes of a report."""
