"""One engine for all families: ``plan`` what will be asked, ``run`` it, ``score`` what was replied."""
