"""From the text of a grammar to its syntax tree; no name is looked up here.

In go a `Source` and a `Report`. Out come a `syntax.File` and, in the report, what could not be
read. `merula.grammar.program` parses grammars with it, `merula.lexicon` the selection cells of
tables, and `merula fmt` and Pygments use `format` and `highlight`.
"""
