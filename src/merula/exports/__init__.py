"""Published data for the tools that people run already.

In goes a folder that `merula publish` has made, out come the files of another tool; ``merula
export`` and ``merula ratings`` call it. ``request`` says which configurations and splits are
written, and raises for those that cannot be; ``instances`` and ``pairs`` read them, ``texts`` makes
names of files, lines of CSV and texts in YAML. A format is a module (``blimp``, ``minicons``,
``lm_eval``, ``syntaxgym``, ``latin_square``) and an entry of ``make.FORMATS``. ``ratings`` reads
back the lists that raters have filled in.
"""
