"""The twelve tasks, a module each: graphs, cycles, rules and scenarios."""
