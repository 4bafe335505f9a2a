"""A task of our own: two vehicles come to a junction, and one of them waits for the other."""
