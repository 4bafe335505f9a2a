"""The templates of all cells, one module for each task; importing a module adds its templates."""
