"""A sentence is bad only if no reading of it is good: what is left out, and what is refused."""

from __future__ import annotations

import pytest

from merula.compiler.compile import compile_source
from merula.compiler.compiled import Compiled
from merula.core.source import Source
from merula.plan.planner import phrases


def compiled(text: str, tables: dict[str, str] | None = None) -> Compiled:
    return compile_source(Source("x.merula", text), tables=tables or {})


def labels(found: Compiled, design: str = "p") -> dict[str, set[bool]]:
    """The labels of all sentences of a design."""
    seen: dict[str, set[bool]] = {}
    for plan in found.designs[design].plans:
        for address in range(plan.count):
            chosen = plan.space.unrank_one(address)
            for cell in plan.cells:
                text = found.surface.sentence(phrases(plan.slots, cell, chosen))
                seen.setdefault(text, set()).add(cell.cell.acceptable)
    return seen


def codes(found: Compiled) -> list[str]:
    return [p.code for p in found.problems]


AGREEMENT = """
phenomenon x
lexicon "words.csv"
objects
  subj : noun (number)
  verb : verb (number)
attributes
  number = sg | pl
external
  agreement: verb.number = subj.number
frames
  clause = "the" subj verb
"""
WORDS = """lemma,category,sg,pl
dog,noun,dog,dogs
sheep,noun,sheep,sheep
run,verb,runs,run
hit,verb,hit,hit
"""


def test_a_form_whose_feature_varies() -> None:
    found = compiled(
        f"{AGREEMENT}paradigm p = verb.number varying subj.number", {"words.csv": WORDS}
    )
    assert labels(found) == {
        "The dog runs.": {True},
        "The dog run.": {False},
        "The dogs run.": {True},
        "The dogs runs.": {False},
    }
    (sheep, hit) = [p for p in found.problems if p.code == "M420"]
    assert "with it `pl` is a good sentence too (subj.number = pl)" in sheep.message
    assert any("sheep (words.csv:3)" in note for note in sheep.notes)
    assert any("hit (words.csv:5)" in note for note in hit.notes)


def test_another_form_of_the_same_kind() -> None:
    """A Russian noun of one form in two cases, and a preposition that asks for one of them."""
    table = """lemma,category,gen,acc
стол,noun,стола,стол
студент,noun,студента,студента
"""
    text = """
phenomenon x
lexicon "words.csv"
objects
  noun : noun (case)
attributes
  case = gen | acc
external
  government: noun.case = gen
frames
  phrase = "без" noun
paradigm p = noun.case
"""
    found = compiled(text, {"words.csv": table})
    assert labels(found) == {"Без стола.": {True}, "Без стол.": {False}}
    fixed = compiled(text.replace("p = noun.case", "p = noun.case (acc) with noun.case = acc"))
    assert fixed.failed  # given twice
    alone = compiled(text.replace("p = noun.case", "p = noun.case (acc)"), {"words.csv": table})
    assert labels(alone) == {"Без стол.": {False}}  # though the genitive is in no cell


THEY = """
phenomenon they
language en
lexicon "they.csv"
objects
  s : noun
attributes
  refl = m "himself" | f "herself" | c "themself"
external
  bound: refl = s.gender
objects
  refl : pronoun
frames
  clause = s "saw" refl
paradigm p = refl
"""


@pytest.mark.parametrize(
    ("rows", "left"),
    [
        ("the king,noun,m | c\nthe queen,noun,f | c\nthe guest,noun,*\n", None),
        ("the king,noun,m\nthe queen,noun,f\nthe guest,noun,*\n", {"king", "queen"}),
        ("the king,noun,m\nthe child,noun,m | f | c\nthe crew,noun,c\n", {"king", "crew"}),
    ],
)
def test_a_feature_with_several_values(rows: str, left: set[str] | None) -> None:
    found = compiled(THEY, {"they.csv": f"lemma,category,gender\n{rows}"})
    seen = labels(found)
    assert all(len(both) == 1 for both in seen.values())
    if left is None:
        assert found.failed
        assert not seen
    else:
        assert {text.split()[1] for text in seen} == left


SETS = """set,subj.sg,subj.pl,attr.sg,attr.pl,verb.sg,verb.pl
key,the key,the keys,to the cabinet,to the cabinets,is rusty,are rusty
label,the label,the labels,on the bottle,on the bottles,faded,faded
"""
BOTTLE = """
phenomenon bottle
lexicon sets "sets.csv"
objects
  subj  : NP (number)
  attr? : PP (number)
  verb  : VP (number)
attributes
  number = sg | pl
external
  agreement: verb.number = subj.number
frames
  clause = subj attr verb
"""


