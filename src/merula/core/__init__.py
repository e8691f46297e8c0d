"""Tools that every room may use: frozen values, source texts, diagnostics, files, processes.

Nothing of a language or of linguistic data goes in here, and it imports no other room.
"""
