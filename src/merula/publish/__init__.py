"""Publishing: from grammars to a data set repository that people load in one line.

``plan`` says what is to be made, ``make`` makes it: rows typed by ``features`` in Parquet files
(``parts``), a card, Croissant metadata, the ``sources`` and a ``manifest``. ``folder`` sees to it
that an old publication stays whole until the new one is. ``reading`` opens what was published,
``verification`` remakes and compares it, ``push`` uploads it.
"""
