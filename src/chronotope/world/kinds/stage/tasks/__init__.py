"""The layouts of the tasks, a module each."""
