"""Suites: whole data sets of several grammars, made by one command from a recipe.

In: a recipe, a file of TOML that names grammars, and the options of a run. Out: a folder of tables
in train, dev and test with a manifest, either of paradigms (sentences, minimal pairs, cloze pairs,
probing tables) or of matrices. `merula suite` calls this, and `merula publish` for the instances.

``recipe`` and ``plan`` say what to make, and ``make`` makes all of it in order. For paradigms,
``parts`` compiles grammars, ``draw`` draws instances, ``splits`` divides them, ``tables`` makes
rows, and ``published`` writes them in the layout of published data. For matrices, ``division``
divides lexical sets or right answers, and ``draw_matrices`` draws instances and makes rows.
"""
