"""Which lexemes go together in a variant, and how many combinations there are.

The cells of a variant (`merula.design`) and the tables (`merula.lexicon`) go in; a `Plan` comes
out, with slots, constraints between them, a space of addresses, and cells as lists of pieces. A
plan knows no phenomenon any more. The compiler makes plans; rows, suites, changes and strategies
read them.
"""
