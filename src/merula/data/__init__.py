"""Data sets on the disk: formats, digests, schemas, manifests, folders, opening, verification."""
