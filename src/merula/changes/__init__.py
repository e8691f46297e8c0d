"""What an edit of a grammar, or of its tables, does to the data."""

from merula.changes.compare import compare
from merula.changes.differences import GrammarDiff

__all__ = ["GrammarDiff", "compare"]
