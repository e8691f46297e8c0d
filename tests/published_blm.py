"""The published files of BLM-AgrF, where they are at hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


BLM = Path(os.environ.get("MERULA_SHARED", ROOT.parent / "shared")) / "data" / "blm"


needs_published = pytest.mark.skipif(
    not BLM.is_dir(), reason="the published BLM data is not beside the project"
)


# The edits of the first published files, odd ones included: N1_alter changes the subject and
# keeps the verb, N2_alter changes the first attractor. No language is named, for the files
# have "de les" uncontracted.
AS_PUBLISHED = """
phenomenon agreement_published "BLM-AgrF, the answer set of the first published files"
lexicon sets "fragments_FR.csv" separated by ";"
  prefix      = "Prefix1"
  rc          = "ROC"
  subj.sg     = "np-s"
  subj.pl     = "np-p"
  n1.pp.sg    = "pp1-s"
  n1.pp.pl    = "pp1-p"
  n1.coord.sg = "Conj1sg"
  n1.coord.pl = "Conj1pl"
  n2.pp.sg    = "pp2-s"
  n2.pp.pl    = "pp2-p"
  n2.coord.sg = "Conj2sg"
  n2.coord.pl = "Conj2pl"
  n3.pp.sg    = "P3sg"
  n3.pp.pl    = "P3pl"
  verb.sg     = "vp-s"
  verb.pl     = "vp-p"
objects
  subj, n1   : NP (number, link)
  n2?, n3?   : NP (number, link)
  verb       : VP (number)
  prefix, rc : phrase
attributes
  number = sg | pl
  link   = pp | coord
external
  agreement: n1.link = coord or n2.link = coord -> verb.number = pl else verb.number = subj.number
frames
  main       = subj n1 n2 n3 verb
  completive = prefix main
  relative   = subj n1 n2 n3 rc verb
matrix published = 8 items in main | completive | relative
  subj.number cycles 2 of sg | pl          every 1
  n1.number   cycles 2 of sg | pl          every 2
  n2          cycles 2 of absent | sg | pl every 4
answers
  agreement_error breaks E agreement: flip verb.number
  N1_alter        breaks E agreement: flip subj.number keeping verb.number
  N2_alter        breaks R n1.number: flip n1.number
  mis_num         breaks R:           add n3 like n2 else add n2 like n1
  coordination    breaks R:           set n2.link = coord else set n1.link = coord
"""
