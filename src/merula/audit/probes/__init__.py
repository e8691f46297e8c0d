"""How well a label, or the right answer, can be told without knowing any syntax."""
