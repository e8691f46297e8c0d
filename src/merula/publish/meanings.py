"""What the columns of published rows hold, in words: for the card and for Croissant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from merula.data.features import ClassNames, Feature, Fields, Items, Value

MEANINGS: Mapping[str, str] = {
    "instance": "the number of the instance in the order of the seed, from 0",
    "address": "the address of the instance, which remakes it alone; a text, since it can be long",
    "design": "the paradigm or the matrix",
    "frame": "the order of the parts of the sentence",
    "variant": "what varies from instance to instance, and how it was chosen here",
    "cell": "the cell of the paradigm; its number is that in the table of its design",
    "factors": "the value of each factor",
    "scope": "for objects that a rule asks to be inside a constituent: `in` or `out`",
    "sentence": "the sentence",
    "spans": "where each object stands in the sentence, in characters",
    "label": "whether no external and no internal rule is broken",
    "variation": "`I`: one lexical choice for all items; `III`: another for each",
    "context": "the items that are shown, in order",
    "answers": "the answers, one of which is right; in another order in each row",
    "correct": "the place of the right answer, from 0; each place equally often",
    "labels": "the label of each answer",
    "classes": "the class of each answer's error: E external, I internal, R relational",
    "context_templates": "the items without their lexemes",
    "answer_templates": "the answers without their lexemes",
    "context_spans": "where each object stands in each item, in characters",
    "answer_spans": "where each object stands in each answer, in characters",
    "lexemes": "the lexeme of each choice, by its lemma or its set",
    "context_lexemes": "the lexemes of each item",
    "answer_lexemes": "the lexemes of each answer",
    "varied": "empty here: words that a language model has put in",
    "grammar": "the beginning of the grammar's digest",
    "lexicon": "the beginning of the digest of its tables and surface rules",
}
MOST_NAMES = 4  # of the fields of a struct
BROKEN = {
    "paradigm": "the rules that are broken, with their class: E external, I internal",
    "matrix": "of each answer the rules that it breaks, with their class",
}


def meaning(name: str, kind: str) -> str:
    """What a column of a paradigm's or a matrix's rows holds; empty for an unknown one."""
    return BROKEN[kind] if name == "broken" else MEANINGS.get(name, "")


def described(feature: Feature, *, lengths: bool = True, names: bool = True) -> str:
    """A type in words.

    >>> described(Items(ClassNames(("sg", "pl")), 7))
    'list of 7 class labels'
    """
    match feature:
        case Items(of=of, length=length):
            number = f"{length} " if lengths and length >= 0 else ""
            return f"list of {number}{_several(described(of, lengths=lengths, names=names))}"
        case Fields(names=inner) if names and len(inner) <= MOST_NAMES:
            return f"struct of {', '.join(inner)}"
        case Fields():
            return "struct"
        case ClassNames():
            return "class label"
        case Value(dtype=dtype):
            return dtype


def _several(one: str) -> str:
    """Many of a type.

    >>> _several("list of strings"), _several("int32")
    ('lists of strings', 'int32')
    """
    head, of, rest = one.partition(" of ")
    return one if head[-1].isdigit() else f"{head}s{of}{rest}"


def common(features: Sequence[Feature]) -> str:
    """The type of a column in several configurations, as exactly as they have it in common."""
    for lengths, names in ((True, True), (False, True), (True, False), (False, False)):
        found = {described(own, lengths=lengths, names=names) for own in features}
        if len(found) == 1:
            return found.pop()
    return " or ".join(dict.fromkeys(described(own) for own in features))


def classes(feature: Feature) -> Iterator[ClassNames]:
    """The class labels in a type, from the outside in."""
    match feature:
        case ClassNames():
            yield feature
        case Items(of=of):
            yield from classes(of)
        case Fields(fields=fields):
            for _, own in fields:
                yield from classes(own)
