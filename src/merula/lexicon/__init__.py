"""Tables of lexemes and surface rules as values, read and looked at without a grammar.

Bytes of tables, legends and ``surface.toml`` files go in; out come tables (`Lexicon`), rules that
write sentences (`Surface`), and problems. Grammars are resolved against tables, plans draw lexemes
from them, and ``merula lexicon`` looks at a table alone.
"""
