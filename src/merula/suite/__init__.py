"""Suites: whole data sets of several grammars, made by one command from a recipe.

``recipe`` reads what a suite is to be, ``plan`` adds the options of a run. ``parts`` compiles a
grammar and draws its paradigms (``draw``, ``sides``, ``splits``, ``cells``); ``tables`` and
``differences`` make sentences, pairs and probing tables of them; ``files`` and ``published`` write
these, ``folder`` and ``manifest`` say what is there; ``make`` does all of it in order.
"""
