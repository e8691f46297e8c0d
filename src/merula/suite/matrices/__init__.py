"""Suites of matrices: data sets of several problems, types and answer sets, divided for learning.

`recipe` says what belongs to one, `plan` what is asked of a run; `division` divides lexical sets or
right answers among the splits, `draw` makes the rows of a set, `make` writes all of it.
"""
