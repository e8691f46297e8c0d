"""Checks of a corpus: each is a function that gives what it finds; `registry` lists them all."""
