"""The reading of files of several formats into one corpus; `readers.FORMATS` lists the formats.

In go paths, out come the sentences, pairs and matrices of a `Corpus`. ``tables`` reads files as
columns, ``rows`` and ``matrix_formats`` know which columns a format has, ``matrix_rows`` and
``values`` read their cells, ``published`` reads what `merula publish` has made.
"""
