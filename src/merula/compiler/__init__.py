"""All stages in a row, from source text to counted plans, with everything the author is told.

A source goes in, and tables where they are not files; a `Compiled` grammar comes out, with its
designs, their plans, and all problems (`compile_source`). The Python interface and every command
that reads a grammar call it.
"""
