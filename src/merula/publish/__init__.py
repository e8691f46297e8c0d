"""Publishing: from grammars or a suite to a data set repository that people load in one line.

In: grammars, or a suite's recipe, and what the user asks for. Out: a folder with Parquet files, a
card, Croissant metadata, the sources and a manifest, which can be pushed to the hub.

``merula publish`` calls ``plan`` (with ``suites``), which decides every row, ``make``, which writes
the files with ``card``, ``croissant``, ``audit``, ``sources`` and the ``commands`` that make all of
it again, and ``hub``, which uploads the folder. ``merula verify`` calls ``remake``, which makes the
rows again and compares them.

``folder`` keeps an old publication whole until the new one is there. ``manifest``, ``soundness``,
``features``, ``parts``, ``reading`` and ``corpus`` describe, write and read what is in it.
"""