def test_a_verb_that_shows_no_number() -> None:
    design = "paradigm p = attr (sg | pl) with subj.number = sg, verb.number = pl"
    found = compiled(BOTTLE + design, {"sets.csv": SETS})
    assert set(labels(found)) == {
        "The key to the cabinet are rusty.",
        "The key to the cabinets are rusty.",
    }


def test_an_answer_that_flips_such_a_verb() -> None:
    design = """matrix p = 4 items
  subj.number cycles sg | pl every 1
  attr cycles sg | pl every 2
answers
  AE breaks E agreement: flip verb.number, flip attr.number
"""
    found = compiled(BOTTLE + design, {"sets.csv": SETS})
    assert not found.failed
    assert not any("label" in text or "bottle" in text for text in labels(found))
    assert found.designs["p"].count == 1
    (warning,) = [p for p in found.problems if p.code == "M420"]
    assert "`AE` is a good sentence too" in warning.message


def test_a_message_says_in_which_variants() -> None:
    table = """lemma,category,sg,pl,prs.sg,prs.pl,pst.sg,pst.pl
dog,noun,dog,dogs,,,,
run,verb,,,runs,run,ran,ran
be,verb,,,is here,are here,was here,were here
"""
    text = AGREEMENT.replace("verb (number)", "verb (number, tense)")
    text = text.replace("= sg | pl\n", "= sg | pl\n  tense = prs | pst\n")
    design = "paradigm p = verb.number (sg) varying verb.tense with subj.number = pl"
    found = compiled(text + design, {"words.csv": table})
    assert set(labels(found)) == {"The dogs runs.", "The dogs is here.", "The dogs was here."}
    (warning,) = [p for p in found.problems if p.code == "M420"]
    assert (
        "left out in 1 of 2 variants of p: with it `sg` is a good sentence too" in warning.message
    )
    assert "these variants of p: verb.tense pst" in warning.notes


def test_two_lexemes_that_are_written_alike() -> None:
    """*fish* is the singular of one noun and the plural of another."""
    table = "lemma,category,sg,pl\nfish-one,noun,fish,fishes\nfish-many,noun,shoal,fish\n"
    table += "run,verb,runs,run\n"
    found = compiled(
        f"{AGREEMENT}paradigm p = verb.number varying subj.number", {"words.csv": table}
    )
    seen = labels(found)
    assert all(len(both) == 1 for both in seen.values())
    assert seen["The shoal run."] == {False}
    assert "The fish run." not in seen or seen["The fish run."] == {True}


def test_two_frames_that_are_written_alike() -> None:
    text = """
phenomenon frames
lexicon "words.csv"
objects
  one, two : noun (number)
  verb     : verb (number)
attributes
  number = sg | pl
external
  agreement: verb inside first -> verb.number = one.number else verb.number = two.number
frames
  a = "the" one [first verb] "the" two
  b = "the" two verb "the" one
paradigm p = verb.number in a | b varying one.number, two.number
"""
    found = compiled(text, {"words.csv": WORDS.replace("hit,verb,hit,hit\n", "")})
    seen = labels(found)
    assert seen
    assert all(len(both) == 1 for both in seen.values())
    other = text.replace("= two.number\n", "= one.number\n").replace(" else verb", ", verb")
    clashing = labels(compiled(other, {"words.csv": WORDS}))
    assert clashing
    assert all(len(both) == 1 for both in clashing.values())


def test_a_word_of_two_values_is_never_wrong() -> None:
    text = """
phenomenon you
objects
  obj : pronoun
  to  : mark
attributes
  to       = yes "to" | no "for"
  obj.case = acc "you" | nom "you" | gen "yours"
external
  government: obj.case = acc
frames
  clause = "they went" to obj
paradigm p = to with obj.case = nom
"""
    assert "M424" in codes(compiled(text))
    assert codes(compiled(text.replace('nom "you"', 'nom "thou"'))) == []


