"""A small publication that the tests of the card and of Croissant share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import merula
from merula.lexicon.table import TableOptions
from merula.publish.plan import Details, GrammarRequest, Publishing, RowRequest

TABLE = """set,subj.sg,subj.pl,attr.sg,attr.pl,verb.sg,verb.pl
key,la clé,les clés,de l'armoire,des armoires,rouille,rouillent
label,l'étiquette,les étiquettes,sur le pot,sur les pots,pâlit,pâlissent
letter,la lettre,les lettres,du voisin,des voisins,manque,manquent
book,le livre,les livres,de l'élève,des élèves,traîne,traînent
roof,le toit,les toits,de la grange,des granges,fuit,fuient
"""


GRAMMAR = """phenomenon keys "Agreement across an attractor"
language fr
lexicon sets "keys.csv"
objects
  subj, attr : NP (number)
  verb       : VP (number)
attributes
  number = sg | pl
external
  agreement "a verb has the number of its subject": verb.number = subj.number
frames
  clause = subj attr verb
paradigm yes "crossed" = subj.number × verb.number varying attr.number
matrix four "a small matrix" = 4 items
  subj.number cycles 2 of sg | pl every 1
  attr.number cycles 2 of sg | pl every 2
answers
  AE "the other number" breaks E agreement: flip verb.number
  WN breaks R: flip attr.number
"""


SPLITS = {"split": "60:20:20"}


def toy(where: Path, **choice: Any) -> Publishing:
    """What is to be published of a small grammar in a folder."""
    (where / "keys.csv").write_text(TABLE, encoding="utf-8")
    (where / "keys.merula").write_text(GRAMMAR, encoding="utf-8")
    path = where / "keys.merula"
    asked = GrammarRequest(str(path), TableOptions(), merula.load(path)._compiled)
    details = Details("cc-by-sa-4.0", "Keys & clés", ("Ann Ö", "Bo_b"), "")
    return Publishing("keys", (asked,), details, RowRequest(10, **choice))
