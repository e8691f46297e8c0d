"""Manifests: what a data set on the disk contains and how it was made, as frozen records.

A run of `merula generate`, a suite and a published data set have a JSON layout each, and a record
class each. All are read by `read.read_manifest`, with one error for a file that does not fit.
"""
