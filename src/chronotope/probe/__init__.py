"""Probes of open models: what the vision encoder sees, what the language model keeps, what the answer uses."""
