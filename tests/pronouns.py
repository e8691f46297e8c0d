"""Pronouns of which the first person does not show its gender, and verbs that agree."""

RULES = """\
objects
  pron : pron (person, gender)
  verb : verb (person)
attributes
  person = 1 | 3
  gender = m | f
external
  agreement: verb.person = pron.person
"""
