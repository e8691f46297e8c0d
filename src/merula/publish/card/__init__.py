"""The card of a published data set: ``README.md`` with a head in YAML and a body in Markdown.

In: a publication with its compiled grammars, audit and examples. Out: the text of the card.
`merula.publish.make` calls ``facts`` for plain values (of phenomena and their ``designs``) and
``template`` for the text, which has its head from ``metadata`` and escapes by ``markdown``.
"""
