"""What a design means before any lexeme is chosen: settings, items, cells, labels.

A grammar and one of its designs go in; out come the variants of the design and, for each, its
cells: labelled items, whose words are forms of lexemes yet to be chosen. The compiler calls it, and
so does the reference interpreter of the tests. It is slow and obvious on purpose: a design has few
cells, whatever the number of lexemes.
"""
