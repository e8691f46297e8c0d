"""Instances for eyes: aligned drawings in a terminal and as HTML.

Compiled designs and addresses go in; drawings come out as values (`drawing`), which `terminal` and
`html` render, and overviews of a grammar's parts and counts. The commands, the Python interface,
notebooks and data cards call this room; only `terminal` imports rich at the top.
"""
