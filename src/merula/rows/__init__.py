"""Addresses become Arrow rows: lexemes, sentences, spans, columns.

A compiled design and numbers of rows go in; Arrow record batches come out (`RowMaker`). The Python
interface, `merula generate`, suites and the check of data sets call it. It is the lowest room that
imports pyarrow.
"""
