"""Published data for the tools that people run already.

``asked`` says what is to be written and refuses what cannot be; ``instances`` and ``pairs`` read
it, ``texts`` writes names, lines of CSV and texts in YAML. A format is a module (``blimp``,
``minicons``, ``lm_eval``, ``syntaxgym``, ``latin_square``) and an entry of ``make.FORMATS``;
``ratings`` reads back what raters have filled in.
"""
