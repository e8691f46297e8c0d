"""Probes and checks of paradigms from which cells are left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from audited import found
from export_folders import run
from merula.audit import audit, read_corpus
from merula.audit.findings import Settings
from merula.audit.probes.sentences import ProbeTask, position_forced, tasks, word_forced
from merula.audit.view import View
from pronouns import RULES

NOUNS = "lemma,category\n" + "".join(f"noun{i},noun\n" for i in range(12))
VERBS = "lemma,category,past,pres,fut\n" + "".join(
    f"verb{i},verb,verb{i}ed,verb{i}s,shall verb{i}\n" for i in range(12)
)
NEGATION = """phenomenon negation
language en
lexicon "nouns.csv", "verbs.csv"
objects
  N1       : noun
  V1       : verb (tense)
  licensor : particle
  npi      : adverb
attributes
  tense         = past | pres | fut
  licensor      = yes "not"  | no "also"
  npi           = yes "ever" | no "often"
  licensor.site = main | relative
external
  licensing: npi needs licensor and npi inside licensor.site
frames
  clause = "the" N1 "who" @relative [relative "slept"] @main [main npi V1]
paradigm npi = licensor × npi × licensor.site × V1.tense
"""
WHERE = """  where V1.tense = past or V1.tense = pres and licensor.site = main
    or V1.tense = fut and licensor.site = relative
"""


def generated(folder: Path, text: str, **tables: str) -> View:
    for name, table in tables.items():
        (folder / f"{name}.csv").write_text(table, encoding="utf-8")
    (folder / "g.merula").write_text(text, encoding="utf-8")
    args = ["generate", folder / "g.merula", "-n", 40, "--format", "jsonl", "--spans"]
    done = run(*args, "-o", folder / "data")
    assert done.exit_code == 0, done.output
    return View(read_corpus([folder / "data"]))


def only_task(view: View) -> ProbeTask:
    (task,) = tasks(view, Settings()).values()
    return task


@pytest.mark.parametrize(
    ("where", "words", "position"),
    [
        # By its words one of eight cells looks good; by the order half of its sentences are told.
        ("", 7 / 8, 15 / 16),
        # All cells of the present are in scope, and none of the future. Of the past, which is half
        # of the cells, one of eight looks good; without the tense it would be two of 16.
        (WHERE, 15 / 16, 31 / 32),
    ],
)
def test_words_of_other_factors_may_tell_the_scope(
    tmp_path: Path, where: str, words: float, position: float
) -> None:
    view = generated(tmp_path, NEGATION + where, nouns=NOUNS, verbs=VERBS)
    task = only_task(view)
    assert word_forced(task) == pytest.approx(words)
    assert position_forced(task) == pytest.approx(position)


def test_words_that_are_not_balanced_are_reported(tmp_path: Path) -> None:
    """*is* is good in two of its three cells, and *am* in one."""
    table = "set,pron.1.m,pron.1.f,pron.3.m,pron.3.f,verb.1,verb.3\n" + "".join(
        f"s{i},I,we,he,she,am n{i},is n{i}\n" for i in range(40)
    )
    text = f"""phenomenon pronouns
language en
lexicon sets "pronouns.csv"
{RULES}frames
  clause = pron verb
paradigm cells = pron.person × pron.gender × verb.person
"""
    (tmp_path / "whole").mkdir()
    (tmp_path / "part").mkdir()
    whole = generated(tmp_path / "whole", text, pronouns=table)
    where = "  where pron.person = 3 or pron.gender = m\n"
    part = generated(tmp_path / "part", text + where, pronouns=table)
    assert found(audit(whole.corpus), "lexemes") == []
    words = {text.split("`")[1] for text in found(audit(part.corpus), "lexemes")}
    assert words == {"am", "is"}
    assert found(audit(part.corpus), "cells") == []
