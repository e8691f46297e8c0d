"""All stages in a row, from source text to counted plans, and what the author is told."""
