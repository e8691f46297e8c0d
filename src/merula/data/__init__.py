"""Data sets on the disk: one folder, one manifest, one reader and one check for all of them.

In come Arrow rows (`merula.rows`) and folders that were written before; out come files with their
digests, and rows again. `merula generate`, `suite`, `publish`, `export`, `verify`, `audit` and
`report` all read and write through this room.
"""
