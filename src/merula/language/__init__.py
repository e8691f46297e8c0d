"""From source text to a resolved grammar: one module a stage, imports run one way."""