def test_elision_hides_a_gender() -> None:
    """*la arbre* and *le arbre* are both *l'arbre*: only *chat* shows the wrong article."""
    table = "lemma,category,gender\narbre,noun,m\nchat,noun,m\nporte,noun,f\n"
    text = """
phenomenon fr
language fr
lexicon "fr.csv"
objects
  det  : determiner
  noun : noun
attributes
  det.gender = m "le" | f "la"
external
  agreement: det.gender = noun.gender
frames
  np = "voici" det noun
paradigm p = det.gender
"""
    assert set(labels(compiled(text, {"fr.csv": table}))) == {
        "Voici le chat.",
        "Voici la chat.",
        "Voici la porte.",
        "Voici le porte.",
    }


def test_what_no_word_shows_has_the_value_that_rules_give_it() -> None:
    """That ``mood`` could be another is not a reading: it is what the rules say, or the first."""
    text = """
phenomenon mood
objects
  verb : verb (mood)
  mark : mark
attributes
  mood = fact | wish
  verb.form = plain "comes" | bare "come"
  mark = yes "that" | no "if"
external
  form: verb.mood = wish -> verb.form = bare else verb.form = plain
frames
  clause = mark "she" verb
paradigm p = mark × verb.form
"""
    found = compiled(text)
    assert codes(found) == []
    assert labels(found)["That she come."] == {False}


def test_what_no_word_shows_follows_in_a_reading() -> None:
    """*put* may be plain or bare; its hidden mood is not left behind when it is read otherwise."""
    table = "lemma,category,plain,bare\ncome,verb,comes,come\nput,verb,put,put\n"
    text = """
phenomenon mood
lexicon "verbs.csv"
objects
  verb : verb (form, mood)
  mark : mark
attributes
  form = plain | bare
  mood = fact | wish
  mark = yes "that" | no "if"
external
  mood: verb.form = bare -> verb.mood = wish
  wish: verb.mood = wish -> mark = no
frames
  clause = mark "she" verb
paradigm p = mark with verb.form = bare
"""
    found = compiled(text, {"verbs.csv": table})
    assert labels(found) == {"That she come.": {False}, "If she come.": {True}}


@pytest.mark.parametrize(
    ("number", "sentences"),
    [("pl", {"The dog run."}), ("sg", {"The dogs runs.", "The sheep runs."})],
)
def test_a_fixed_value_is_kept_in_readings(number: str, sentences: set[str]) -> None:
    """The subject is declared plural: *the sheep run* may be so, and *the sheep runs* is not."""
    text = AGREEMENT.replace("noun (number)", "noun (number = pl)")
    given = " with subj.number = sg" if number == "pl" else ""
    words = {"words.csv": WORDS.replace("hit,verb,hit,hit\n", "")}
    found = compiled(f"{text}paradigm p = verb.number ({number}){given}", words)
    assert labels(found) == {text: {False} for text in sentences}


def test_what_is_too_much_to_search_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("merula.plan.readings.MAX_STEPS", 0)
    found = compiled(
        f"{AGREEMENT}paradigm p = verb.number varying subj.number", {"words.csv": WORDS}
    )
    (warning,) = [p for p in found.problems if p.code == "M426"]
    assert warning.message.startswith("in p, whether `pl` can be read as a good sentence was not")


# --- rules where there is nothing to judge ------------------------------------------------------


def test_an_object_that_the_frame_does_not_have_is_absent() -> None:
    text = """
phenomenon x
objects
  a, b : x (n)
attributes
  n = sg "dog" | pl "dogs"
external
  same: a.n = b.n
frames
  f = "the" a "and" b
  g = "the" a
paradigm p = a.n in g
"""
    found = compiled(text)
    assert labels(found) == {"The dog.": {True}, "The dogs.": {True}}
    assert codes(found) == ["M429"]
    both = compiled(text.replace("p = a.n in g", "p = a.n × b.n in f"))
    assert labels(both)["The dog and dogs."] == {False}


def test_what_is_absent_determines_nothing() -> None:
    """The verb does not follow a subject that this frame does not have."""
    text = """
phenomenon x
objects
  n, v : x
attributes
  n.number = pl "dogs" | sg "dog"
  v.number = sg "barks" | pl "bark"
  mark     = a "now" | b "then"
objects
  mark : mark
external
  agreement: v.number = n.number
frames
  f = "the" n v mark
  g = "it" v mark
paradigm p = mark in g
paradigm q = mark in f
"""
    found = compiled(text)
    assert set(labels(found)) == {"It barks now.", "It barks then."}
    assert set(labels(found, "q")) == {"The dogs bark now.", "The dogs bark then."}


