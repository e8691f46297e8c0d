"""Checks of a compiled design, one module for each part of it.

What was seen over its variants goes in (`DesignReport`); problems go to a report. `check_design`
runs all checks, and only `merula.compiler.compile` calls it.
"""
