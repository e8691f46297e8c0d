"""A table of words on its own: what its columns seem to be, what is odd in it, what it holds."""
