"""Instances for eyes: aligned drawings in a terminal and as HTML."""
