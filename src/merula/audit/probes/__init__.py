"""Probes: how often a label, or the right answer, can be guessed without knowing any syntax.

In goes a `View`, out come `Probed`: ``sentences`` and ``pairs`` probe labels by words, length and
position, ``solvers`` answer matrices by ``answer_scores``; ``linear`` has the classifiers.
"""
