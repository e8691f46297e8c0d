"""Checks of a compiled design, one module for each part of it."""
