"""How random grammars are made: what is drawn for each section, and what is mended at the end.

Every draw has its plainest option first, so that what Hypothesis reports is the smallest grammar.
"""