def test_what_an_alternative_leaves_out_is_absent() -> None:
    text = """
phenomenon x
objects
  n, adj : x
attributes
  n.number = sg "dog" | pl "dogs"
  adj.kind = fine "old" | odd "olds"
external
  form: adj.kind = fine
frames
  f = n (n.number = sg: "is" adj | "bark")
paradigm p = n.number with adj.kind = odd
"""
    assert labels(compiled(text)) == {"Dog is olds.": {False}, "Dogs bark.": {True}}


PLACES = """
phenomenon x
objects
  n, v : x
attributes
  n.number = sg "dog" | pl "dogs"
  v.number = sg "barks" | pl "bark"
external
  agreement: v inside clause -> v.number = n.number
frames
"""


def test_a_place_that_the_frame_fixes_determines() -> None:
    frames = '  f = "the" n [clause v]\n  g = "the" n v\n'
    designs = "paradigm p = n.number in f\nparadigm q = n.number in g\n"
    found = compiled(PLACES + frames + designs)
    assert labels(found) == {"The dog barks.": {True}, "The dogs bark.": {True}}
    assert set(labels(found, "q")) == {"The dog barks.", "The dogs barks."}


def test_a_place_that_depends_on_what_it_determines_is_a_circle() -> None:
    frame = '  f = "the" n (v.number = sg: [clause v] | v)\n'
    assert codes(compiled(f"{PLACES}{frame}paradigm p = n.number")) == ["M206"]


GAP = """
phenomenon gap
objects
  gap, adv : x
attributes
  gap      = what "what"
  adv      = now "now"
  gap.site = free | island
  adv.site = free | island
external
  islands: not gap inside clause
frames
  both  = "she knows" @free [clause "who saw" @island]
  short = "she knows" [clause "who saw" @island]
"""


@pytest.mark.parametrize(
    ("design", "expected"),
    [
        ("paradigm p = gap.site in both with adv.site = island", "M220"),
        ("paradigm p = gap.site in short with adv.site = island", "M219"),
        ("paradigm p = gap.site (free) in both with adv.site = island", ""),
    ],
)
def test_sites_that_a_frame_has_not_and_sites_of_two(design: str, expected: str) -> None:
    found = compiled(GAP + design)
    assert (expected in codes(found)) if expected else not found.failed


def test_a_site_twice_in_a_frame() -> None:
    text = (GAP + "paradigm p = gap.site in both with adv.site = island").replace(
        '"who saw" @island]\n  short', '"who saw" @island] @free\n  short'
    )
    assert "M221" in codes(compiled(text))


PRONOUNS = """
phenomenon p
lexicon "p.csv"
objects
  pro : pro (number, gender)
  adv : mark
attributes
  number = sg | pl
  gender = m | f
  adv    = yes "now" | no "then"
frames
  f = "they saw" pro adv
"""


def test_variants_that_repeat_others_are_left_out() -> None:
    table = "lemma,category,sg.m,sg.f,pl\nhe,pro,him,her,them\n"
    found = compiled(f"{PRONOUNS}paradigm p = adv varying pro.number, pro.gender", {"p.csv": table})
    assert codes(found) == ["M425"]
    assert not found.failed
    assert sorted(labels(found)) == [
        f"They saw {word} {adv}." for word in ("her", "him", "them") for adv in ("now", "then")
    ]
    assert found.designs["p"].count == 3


def test_what_varies_and_shows_nowhere_is_an_error() -> None:
    table = "lemma,category,sg,pl\nhe,pro,him,them\n"
    found = compiled(f"{PRONOUNS}paradigm p = adv varying pro.number, pro.gender", {"p.csv": table})
    assert codes(found) == ["M425"]
    assert found.failed


def test_rules_that_exclude_each_other() -> None:
    text = AGREEMENT.replace(
        "agreement: verb.number = subj.number", "a: subj.number = sg\n  b: subj.number = pl"
    )
    words = {
        "words.csv": WORDS.replace("sheep,noun,sheep,sheep\n", "").replace("hit,verb,hit,hit\n", "")
    }
    found = compiled(f"{text}paradigm p = subj.number × verb.number", words)
    assert codes(found) == ["M429"]
    assert "every cell of p is unacceptable" in found.problems[0].message
    explained = compiled(f"{text}paradigm p = verb.number with subj.number = sg", words)
    assert codes(explained) == []
