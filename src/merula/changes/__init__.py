"""The changes that an edit of a grammar, or of its tables, makes in the data.

In go two compiled grammars, out comes a `GrammarDiff`; ``merula diff`` and `Grammar.diff` call
`compare`. No instance is made: ``pairing`` and ``choices`` find the variants, cells and lexemes
that both grammars have, ``overlap`` and ``wording`` count the instances and sentences that they
share, ``losses``, ``cells``, ``renames`` and ``addresses`` describe the rest with examples, and
``differences`` holds and draws the result.
"""

from merula.changes.compare import compare
from merula.changes.differences import GrammarDiff

__all__ = ["GrammarDiff", "compare"]
