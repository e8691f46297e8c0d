"""A small grammar with an attractor, and its table."""

KEYS = """\
phenomenon keys
language en
lexicon sets "keys.csv"
objects
  subj, attr : NP (number)
  verb       : VP (number)
attributes
  number = sg | pl
external
  agreement: verb.number = subj.number
frames
  clause = subj attr verb
paradigm attraction = attr.number × verb.number varying subj.number
"""
TABLE = """\
set,subj.sg,subj.pl,attr.sg,attr.pl,verb.sg,verb.pl
key,the key,the keys,to the cabinet,to the cabinets,is rusty,are rusty
label,the label,the labels,on the bottle,on the bottles,has faded,have faded
letter,the letter,the letters,from the tenant,from the tenants,was lost,were lost
"""
