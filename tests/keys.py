"""A small grammar with an attractor, and its table.

`RULES` has what an import of the grammar would, `FRAME` all but designs, `KEYS` one paradigm too.
"""

RULES = """\
objects
  subj, attr : NP (number)
  verb       : VP (number)
attributes
  number = sg | pl
external
  agreement: verb.number = subj.number
frames
  clause = subj attr verb
"""
FRAME = f'phenomenon keys\nlanguage en\nlexicon sets "keys.csv"\n{RULES}'
ATTRACTION = "paradigm attraction = attr.number × verb.number varying subj.number\n"
KEYS = FRAME + ATTRACTION
TABLE = """\
set,subj.sg,subj.pl,attr.sg,attr.pl,verb.sg,verb.pl
key,the key,the keys,to the cabinet,to the cabinets,is rusty,are rusty
label,the label,the labels,on the bottle,on the bottles,has faded,have faded
letter,the letter,the letters,from the tenant,from the tenants,was lost,were lost
"""
