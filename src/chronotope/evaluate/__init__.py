"""One engine for all families: ``plan`` the asks, ``run`` them, ``score`` the replies."""
