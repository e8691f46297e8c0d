"""Addresses become Arrow rows: lexemes, sentences, spans, columns."""
