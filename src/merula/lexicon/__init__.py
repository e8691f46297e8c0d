"""Tables of lexemes and surface rules as values, read and looked at without a grammar."""
