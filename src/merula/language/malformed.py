"""Slips a beginner makes, each with its message: read by the parser, looped over by a test.

A sample is parsed once; where a faulty entry stops in the same parser state at the same kind of
token, the sample's message is the one to give.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from merula.core.frozen import frozen
from merula.language.tokens import Token, scan


@frozen
class Sample:
    """A faulty entry of a kind, what to say of it and what to do.

    ``{found}`` is the bad token, ``{previous}`` the one before it. ``back`` is how far before the
    place where the parser stops the bad token stands. Where ``words`` are given, one of them has
    to stand there, or at most ``back`` before; the bad token is the one ``shift`` before it. A
    sample that holds ``anywhere`` is good wherever an entry of its kind stops at this kind of
    token.
    """

    start: str
    text: str
    message: str
    remedy: str
    words: tuple[str, ...] = ()
    back: int = 0
    shift: int = 0
    anywhere: bool = False


EDITS = ("flip", "set", "add", "drop", "swap", "replace", "embed")
_ARTICLES = ("a", "an", "the", "some")
_BETWEEN_FACTORS = ("x", "х", "by", "times", "and")
_ALSO = ("and", "or")

_HEADS = (
    Sample(
        "phenomenon",
        '"Subject-verb agreement"',
        "a phenomenon is called by a name, and that is no text in quotes",
        'write the name first: phenomenon agreement "Subject-verb agreement"',
    ),
    Sample(
        "phenomenon",
        "",
        "this phenomenon has no name",
        'write `phenomenon NAME "what it is about"`',
    ),
    Sample(
        "phenomenon",
        "French agreement",
        "the name of a phenomenon is one word, and {found} is another",
        'join them (french_agreement); a description stands in quotes after the name: "…"',
    ),
    Sample(
        "phenomenon",
        'agreement: "Subject-verb agreement"',
        "no sign stands after the name of a phenomenon",
        'write `phenomenon NAME "what it is about"`',
        anywhere=True,
    ),
    Sample(
        "phenomenon",
        "= agreement",
        "no sign stands before the name of a phenomenon",
        'write `phenomenon NAME "what it is about"`',
        anywhere=True,
    ),
    Sample("language", '"en"', "a language is named without quotes", "write `language en`"),
    Sample("language", "", "no language is named", "write `language en`"),
    Sample(
        "language",
        "en, fr",
        "a grammar has one language",
        "keep one; write a grammar for each language, with what they share in a file to import",
    ),
    Sample(
        "language",
        "en fr",
        "a grammar has one language",
        "keep one; write a grammar for each language, with what they share in a file to import",
    ),
    Sample(
        "language",
        "en: fr",
        "nothing stands after the language",
        "write `language en`",
        anywhere=True,
    ),
    Sample("language", "= en", "no sign stands before the language", "write `language en`"),
    Sample("language", ": en", "no sign stands before the language", "write `language en`"),
    Sample(
        "lexicon",
        "nouns.tsv",
        "the name of a table stands in quotes",
        'write `lexicon "nouns.tsv"`',
        back=1,
    ),
    Sample(
        "lexicon",
        "sets nouns.tsv",
        "the name of a table stands in quotes",
        'write `lexicon sets "nouns.tsv"`',
    ),
    Sample(
        "lexicon",
        "nouns",
        "the name of a table stands in quotes",
        'write `lexicon "nouns.tsv"`',
        back=1,
    ),
    Sample("lexicon", "", "no table is named", 'write `lexicon "nouns.tsv"`'),
    Sample(
        "lexicon",
        '"nouns.tsv" "verbs.tsv"',
        "a comma is missing between two tables",
        'write `lexicon "nouns.tsv", "verbs.tsv"`',
    ),
    Sample(
        "lexicon",
        'sets = "agreement.tsv"',
        "no sign stands before the name of a table",
        'write `lexicon sets "agreement.tsv"`',
    ),
    Sample(
        "lexicon",
        'noun: "nouns.tsv"',
        "no sign stands before the name of a table",
        'write `lexicon noun "nouns.tsv"`',
    ),
    Sample(
        "lexicon",
        '"nouns.csv" separated ";"',
        "`separated` is followed by `by`",
        'write `separated by ";"`',
    ),
    Sample(
        "lexicon",
        'noun "nouns.tsv" verb "verbs.tsv"',
        "tables of another kind have a `lexicon` line of their own",
        'write `lexicon noun "nouns.tsv"` and, on a new line, `lexicon verb "verbs.tsv"`',
    ),
    Sample(
        "lexicon",
        '"nouns.tsv" verb "verbs.tsv"',
        "tables of another kind have a `lexicon` line of their own",
        'write `lexicon "nouns.tsv"` and, on a new line, `lexicon verb "verbs.tsv"`',
    ),
    Sample(
        "lexicon",
        'noun "nouns.tsv", verb "verbs.tsv"',
        "tables of another kind have a `lexicon` line of their own",
        'write `lexicon noun "nouns.tsv"` and, on a new line, `lexicon verb "verbs.tsv"`',
    ),
    Sample(
        "lexicon",
        'noun "nouns.tsv" separated by ";" verb "verbs.tsv"',
        "tables of another kind have a `lexicon` line of their own",
        'write `lexicon noun "nouns.tsv"` and, on a new line, `lexicon verb "verbs.tsv"`',
    ),
    Sample(
        "lexicon",
        '"nouns.csv" by ";"',
        "`separated by` stands before what separates cells",
        'write `separated by ";"`, or "\\t" for a tab',
        words=("by", "with", "tab", "tabs"),
    ),
    Sample(
        "lexicon",
        '"nouns.csv" as "cp1252"',
        "`encoded` stands before the encoding of a table, not {found}",
        'write `encoded "cp1252"`',
        words=("as", "in"),
    ),
    Sample(
        "lexicon",
        '"nouns.csv" separated tab',
        "`separated` is followed by `by`",
        'write `separated by ";"`, or "\\t" for a tab',
    ),
    Sample(
        "lexicon",
        '"nouns.csv" separated by tab',
        "the character that separates cells stands in quotes",
        'write `separated by ";"`, or "\\t" for a tab',
    ),
    Sample(
        "lexicon",
        '"nouns.csv" separated by ,',
        "the character that separates cells stands in quotes",
        'write `separated by ";"`, or "\\t" for a tab',
    ),
    Sample(
        "lexicon",
        '"nouns.csv" encoded in "cp1252"',
        "`encoded` is followed by the encoding itself, not by {found}",
        'write `encoded "cp1252"`',
        words=("in", "as", "with", "by"),
        back=1,
    ),
    Sample(
        "lexicon",
        '"nouns.csv" encoded in cp1252',
        "`encoded` is followed by the encoding itself, not by {found}",
        'write `encoded "cp1252"`',
        words=("in", "as", "with", "by"),
        back=1,
    ),
    Sample(
        "mapping",
        'subj.sg : "Subject"',
        "between a column and the header that the file gives it stands `=`",
        'write `subj.sg = "Subject"`',
        anywhere=True,
    ),
    Sample(
        "mapping",
        'subj.sg "Subject"',
        "between a column and the header that the file gives it stands `=`",
        'write `subj.sg = "Subject"`',
    ),
    Sample(
        "mapping",
        "subj.sg = Subject",
        "the header of a file's column stands in quotes",
        'write `subj.sg = "Subject"`',
    ),
    Sample(
        "mapping",
        '"Subject" = subj.sg',
        "the column's name here comes first, then the header in the file",
        'write `subj.sg = "Subject"`',
    ),
    Sample(
        "mapping",
        "subj.sg",
        "this says of no header that it is the column's",
        'write `subj.sg = "Subject"`',
        back=1,
    ),
    Sample(
        "imports",
        "common.merula",
        "the name of a file stands in quotes",
        'write `import "common.merula"`',
    ),
    Sample("imports", "", "no file is named", 'write `import "common.merula"`'),
    Sample(
        "imports",
        '"nouns.merula" "verbs.merula"',
        "a comma is missing between two files",
        'write `import "nouns.merula", "verbs.merula"`',
    ),
    Sample(
        "imports",
        'designs "common.merula"',
        "`with designs` stands after the file",
        'write `import "common.merula" with designs`',
        words=("designs", "design", "answers", "matrices", "paradigms"),
    ),
    Sample(
        "imports",
        'with designs "common.merula"',
        "`with designs` stands after the file",
        'write `import "common.merula" with designs`',
        words=("with",),
    ),
    Sample(
        "imports",
        '"common.merula" designs',
        "`with` is missing before {found}",
        'write `import "common.merula" with designs`',
        words=("designs", "design"),
    ),
    Sample(
        "imports",
        '"common.merula" and designs',
        "designs are asked for after `with`, not after {found}",
        'write `import "common.merula" with designs`',
        words=("and", "including", "plus"),
    ),
    Sample(
        "imports",
        '"common.merula" with answers',
        "after `with` stands `designs`, which are paradigms and matrices with their answers",
        'write `import "common.merula" with designs`',
    ),
    Sample(
        "imports",
        '"common.merula" with',
        "nothing stands after `with`",
        'write `import "common.merula" with designs`',
    ),
    Sample(
        "imports",
        '"common.merula" with designs, "verbs.merula"',
        "`with designs` is about all files of its line, and ends it",
        'write the other files on a line of their own: import "verbs.merula"',
    ),
)

_OBJECTS = (
    Sample(
        "object",
        "subj and n1 : NP",
        "the names of objects are separated by commas, not by {found}",
        "write `subj, n1 : NP (number)`",
        words=_ALSO,
    ),
    Sample(
        "object",
        "subj n1 : NP",
        "between {previous} and {found} stands a comma, or a colon if {found} is the category",
        "write `subj, n1 : NP (number)`",
    ),
    Sample(
        "object",
        "n2? n3? : NP",
        "between two objects stands a comma, before their category a colon",
        "write `n2?, n3? : NP (number)`",
    ),
    Sample(
        "object",
        "subj = NP (number)",
        "the category of an object stands after a colon, not after {found}",
        "write `subj : NP (number)`",
        anywhere=True,
    ),
    Sample(
        "object",
        "subj",
        "{found} has no category",
        "write it after a colon: subj : NP (number)",
        back=1,
    ),
    Sample(
        "object",
        "subj :",
        "the category of an object is missing",
        "write it after the colon: subj : NP (number)",
    ),
    Sample(
        "object",
        'subj : "NP"',
        "a category is a name, without quotes",
        "write `subj : NP (number)`",
    ),
    Sample(
        "object",
        "subj : NP number",
        "the attributes of an object stand in round brackets",
        "write `subj : NP (number)`",
    ),
    Sample(
        "object",
        "subj : NP [number]",
        "the attributes of an object stand in round brackets",
        "write `subj : NP (number)`",
        anywhere=True,
    ),
    Sample(
        "object",
        "subj (number) : NP",
        "the category comes first, then the attributes in brackets",
        "write `subj : NP (number)`",
    ),
    Sample(
        "object",
        "subj : NP (number link)",
        "a comma is missing between two attributes",
        "write `subj : NP (number, link)`",
    ),
    Sample(
        "object",
        "subj : NP (number | link)",
        "attributes are separated by commas",
        "write `subj : NP (number, link)`",
    ),
    Sample(
        "object",
        "subj : NP (number = sg | pl)",
        "an object can have one fixed value of an attribute, not a choice",
        "list the values under `attributes` (number = sg | pl), and here only the name: (number)",
    ),
    Sample(
        "object",
        "subj : NP (number: sg)",
        "a fixed value stands after `=`",
        "write `subj : NP (number = sg)`",
    ),
    Sample(
        "object",
        "subj : NP (subj.number)",
        "an attribute stands here without its object",
        "write `subj : NP (number)`",
    ),
    Sample(
        "object",
        "subj : NP ()",
        "these brackets are empty",
        "list the object's attributes in them, or take them away",
    ),
    Sample(
        "object",
        'subj : NP (number = "sg")',
        "a value is a name, without quotes",
        "write `subj : NP (number = sg)`",
    ),
    Sample(
        "object",
        "?subj : NP",
        "`?` stands after the name of an object that may be absent",
        "write `n2? : NP (number)`",
        anywhere=True,
    ),
    Sample(
        "object",
        "subj.number : NP",
        "an object is declared without its attributes",
        "list them in brackets after its category: subj : NP (number)",
    ),
    Sample(
        "object",
        "subj : NP, verb : VP",
        "objects of another category have a line of their own",
        "write `subj : NP` and, on a new line, `verb : VP`",
    ),
    Sample(
        "object",
        "2 : NP",
        "the name of an object begins with a letter",
        "write a name such as n2",
        anywhere=True,
    ),
    Sample(
        "object",
        '"subj" : NP',
        "the name of an object stands without quotes",
        "write `subj : NP`; fixed words belong in a frame",
    ),
)

_ATTRIBUTES = (
    Sample(
        "attribute",
        "number sg | pl",
        "`=` is missing between an attribute and its values",
        "write `number = sg | pl`",
    ),
    Sample(
        "attribute",
        "number : sg | pl",
        "the values of an attribute stand after `=`, not after {found}",
        "write `number = sg | pl`",
        anywhere=True,
    ),
    Sample(
        "attribute",
        "number (sg | pl)",
        "the values of an attribute stand after `=`, without brackets",
        "write `number = sg | pl`",
        anywhere=True,
    ),
    Sample(
        "attribute",
        "number = [sg | pl]",
        "the values of an attribute stand after `=`, without brackets",
        "write `number = sg | pl`",
        anywhere=True,
    ),
    Sample(
        "attribute",
        "number",
        "{found} has no values",
        "list them after `=`: number = sg | pl",
        back=1,
    ),
    Sample("attribute", "number =", "a value is missing", "list them: number = sg | pl"),
    Sample(
        "attribute",
        "number = sg |",
        "a value is missing after `|`",
        "add it, or take the last `|` away",
    ),
    Sample(
        "attribute",
        "number = sg | | pl",
        "a value is missing before this `|`",
        "write `number = sg | pl`",
    ),
    Sample(
        "attribute",
        "number = sg, pl",
        "values are separated by `|`, not by commas",
        "write `number = sg | pl`",
    ),
    Sample(
        "attribute",
        'licensor = yes "not", | no "also"',
        "a word is missing after the comma",
        'write words as `yes "not", "never" | no "also"`',
    ),
    Sample(
        "attribute",
        "number = sg and pl",
        "values are separated by `|`, not by {found}",
        "write `number = sg | pl`",
        words=_ALSO,
        back=1,
    ),
    Sample(
        "attribute",
        "number = sg pl",
        "{found} is either another value, which needs `|`, or a word, which needs quotes",
        'write `number = sg | pl`, or `licensor = yes "not" | no "also"`',
        back=1,
    ),
    Sample(
        "attribute",
        "licensor = yes not | no also",
        "{found} is either another value, which needs `|`, or a word, which needs quotes",
        'write `number = sg | pl`, or `licensor = yes "not" | no "also"`',
        back=1,
    ),
    Sample(
        "attribute",
        "person = first second third",
        "{found} is either another value, which needs `|`, or a word, which needs quotes",
        'write `number = sg | pl`, or `licensor = yes "not" | no "also"`',
        back=1,
    ),
    Sample(
        "attribute",
        'adverb = yes "ever" "yet"',
        "a comma is missing between two words of a value",
        'write `yes "ever", "yet"`',
    ),
    Sample(
        "attribute",
        'number = "sg" | "pl"',
        "a value is a name, and that is no text in quotes",
        'name the value before its word: yes "not" | no "also"',
    ),
    Sample(
        "attribute",
        "case = acc. | nom.",
        "a value is written without a dot",
        "write `case = acc | nom`",
    ),
    Sample(
        "attribute",
        "n2? = yes | no",
        "`?` is written where an object is declared",
        "write `n2? : NP` under `objects`, and only `n2` here",
        anywhere=True,
    ),
    Sample(
        "attribute",
        "number, case = sg | pl",
        "every attribute has a line of its own",
        "write `number = sg | pl` and, on a new line, `case = nom | acc`",
    ),
)

_RULES = (
    Sample(
        "rule",
        "npi needs licensor",
        "a rule begins with its name and a colon",
        "write `licensing: npi needs licensor`",
        words=("needs", "ignores", "inside"),
    ),
    Sample(
        "rule",
        "agreement verb.number = subj.number",
        "a colon is missing after the name of the rule",
        "write `agreement: verb.number = subj.number`",
    ),
    Sample(
        "rule",
        "agreement = verb.number",
        "after the name of a rule stands a colon, not `=`",
        "write `agreement: verb.number = subj.number`",
    ),
    Sample(
        "rule",
        "verb.number = subj.number",
        "a rule begins with its name and a colon",
        "write `agreement: verb.number = subj.number`",
        back=1,
    ),
    Sample(
        "rule",
        "agreement",
        "this rule says nothing",
        "write a colon and what it demands: agreement: verb.number = subj.number",
    ),
    Sample(
        "rule",
        "agreement:",
        "this rule says nothing",
        "write what it demands after the colon: agreement: verb.number = subj.number",
    ),
    Sample(
        "rule",
        "agreement: verb.number is subj.number",
        "values are compared with `=`, not with {found}",
        "write `verb.number = subj.number`, or `!=` where they must differ",
        words=("is", "equals", "equal", "are", "be", "agrees", "matches", "must", "has"),
    ),
    Sample(
        "rule",
        "licensing: npi in domain",
        "an object stands `inside` a constituent, not {found} it",
        "write `npi inside domain`",
        words=("in", "within", "under", "into"),
    ),
    Sample(
        "rule",
        "agreement: if n1.link = coord then verb.number = pl",
        "a condition stands before `->`, without {found}",
        "write `n1.link = coord -> verb.number = pl else verb.number = subj.number`",
        words=("if", "when", "where", "unless"),
        back=1,
    ),
    Sample(
        "rule",
        "agreement: n1.link = coord then verb.number = pl",
        "between a condition and what follows from it stands `->`, not {found}",
        "write `n1.link = coord -> verb.number = pl`",
        words=("then",),
    ),
    Sample(
        "rule",
        "agreement: n1.link = coord -> verb.number = pl, else verb.number = sg",
        "no comma stands before `else`",
        "write `condition -> consequence else alternative`",
        words=("else",),
        back=1,
    ),
    Sample(
        "rule",
        "agreement: n1.link = coord -> verb.number = pl or else verb.number = sg",
        "`else` stands alone, without `or`",
        "write `condition -> consequence else alternative`",
        words=("else",),
        back=1,
    ),
    Sample(
        "rule",
        "agreement: n1.link = coord else verb.number = sg",
        "`else` belongs to a condition with `->`",
        "write `condition -> consequence else alternative`",
        words=("else",),
    ),
    Sample(
        "rule",
        "licensing: npi needs a licensor",
        "{found} is too much: objects are named without an article",
        "write `npi needs licensor`",
        words=_ARTICLES,
        back=1,
    ),
    Sample(
        "rule",
        "licensing: a licensor needs npi",
        "{found} is too much: objects are named without an article",
        "write `npi needs licensor`",
        words=_ARTICLES,
        back=1,
    ),
    Sample(
        "rule",
        "agreement: verb number = subj number",
        "something is missing between {previous} and {found}",
        "an attribute stands after its object and a dot (verb.number), a value after `=`",
    ),
    Sample(
        "rule",
        "agreement: verb.number subj.number",
        "something is missing between {previous} and {found}",
        "an attribute stands after its object and a dot (verb.number), a value after `=`",
    ),
    Sample(
        "rule",
        "agreement: verb.number : subj.number",
        "values are compared with `=`, not with a colon",
        "write `verb.number = subj.number`",
        anywhere=True,
    ),
    Sample(
        "rule",
        "agreement: number(verb) = number(subj)",
        "an attribute is written after its object and a dot",
        "write `verb.number = subj.number`",
    ),
    Sample(
        "rule",
        "agreement: verb.number = number(subj)",
        "an attribute is written after its object and a dot",
        "write `verb.number = subj.number`",
    ),
    Sample(
        "rule",
        "agreement: verb.number =",
        "the other side of the comparison is missing",
        "write `verb.number = subj.number`",
    ),
    Sample(
        "rule",
        "agreement: verb.number !=",
        "the other side of the comparison is missing",
        "write `verb.number != subj.number`",
    ),
    Sample(
        "rule",
        "agreement: verb.number = sg and",
        "a test is missing after {previous}",
        "write `a.x = b.x and c.y = d.y`",
    ),
    Sample(
        "rule",
        "agreement: verb.number = sg or",
        "a test is missing after {previous}",
        "write `a.x = b.x or c.y = d.y`",
    ),
    Sample(
        "rule",
        "agreement: n1.link = coord ->",
        "a condition is followed by nothing",
        "write `condition -> consequence`",
    ),
    Sample(
        "rule",
        'agreement: verb.number = "sg"',
        "a value is a name, without quotes",
        "write `verb.number = sg`",
        anywhere=True,
    ),
    Sample(
        "rule",
        "agreement: verb.number = sg pl",
        "something is missing between {previous} and {found}",
        "between values stands `|`, between tests `and`, `or` or a comma",
    ),
    Sample(
        "rule",
        "agreement: not(verb.number) = sg",
        "`not` stands before the whole comparison",
        "write `not verb.number = sg`, or `verb.number != sg`",
    ),
    Sample(
        "rule",
        "agreement: verb.number = subj.number = sg",
        "a comparison has two sides, and this is a third",
        "write `verb.number = subj.number and subj.number = sg`",
    ),
    Sample(
        "rule",
        "attraction: verb.number ignores",
        "nothing is named that is ignored",
        "write `verb.number ignores n1.number and n2.number`",
    ),
    Sample(
        "rule",
        "attraction: verb.number ignores n1.number or n2.number",
        "what is ignored is listed with `and`",
        "write `verb.number ignores n1.number and n2.number`",
        words=("or",),
    ),
    Sample(
        "rule",
        "licensing: npi needs",
        "what is needed is missing",
        "write `npi needs licensor and npi inside domain`",
    ),
    Sample(
        "rule",
        "licensing: npi inside",
        "the name of a constituent is missing",
        "write `npi inside domain`",
    ),
    Sample(
        "rule",
        "licensing: npi inside [domain]",
        "a constituent is named without its brackets",
        "write `npi inside domain`",
        anywhere=True,
    ),
    Sample(
        "rule",
        "licensing: npi needs licensor -> npi inside domain",
        "`needs` is a condition already, so `->` cannot follow it",
        "write `npi needs licensor and npi inside domain`",
    ),
    Sample(
        "rule",
        "licensing: npi outside intervenes",
        "`outside` goes on with a test that something is inside a domain",
        "write `npi inside opens outside intervenes`; that it is not in a constituent is"
        " `not npi inside domain`",
        words=("outside",),
    ),
    Sample(
        "rule",
        "licensing: npi inside opens, outside intervenes",
        "`outside` goes on with a test that something is inside a domain",
        "write `npi inside opens outside intervenes`, without a comma or `and`",
        words=("outside",),
        back=1,
    ),
    Sample(
        "rule",
        "licensing: npi inside opens without intervenes",
        "what must not lie between a domain and an object stands after `outside`, not {found}",
        "write `npi inside opens outside intervenes`",
        words=("without", "except", "but", "excluding", "unless", "minus", "beyond"),
    ),
    Sample(
        "rule",
        "licensing: npi inside opens not inside focus",
        "a test with `not` is joined to another by `and`",
        "write `npi inside opens and not npi inside focus`; for what must not lie between,"
        " `npi inside opens outside focus`",
        words=("not",),
    ),
    Sample(
        "rule",
        "licensing: npi not inside domain",
        "`not` stands before the whole test",
        "write `not npi inside domain`",
        words=("not",),
    ),
    Sample(
        "rule",
        "licensing: npi inside opens outside intervenes outside focus",
        "`outside` stands once, and what it lists is joined by `|`",
        "write `npi inside opens outside intervenes | focus`",
        words=("outside",),
    ),
    Sample(
        "rule",
        "licensing: npi inside opens outside",
        "what must not lie between is missing after `outside`",
        "write `npi inside opens outside intervenes`",
    ),
    Sample(
        "rule",
        'licensing: npi inside "domain"',
        "a constituent is named without quotes",
        "write `npi inside domain`",
    ),
    Sample(
        "rule",
        'licensing: npi inside opens outside "focus"',
        "a constituent is named without quotes",
        "write `npi inside opens outside focus`",
    ),
    Sample(
        "rule",
        "licensing: npi inside opens | frees",
        "something is asked to be inside one domain or constituent, and {found} names another",
        "write `npi inside opens or npi inside frees`",
    ),
    Sample(
        "rule",
        "licensing: npi inside opens = scope",
        "which domains a word opens stands in the table, not in a rule",
        "name the column alone: npi inside opens",
    ),
    Sample(
        "rule",
        "licensing: npi inside licensor.opens.scope",
        "a domain is named by its owner and one word",
        "write `npi inside licensor.scope`, or the column alone: npi inside opens",
    ),
    Sample(
        "rule",
        "licensing: npi inside the domain",
        "{found} is too much: a constituent is named without an article",
        "write `npi inside domain`",
        words=_ARTICLES,
        back=1,
    ),
    Sample(
        "rule",
        "licensing: npi inside opens outside the focus",
        "{found} is too much: a constituent is named without an article",
        "write `npi inside opens outside focus`",
        words=_ARTICLES,
        back=1,
    ),
    Sample(
        "rule",
        "licensing: npi needs inside domain",
        "the object before {found} is missing",
        "write `npi needs npi inside domain`",
        words=("inside",),
        back=1,
    ),
    Sample(
        "rule",
        "licensing: inside domain",
        "the object before {found} is missing",
        "write `npi inside domain`",
        words=("inside",),
        back=1,
    ),
    Sample(
        "rule",
        ": free",
        "no sign stands after the name of a section",
        "write the word alone, and what belongs to it indented in the lines below",
    ),
    Sample(
        "rule",
        "= free",
        "no sign stands after the name of a section",
        "write the word alone, and what belongs to it indented in the lines below",
    ),
    Sample(
        "rule",
        '"what speakers do not agree on" free',
        "a description stands in quotes after the name of an entry, not of a section",
        'write `free "what it is about": any and any inside frees`',
    ),
    Sample(
        "rule",
        "order: licensor.site = @main",
        "a site is marked with `@` in a frame only",
        "write `licensor.site = main`",
        anywhere=True,
    ),
    Sample(
        "rule",
        "presence: n2? -> n1",
        "`?` is written where an object is declared",
        "write `n2 -> …`: the name alone says that the object is there",
        anywhere=True,
    ),
)

_SELECTIONS = (
    Sample(
        "selection",
        "N1 = person",
        "lexemes are selected with `is`, not with `=`",
        "write `N1 is person`, or `N1 is sort = person`",
    ),
    Sample(
        "selection",
        "N1 are person",
        "lexemes are selected with `is`, also those of several objects",
        "write `N1, N2 is person`",
        words=("are", "be", "has", "have", "must"),
    ),
    Sample(
        "selection",
        "N1 is a person",
        "{found} is too much: features are named without an article",
        "write `N1 is person`",
        words=_ARTICLES,
        back=1,
    ),
    Sample(
        "selection",
        "N1 inside domain",
        "a lexeme is not inside a constituent, an object of a sentence is",
        "write a rule under `external`: name: N1 inside domain",
        words=("inside",),
        back=1,
        anywhere=True,
    ),
    Sample(
        "selection",
        "N1 needs N2",
        "{found} belongs to a rule, not to a selection of lexemes",
        "write a rule under `external`: name: N1 needs N2",
        words=("needs", "ignores"),
    ),
    Sample(
        "selection",
        "N1 N2 differ",
        "a comma is missing between two objects",
        "write `N1, N2 differ`",
    ),
    Sample(
        "selection",
        "N1 is person animate",
        "something is missing between {previous} and {found}",
        "join features with `and` or `or`",
    ),
    Sample(
        "selection",
        "N1 is person, animal",
        "features are joined by `and` or `or`, not by commas",
        "write `N1 is person and animal` for both, `N1 is person or animal` for one of them",
    ),
    Sample(
        "selection",
        "N1 is person | animal",
        "features are joined by `or`, not by `|`",
        "write `N1 is person or animal`",
    ),
    Sample("selection", "N1 is", "a feature is missing", "write `N1 is person`"),
    Sample(
        "selection", "N1 is person and", "a feature is missing", "write `N1 is person and count`"
    ),
    Sample(
        "selection",
        'N1 is "person"',
        "a feature is a name, without quotes",
        "write `N1 is person`",
        anywhere=True,
    ),
    Sample(
        "selection",
        "N1",
        "nothing is said of {found}",
        "write `N1 is person`, `N1, N2 differ` or `N1, N2 share scene`",
        back=1,
    ),
    Sample(
        "selection",
        "N1 differ from N2",
        "the objects that differ all stand before `differ`",
        "write `N1, N2 differ`",
        words=("from",),
    ),
    Sample(
        "selection",
        "N1, N2 share",
        "the column that they share is missing",
        "write `N1, N2 share scene`",
    ),
    Sample(
        "selection",
        "N1, N2 share scene, topic",
        "objects share one column a line",
        "write a line for each: N1, N2 share scene",
    ),
    Sample(
        "selection",
        "N1, N2 share a scene",
        "{found} is too much: a column is named without an article",
        "write `N1, N2 share scene`",
        words=_ARTICLES,
        back=1,
    ),
    Sample(
        "selection",
        "N1.sort is person",
        "an object stands before `is` without its columns",
        "write `N1 is sort = person`",
    ),
    Sample(
        "selection",
        "selection: N1 is person",
        "a selection has no name",
        "write `N1 is person`",
    ),
)

_FRAMES = (
    Sample(
        "frame",
        "main subj verb",
        "`=` is missing after the name of the frame",
        "write `main = subj verb`",
    ),
    Sample(
        "frame",
        'main "the" subj',
        "`=` is missing after the name of the frame",
        "write `main = subj verb`",
    ),
    Sample(
        "frame",
        "main [domain subj]",
        "`=` is missing after the name of the frame",
        "write `main = subj verb`",
    ),
    Sample(
        "frame",
        "main : subj verb",
        "after the name of a frame stands `=`, not a colon",
        "write `main = subj verb`",
    ),
    Sample("frame", "main =", "this frame is empty", "list its parts: main = subj verb"),
    Sample("frame", "main", "this frame is empty", "list its parts: main = subj verb"),
    Sample("frame", "= subj verb", "this frame has no name", "write `main = subj verb`"),
    Sample(
        "frame",
        "main = subj, verb",
        "the parts of a frame stand side by side, without commas",
        'write `main = subj verb`; a comma in the sentence stands in quotes: ","',
        anywhere=True,
    ),
    Sample(
        "frame",
        "main = subj | verb",
        "alternatives stand in round brackets",
        "write `main = (subj | obj) verb`",
        anywhere=True,
    ),
    Sample(
        "frame",
        'main = ["the" subj] verb',
        "a constituent in square brackets has no name",
        "write its name first: [domain subj verb]",
    ),
    Sample(
        "frame",
        "main = [[rc subj] verb]",
        "a constituent in square brackets has no name",
        "write its name first: [domain [rc subj] verb]",
    ),
    Sample(
        "frame",
        "main = [(subj | obj) verb]",
        "a constituent in square brackets has no name",
        "write its name first: [domain (subj | obj) verb]",
    ),
    Sample(
        "frame",
        "main = [@site subj]",
        "a constituent in square brackets has no name",
        "write its name first: [domain @site subj]; a site's domain is `[site.scope subj]`",
    ),
    Sample(
        "frame",
        "main = [domain] verb",
        "this constituent has no name or no parts",
        "the first word in square brackets is its name: [domain subj verb]",
    ),
    Sample(
        "frame",
        "main = [] verb",
        "this constituent is empty",
        "write its name and its parts: [domain subj verb]",
    ),
    Sample(
        "frame",
        "main = (subj | ) verb",
        "an alternative is empty",
        "write parts on both sides of `|`; an object that may be absent is declared with `?`",
    ),
    Sample(
        "frame",
        "main = ( | subj) verb",
        "an alternative is empty",
        "write parts on both sides of `|`; an object that may be absent is declared with `?`",
    ),
    Sample(
        "frame",
        "main = () verb",
        "these brackets are empty",
        "list alternatives in them: (subj | obj)",
    ),
    Sample(
        "frame",
        "main = subj n1? verb",
        "`?` is written where an object is declared",
        "write `n1? : NP` under `objects`, and only `n1` in a frame; a question mark of the"
        ' sentence stands in quotes: "?"',
        anywhere=True,
    ),
    Sample(
        "frame",
        "main = neg [neg.scope.npi verb]",
        "a constituent has one owner and one name",
        "write `[neg.scope npi verb]`",
    ),
    Sample(
        "frame",
        "main = neg [.scope npi verb]",
        "nothing says whose domain this is",
        "write `[neg.scope npi verb]`: an object or a site, a dot, the domain",
    ),
    Sample(
        "frame",
        "main = neg [neg.] npi verb",
        "the name of the domain is missing after the dot",
        "write `[neg.scope npi verb]`",
    ),
    Sample(
        "frame",
        "main = [scope: npi verb]",
        "no sign stands after the name of a constituent",
        "write `[scope npi verb]`",
    ),
    Sample(
        "frame",
        "main = [scope = npi verb]",
        "no sign stands after the name of a constituent",
        "write `[scope npi verb]`",
    ),
    Sample(
        "frame",
        "main = [scope, npi verb]",
        "no sign stands after the name of a constituent",
        "write `[scope npi verb]`",
    ),
    Sample(
        "frame",
        "main = [scope | npi verb]",
        "no sign stands after the name of a constituent",
        "write `[scope npi verb]`; alternatives stand in round brackets",
    ),
    Sample(
        "frame",
        "main = neg (neg.scope npi verb)",
        "a constituent stands in square brackets, and a guard has a colon after it",
        "write `[neg.scope npi verb]`, or `(neg: npi verb)`",
    ),
    Sample(
        "frame",
        "main = @[main.scope npi verb]",
        "a site is named after `@`, and its domain in square brackets without it",
        "write `@main [main.scope npi verb]`",
    ),
    Sample(
        "frame",
        "main = @main.scope verb",
        "a site is named alone",
        "write `@main`, and bracket its domain: [main.scope npi verb]",
    ),
    Sample(
        "frame",
        "main = subj verb.",
        "a dot cannot stand in a frame",
        "objects stand here without their attributes, a domain in square brackets"
        " ([neg.scope npi verb]), and sentences get their full stop by themselves",
        anywhere=True,
    ),
    Sample(
        "frame",
        "main = subj 3 verb",
        "words and numbers of the sentence stand in quotes",
        'write `main = subj "3" verb`',
        anywhere=True,
    ),
    Sample(
        "frame",
        'main = @"site" verb',
        "a site has a name, without quotes",
        "write `main = @main verb`",
    ),
    Sample("frame", "main = subj verb @", "a site has a name", "write it after `@`: @main"),
    Sample(
        "frame",
        "main = (n1.link = pp : n1 | n1.link = coord n2)",
        "a colon is missing after the condition of an alternative",
        "write `(n1.link = pp: n1 | n1.link = coord: n2)`",
    ),
    Sample(
        "frame",
        "main = subj - verb",
        "nothing is written where an object is absent",
        "take {found} away",
        anywhere=True,
    ),
    Sample(
        "frame",
        "main = subj verb = clause",
        "a frame has one name and one `=`",
        "write `main = subj verb`",
        anywhere=True,
    ),
    Sample(
        "frame",
        "main = subj -> verb",
        "a frame lists parts from left to right, without arrows",
        "write `main = subj verb`",
        anywhere=True,
    ),
    Sample(
        "frame",
        "main = subj × verb",
        "the parts of a frame stand side by side",
        "write `main = subj verb`",
        anywhere=True,
    ),
)

_PARADIGMS = (
    Sample(
        "paradigm",
        "agree subj.number × verb.number",
        "`=` is missing after the name of the paradigm",
        "write `paradigm agree = subj.number × verb.number`",
    ),
    Sample(
        "paradigm",
        'agree "Agreement" subj.number × verb.number',
        "`=` is missing before the factors of the paradigm",
        'write `paradigm agree "Agreement" = subj.number × verb.number`',
    ),
    Sample(
        "paradigm",
        "agree: subj.number × verb.number",
        "after the name of a paradigm stands `=`, not a colon",
        "write `paradigm agree = subj.number × verb.number`",
    ),
    Sample(
        "paradigm",
        "= subj.number × verb.number",
        "this paradigm has no name",
        "write `paradigm agree = subj.number × verb.number`",
    ),
    Sample(
        "paradigm",
        "",
        "this paradigm has no name",
        "write `paradigm agree = subj.number × verb.number`",
    ),
    Sample(
        "paradigm",
        "agree",
        "this paradigm has no factors",
        "write `paradigm agree = subj.number × verb.number`",
    ),
    Sample(
        "paradigm",
        "agree =",
        "this paradigm has no factors",
        "write `paradigm agree = subj.number × verb.number`",
    ),
    Sample(
        "paradigm",
        "agree = subj.number x verb.number",
        "between factors stands × (or *), not {found}",
        "write `subj.number × verb.number`",
        words=_BETWEEN_FACTORS,
    ),
    Sample(
        "paradigm",
        "agree = subj.number × verb.number for main",
        "the frames of a paradigm stand after `in`, not after {found}",
        "write `… in main | relative`",
        words=("for", "of", "on", "over", "using", "frames"),
    ),
    Sample(
        "paradigm",
        "agree = subj.number verb.number",
        "× is missing between {previous} and {found}",
        "write `subj.number × verb.number`; `in`, `varying` and `with` follow the factors",
    ),
    Sample(
        "paradigm",
        "agree = subj.number, verb.number",
        "between factors stands × (or *), not a comma",
        "write `subj.number × verb.number`",
    ),
    Sample(
        "paradigm",
        "agree = subj.number × × verb.number",
        "a factor is missing",
        "write `subj.number × verb.number`",
    ),
    Sample(
        "paradigm",
        "agree = × verb.number",
        "a factor is missing",
        "write `subj.number × verb.number`",
    ),
    Sample(
        "paradigm",
        "agree = subj.number ×",
        "a factor is missing after {previous}",
        "write `subj.number × verb.number`",
    ),
    Sample(
        "paradigm",
        "agree = subj.number × verb.number in main, relative",
        "frames are separated by `|`, not by commas",
        "write `in main | relative`",
    ),
    Sample(
        "paradigm",
        "agree = subj.number × verb.number in main and relative",
        "frames are separated by `|`, not by {found}",
        "write `in main | relative`",
        words=_ALSO,
    ),
    Sample(
        "paradigm",
        "agree = subj.number × verb.number in",
        "no frame is named after `in`",
        "write `in main | relative`",
    ),
    Sample(
        "paradigm",
        "agree = subj.number × verb.number varying",
        "nothing is named that varies",
        "write `varying n1.number, n2.number`",
    ),
    Sample(
        "paradigm",
        "agree = subj.number × verb.number varying n1.number and n2.number",
        "what varies is listed with commas, not with {found}",
        "write `varying n1.number, n2.number`",
        words=_ALSO,
    ),
    Sample(
        "paradigm",
        "agree = subj.number × verb.number with",
        "nothing is fixed after `with`",
        "write `with verb.tense = past`",
    ),
    Sample(
        "paradigm",
        "agree = subj.number × verb.number with verb.tense past",
        "`=` is missing before a fixed value",
        "write `with verb.tense = past`",
    ),
    Sample(
        "paradigm",
        "agree = subj.number × verb.number with verb.tense: past",
        "a fixed value stands after `=`",
        "write `with verb.tense = past`",
    ),
    Sample(
        "paradigm",
        "agree = subj.number × verb.number with verb.tense",
        "a fixed value is missing",
        "write `with verb.tense = past`",
    ),
    Sample(
        "paradigm",
        "agree = subj.number × verb.number with verb.tense = past | present",
        "`with` fixes one value",
        "write `varying verb.tense` where it may have several",
    ),
    Sample(
        "paradigm",
        "agree = subj.number (sg, pl) × verb.number",
        "values are separated by `|`, not by commas",
        "write `subj.number (sg | pl)`",
    ),
    Sample(
        "paradigm",
        "agree = subj.number = sg × verb.number",
        "the values of a factor stand in round brackets",
        "write `subj.number (sg | pl)`",
    ),
    Sample(
        "paradigm",
        "agree = subj.number | verb.number",
        "between factors stands × (or *)",
        "write `subj.number × verb.number`",
    ),
)

_MATRICES = (
    Sample("matrix", "", "this matrix has no name", "write `matrix agrf = 8 items in main`"),
    Sample(
        "matrix", "= 8 items", "this matrix has no name", "write `matrix agrf = 8 items in main`"
    ),
    Sample(
        "matrix",
        "agrf 8 items in main",
        "`=` is missing after the name of the matrix",
        "write `matrix agrf = 8 items in main`",
    ),
    Sample(
        "matrix",
        "agrf items in main",
        "`=` is missing after the name of the matrix",
        "write `matrix agrf = 8 items in main`",
    ),
    Sample(
        "matrix",
        "agrf: 8 items in main",
        "after the name of a matrix stands `=`, not a colon",
        "write `matrix agrf = 8 items in main`",
    ),
    Sample(
        "matrix",
        "agrf",
        "nothing says what items this matrix has",
        "write `matrix agrf = 8 items in main`",
    ),
    Sample(
        "matrix",
        "agrf =",
        "nothing says what items this matrix has",
        "write `matrix agrf = 8 items in main`",
    ),
    Sample(
        "matrix",
        "agrf = 8",
        "after the number stands `items`",
        "write `matrix agrf = 8 items in main`",
    ),
    Sample(
        "matrix",
        "agrf = eight items in main",
        "the number of items is written in digits",
        "write `matrix agrf = 8 items in main`",
        words=("items", "item"),
        shift=1,
    ),
    Sample(
        "matrix",
        "agrf = 8 rows in main",
        "after the number stands `items`, not {found}",
        "write `matrix agrf = 8 items in main`",
    ),
    Sample(
        "matrix",
        "agrf = 8 items main",
        "`in` is missing before the frames",
        "write `matrix agrf = 8 items in main | relative`",
    ),
    Sample(
        "matrix",
        "agrf = 8 items of main",
        "the frames of a matrix stand after `in`, not after {found}",
        "write `matrix agrf = 8 items in main | relative`",
        words=("of", "for", "on", "over", "using"),
    ),
    Sample(
        "matrix",
        "agrf = 8 items in main, relative",
        "frames are separated by `|`, not by commas",
        "write `in main | relative`",
    ),
    Sample(
        "matrix",
        "agrf = 8 items in main and relative",
        "frames are separated by `|`, not by {found}",
        "write `in main | relative`",
        words=_ALSO,
    ),
    Sample(
        "matrix", "agrf = 8 items in", "no frame is named after `in`", "write `in main | relative`"
    ),
    Sample(
        "matrix",
        "agrf = items 8 in main",
        "the number stands before `items`",
        "write `matrix agrf = 8 items in main`",
    ),
    Sample(
        "matrix",
        "alt = swap atl 1, 8",
        "the matrix that is changed stands before `swap`",
        "write `matrix alt_atl = atl_alt swap 1, 8`",
        words=("swap",),
        back=1,
    ),
    Sample(
        "matrix",
        "alt = copy atl",
        "the other matrix is named alone, without {found}",
        "write `matrix balanced = agrf`",
        words=("copy", "copies"),
        back=1,
    ),
    Sample(
        "matrix",
        "alt = atl with subj.number = sg",
        "a matrix that takes its items from another has them as they are",
        "stop after the name of the other matrix, or write cycles of your own: = 8 items in main",
        words=("with", "in", "varying"),
    ),
    Sample(
        "matrix",
        "alt = atl, agrf",
        "a matrix takes its items from one other matrix",
        "write a line for each: matrix balanced = agrf",
    ),
    Sample(
        "matrix",
        "alt = atl swap 1, 8 with subj.number = sg",
        "nothing stands after the two items that are swapped",
        "end the line after the second number: swap 1, 8",
    ),
    Sample(
        "matrix",
        'alt = "atl"',
        "the other matrix is named without quotes",
        "write `matrix balanced = agrf`",
    ),
    Sample(
        "matrix",
        "alt = atl swap 1 8",
        "a comma is missing between the two items",
        "write `swap 1, 8`",
    ),
    Sample(
        "matrix",
        "alt = atl swap 1 and 8",
        "between the two items stands a comma",
        "write `swap 1, 8`",
    ),
    Sample(
        "matrix",
        "alt = atl swap 1",
        "two items are swapped, and one is missing",
        "write `swap 1, 8`",
    ),
    Sample(
        "matrix",
        "alt = atl swap first, last",
        "items are named by their numbers",
        "write `swap 1, 8`",
    ),
    Sample(
        "cycle",
        "n1.number cycles 2 of sg | pl",
        "nothing says after how many items the value changes",
        "write `every` and a number: n1.number cycles 2 of sg | pl every 2",
    ),
    Sample(
        "cycle",
        "n1.number cycles 2 of sg | pl 2",
        "`every` is missing before the number",
        "write `n1.number cycles 2 of sg | pl every 2`",
    ),
    Sample(
        "cycle",
        "n1.number cycles 2 of sg, pl every 2",
        "values are separated by `|`, not by commas",
        "write `n1.number cycles 2 of sg | pl every 2`",
    ),
    Sample(
        "cycle",
        "n1.number cycles 2 of sg and pl every 2",
        "values are separated by `|`, not by {found}",
        "write `n1.number cycles 2 of sg | pl every 2`",
        words=_ALSO,
    ),
    Sample(
        "cycle",
        "n1.number cycles two of sg | pl every 2",
        "the number of values is written in digits",
        "write `n1.number cycles 2 of sg | pl every 2`",
        words=("of",),
        shift=1,
    ),
    Sample(
        "cycle",
        "n1.number cycles every 2",
        "no values are named that go round",
        "write `n1.number cycles sg | pl every 2`",
        words=("every",),
        back=1,
    ),
    Sample(
        "cycle",
        "n1.number cycles 2 of sg pl every 2",
        "`|` is missing between {previous} and {found}",
        "write `n1.number cycles 2 of sg | pl every 2`",
    ),
    Sample(
        "cycle",
        "n1.number cycles 2 sg | pl every 2",
        "`of` is missing after the number",
        "write `n1.number cycles 2 of sg | pl every 2`",
    ),
    Sample(
        "cycle",
        "n1.number: cycles 2 of sg | pl every 2",
        "no colon stands before `cycles`",
        "write `n1.number cycles 2 of sg | pl every 2`",
    ),
    Sample(
        "cycle",
        "n1.number = sg | pl every 2",
        "the values of an operator stand after `cycles`",
        "write `n1.number cycles sg | pl every 2`",
    ),
    Sample(
        "cycle",
        "n1.number alternates sg | pl every 2",
        "the values of an operator stand after `cycles`, not after {found}",
        "write `n1.number cycles sg | pl every 2`",
    ),
    Sample(
        "cycle",
        "n1.number",
        "nothing says what values {found} goes through",
        "write `n1.number cycles sg | pl every 2`",
        back=1,
    ),
    Sample(
        "cycle",
        "n1.number cycles",
        "no values are named that go round",
        "write `n1.number cycles sg | pl every 2`",
    ),
    Sample(
        "cycle",
        "n1.number cycles sg | every 2",
        "a value is missing after `|`",
        "write `n1.number cycles sg | pl every 2`",
        words=("every",),
        back=1,
    ),
    Sample(
        "cycle",
        'n1.number cycles "sg" | "pl" every 2',
        "a value is a name, without quotes",
        "write `n1.number cycles sg | pl every 2`",
        anywhere=True,
    ),
    Sample(
        "cycle",
        "n1.number cycles sg | pl every two",
        "the number of items is written in digits",
        "write `every 2`",
    ),
    Sample(
        "cycle",
        "n1.number cycles sg | pl every",
        "a number is missing after `every`",
        "write `every 2`",
    ),
    Sample(
        "cycle",
        "n1.number cycles sg | pl every 2 items",
        "the number is followed by nothing",
        "write `every 2`",
        words=("item", "items", "rows", "steps", "times"),
    ),
    Sample(
        "cycle",
        "n1.number cycles sg | pl every 2 as I",
        "an operator is filed under an error class with `under`, not with {found}",
        "write `every 2 under I`",
        words=("as", "in", "for", "breaks"),
    ),
    Sample(
        "cycle",
        "n1.number cycles sg | pl every 2, n2.number cycles sg | pl every 4",
        "every operator has a line of its own",
        "write the next one on a new line",
    ),
    Sample(
        "table_header",
        "| subj, verb.voice",
        "columns are separated by spaces or `|`",
        "write `| subj verb.voice`",
        anywhere=True,
    ),
    Sample(
        "table_header",
        "| subj verb.voice |",
        "no `|` stands after the last column",
        "take it away",
        back=1,
    ),
    Sample("table_header", "|", "no columns are named", "write `| subj verb.voice`"),
    Sample(
        "table_header",
        '| "subj" verb.voice',
        "objects and attributes stand without quotes",
        "write `| subj verb.voice`",
        anywhere=True,
    ),
    Sample(
        "table_header",
        "| - subj",
        "a column is an object or an attribute of one",
        "write `| subj verb.voice`",
        anywhere=True,
    ),
    Sample(
        "table_header",
        "| 1 subj",
        "the numbers of the items have no column in the header",
        "write `| subj verb.voice`; numbers stand before the rows",
        anywhere=True,
    ),
    Sample(
        "table_row",
        "1 agent act",
        "`|` is missing after the number of the item",
        "write `1 | agent act`",
    ),
    Sample(
        "table_row",
        "1: agent act",
        "after the number of an item stands `|`, not {found}",
        "write `1 | agent act`",
    ),
    Sample(
        "table_row",
        "1. | agent act",
        "after the number of an item stands `|`, not {found}",
        "write `1 | agent act`",
    ),
    Sample(
        "table_row",
        "1 | agent, act",
        "values are separated by spaces or `|`",
        "write `1 | agent act`",
        anywhere=True,
    ),
    Sample(
        "table_row",
        "1 | agent act |",
        "no `|` stands after the last value",
        "take it away; an absent object is written `-`",
        back=1,
    ),
    Sample("table_row", "1 |", "this row has no values", "write `1 | agent act`"),
    Sample(
        "table_row",
        "1 | agent | | act",
        "a value is missing before this `|`",
        "write `-` for an object that is absent",
    ),
    Sample("table_row", "1", "this row has no values", "write `1 | agent act`"),
    Sample(
        "table_row",
        '1 | "agent" act',
        "a value is a name, without quotes",
        "write `1 | agent act`",
        anywhere=True,
    ),
    Sample(
        "table_row",
        "1 | verb.act",
        "a value stands here without its object",
        "write `1 | agent act`; the header says whose value it is",
        anywhere=True,
    ),
    Sample(
        "table_row",
        "1 | ? act",
        "an absent object is written `-`",
        "write `1 | - act`",
        anywhere=True,
    ),
    Sample(
        "table_row",
        "agent act",
        "a row begins with the number of its item and `|`",
        "write `1 | agent act`; the line with the columns begins with `|`",
    ),
    Sample(
        "table_row",
        "1 | agent = act",
        "values stand under their columns, without {found}",
        "write `1 | agent act`",
        anywhere=True,
    ),
)

_ANSWERS = (
    Sample(
        "answers",
        "agrf",
        "`for` is missing before the name of the matrix",
        "write `answers for agrf`",
    ),
    Sample(
        "answers",
        "of agrf",
        "the matrix is named after `for`, not after {found}",
        "write `answers for agrf`",
        words=("of", "to", "in"),
    ),
    Sample(
        "answers",
        "for agrf and alt",
        "matrices are separated by commas, not by {found}",
        "write `answers for agrf, alt`",
        words=_ALSO,
    ),
    Sample(
        "answers",
        "for agrf alt",
        "a comma is missing between two matrices",
        "write `answers for agrf, alt`",
    ),
    Sample(
        "answers",
        "crossed for agrf",
        "`crossed` stands after the names of the matrices",
        "write `answers for agrf crossed`",
        words=("for",),
    ),
    Sample(
        "answers",
        "crossed agrf",
        "`crossed` stands after the names of the matrices",
        "write `answers for agrf crossed`",
        words=("crossed",),
        back=1,
    ),
    Sample(
        "answers",
        "for agrf crossed:",
        "nothing stands after `crossed`",
        "write the answers on the lines below",
    ),
    Sample(
        "answers",
        "for agrf crossed with alt",
        "nothing stands after `crossed`: the answers below are crossed with each other",
        "write `answers for agrf crossed`, and the answers on the lines below",
    ),
    Sample("answers", 'for "agrf"', "a matrix is named without quotes", "write `answers for agrf`"),
    Sample("answers", "for", "no matrix is named after `for`", "write `answers for agrf`"),
    Sample(
        "answers",
        "for agrf:",
        "nothing stands after the name of the matrix",
        "write the answers on the lines below",
    ),
    Sample(
        "answers",
        ": ",
        "nothing stands after `answers`, or `for` and a matrix",
        "write the answers on the lines below",
    ),
    Sample(
        "answer",
        "AE flip verb.number",
        "a colon is missing before {found}",
        "write `AE breaks E agreement: flip verb.number`",
        words=EDITS,
    ),
    Sample(
        "answer",
        "AE breaks E agreement flip verb.number",
        "a colon is missing before {found}",
        "write `AE breaks E agreement: flip verb.number`",
        words=EDITS,
        back=99,
    ),
    Sample(
        "answer",
        "AE breaks E agreement set verb.number = pl",
        "a colon is missing before {found}",
        "write `AE breaks E agreement: set verb.number = pl`",
        words=EDITS,
        back=99,
    ),
    Sample(
        "answer",
        'AE breaks E words replace n1 with "dog"',
        "a colon is missing before {found}",
        "write `AE breaks E agreement: flip verb.number`",
        words=EDITS,
        back=99,
    ),
    Sample(
        "answer",
        "AE breaks E agreement",
        "nothing says how this answer differs from the right one",
        "write an edit after a colon: AE breaks E agreement: flip verb.number",
    ),
    Sample(
        "answer",
        "AE",
        "nothing says how this answer differs from the right one",
        "write an edit after a colon: AE: flip verb.number",
    ),
    Sample(
        "answer",
        "AE:",
        "an edit is missing after the colon",
        "write `AE: flip verb.number`; edits are flip, set, add, drop, swap, replace and embed",
    ),
    Sample(
        "answer",
        "AE: remove n2",
        "{found} is no edit",
        "write `drop n2`",
        words=("remove", "delete", "omit", "without", "minus"),
    ),
    Sample(
        "answer",
        "AE: insert n2",
        "{found} is no edit",
        "write `add n2 like n1`",
        words=("insert", "put", "append", "plus"),
    ),
    Sample(
        "answer",
        "AE: change verb.number",
        "{found} is no edit",
        "write `flip verb.number`, or `set verb.number = pl`",
        words=("change", "alter", "modify", "make", "use", "edit"),
    ),
    Sample(
        "answer",
        "AE: exchange n1, n2",
        "{found} is no edit",
        "write `swap n1, n2`",
        words=("exchange", "switch", "reverse", "invert"),
    ),
    Sample(
        "answer",
        "AE: flip verb.number, else flip n1.number",
        "no comma stands before `else`",
        "write `flip verb.number else flip n1.number`",
        words=("else",),
    ),
    Sample(
        "answer",
        "AE: else flip n1.number",
        "`else` stands between two edits",
        "write `flip verb.number else flip n1.number`",
        words=("else",),
    ),
    Sample(
        "answer",
        "AE: flip n1.number, keeping verb.number",
        "no comma stands before `keeping`",
        "write `flip n1.number keeping verb.number`",
        words=("keeping",),
    ),
    Sample(
        "answer",
        "AE: flip n1.number, n2.number",
        "each edit has a verb of its own",
        "write `flip n1.number, flip n2.number`",
    ),
    Sample(
        "answer",
        "AE: verb.number = sg",
        "an edit begins with a verb, and {found} is none",
        "edits are flip, set, add, drop, swap, replace and embed: set verb.number = sg",
    ),
    Sample(
        "answer",
        "AE: flip verb.number else",
        "an edit is missing after `else`",
        "write `flip verb.number else flip n1.number`",
    ),
    Sample(
        "answer",
        "AE: flip verb.number,",
        "an edit is missing after the comma",
        "write `flip n1.number, flip n2.number`",
    ),
    Sample(
        "answer",
        'AE: "dog"',
        "an edit begins with a verb, and {found} is none",
        'write `replace n1 with "dog"`',
    ),
    Sample(
        "answer",
        "AE: flip verb.number = sg",
        "`flip` takes no value",
        "write `set verb.number = sg`, or `flip verb.number` alone",
    ),
    Sample(
        "answer",
        "AE: flip verb.number to sg",
        "`flip` takes no value",
        "write `set verb.number = sg`, or `flip verb.number` alone",
        words=("to", "into"),
    ),
    Sample(
        "answer",
        "AE: flip verb.number and flip n1.number",
        "edits are separated by commas, not by {found}",
        "write `flip verb.number, flip n1.number`",
        words=("and", "then", "also"),
    ),
    Sample(
        "answer",
        "AE: flip verb.number or flip n1.number",
        "another edit for where this one has no sense stands after `else`, not after {found}",
        "write `flip verb.number else flip n1.number`",
        words=("or", "otherwise"),
    ),
    Sample(
        "answer",
        "AE: flip verb.number flip n1.number",
        "a comma is missing before {found}",
        "write `flip verb.number, flip n1.number`",
        words=EDITS,
    ),
    Sample(
        "answer",
        "AE: flip verb.number sg",
        "`flip` takes no value",
        "write `set verb.number = sg`, or `flip verb.number` alone",
    ),
    Sample("answer", "AE: flip", "nothing is named that is flipped", "write `flip verb.number`"),
    Sample(
        "answer",
        "AE: set verb.number",
        "the value is missing",
        "write `set verb.number = sg`; `flip verb.number` takes the other of two values",
    ),
    Sample(
        "answer",
        "AE: set verb.number to sg",
        "a value stands after `=`, not after {found}",
        "write `set verb.number = sg`",
        words=("to", "as", "is"),
    ),
    Sample(
        "answer",
        "AE: set verb.number sg",
        "`=` is missing before the value",
        "write `set verb.number = sg`",
    ),
    Sample(
        "answer",
        "AE: set verb.number: sg",
        "a value stands after `=`, not after a colon",
        "write `set verb.number = sg`",
    ),
    Sample(
        "answer",
        "AE: set verb.number =",
        "the value is missing after `=`",
        "write `set verb.number = sg`",
    ),
    Sample(
        "answer",
        'AE: set verb.number = "sg"',
        "a value is a name, without quotes",
        'write `set verb.number = sg`; other words are given with `replace n1 with "dog"`',
    ),
    Sample(
        "answer",
        "AE: set verb.number = sg | pl",
        "an edit sets one value",
        "keep one; `else` gives another edit for where the first has no sense",
    ),
    Sample(
        "answer",
        "AE: set verb",
        "the value is missing",
        "write `set verb.number = sg`; `flip verb.number` takes the other of two values",
    ),
    Sample("answer", "AE: set", "nothing is named that is set", "write `set verb.number = sg`"),
    Sample(
        "answer",
        "WNA: add n3 as n2",
        "what a new object is like stands after `like`",
        "write `add n3 like n2`",
        words=("as", "with", "from"),
    ),
    Sample(
        "answer",
        "WNA: add n3 = n2",
        "what a new object is like stands after `like`",
        "write `add n3 like n2`",
    ),
    Sample("answer", "WNA: add n3 like", "nothing is named after `like`", "write `add n3 like n2`"),
    Sample(
        "answer",
        "WNA: add n3.number",
        "an object is added as a whole",
        "write `add n3`; its attributes are set with `set n3.number = sg`",
    ),
    Sample(
        "answer",
        "WNA: add n3 n4",
        "a comma is missing, and the next edit's verb",
        "write `add n3, add n4`",
    ),
    Sample(
        "answer",
        'WNA: add "word"',
        "objects are added, not words",
        'write `add n3`, or `replace n2 with "word"`',
    ),
    Sample("answer", "WNA: add", "no object is named", "write `add n3 like n2`"),
    Sample("answer", "WNA: drop n2.number", "an object is dropped as a whole", "write `drop n2`"),
    Sample(
        "answer",
        "WNA: drop n2 n3",
        "a comma is missing, and the next edit's verb",
        "write `drop n2, drop n3`",
    ),
    Sample("answer", "WNA: drop", "no object is named", "write `drop n2`"),
    Sample(
        "answer",
        "WNA: swap n1 and n2",
        "between the two that are swapped stands a comma",
        "write `swap n1, n2`",
        words=("and", "with", "for"),
    ),
    Sample(
        "answer",
        "WNA: swap n1 n2",
        "a comma is missing between the two that are swapped",
        "write `swap n1, n2`",
    ),
    Sample("answer", "WNA: swap n1", "two are swapped, and one is missing", "write `swap n1, n2`"),
    Sample("answer", "WNA: swap", "nothing is named that is swapped", "write `swap n1, n2`"),
    Sample(
        "answer",
        'WNA: replace n1 "dog"',
        "`with` is missing before the new words",
        'write `replace n1 with "dog"`',
    ),
    Sample(
        "answer",
        'WNA: replace n1 by "dog"',
        "new words stand after `with`, not after {found}",
        'write `replace n1 with "dog"`',
    ),
    Sample(
        "answer",
        'WNA: replace n1 = "dog"',
        "new words stand after `with`",
        'write `replace n1 with "dog"`',
    ),
    Sample(
        "answer",
        'WNA: replace "cat" with "dog"',
        "an object is named whose words are replaced",
        'write `replace n1 with "dog"`',
    ),
    Sample(
        "answer", "WNA: replace n1", "the new words are missing", 'write `replace n1 with "dog"`'
    ),
    Sample(
        "answer",
        "WNA: replace n1 with",
        "the new words are missing after `with`",
        'write `replace n1 with "dog"`',
    ),
    Sample(
        "answer",
        "WNA: replace n1 with dog cat",
        "words stand in quotes",
        'write `replace n1 with "dog cat"`; a name alone is another object',
        back=1,
    ),
    Sample(
        "answer",
        "WNA: replace n1 with n2.number",
        "words are replaced by a text in quotes, or by those of another object",
        'write `replace n1 with "dog"` or `replace n1 with n2`',
    ),
    Sample(
        "answer", "WNA: embed n1", "nothing says in what it is embedded", "write `embed n1 in n2`"
    ),
    Sample(
        "answer", "WNA: embed n1 n2", "`in` is missing before the host", "write `embed n1 in n2`"
    ),
    Sample(
        "answer",
        'WNA: embed n1 in n2 "of"',
        "`with` is missing before the words between",
        'write `embed n1 in n2 with "of"`',
    ),
    Sample(
        "answer",
        "AE: flip n1.number keeping",
        "nothing is named that is kept",
        "write `flip n1.number keeping verb.number`",
    ),
    Sample(
        "answer",
        "AE: flip n1.number keeping verb.number, n2.number",
        "what is kept is listed with `and`, not with commas",
        "write `keeping verb.number and n2.number`",
    ),
    Sample(
        "answer",
        "AE: flip n1.number keeping verb.number n2.number",
        "`and` is missing between what is kept",
        "write `keeping verb.number and n2.number`",
    ),
    Sample(
        "answer",
        "AE breaks: flip verb.number",
        "`breaks` names no class",
        "write the class and the rules: AE breaks E agreement: flip verb.number",
    ),
    Sample(
        "answer",
        "AE breaks",
        "`breaks` names no class",
        "write the class and the rules: AE breaks E agreement: flip verb.number",
    ),
    Sample(
        "answer",
        "AE breaks E.agreement: flip verb.number",
        "between a class and its rules stands a space",
        "write `breaks E agreement`",
    ),
    Sample(
        "answer",
        "AE breaks E = agreement: flip verb.number",
        "between a class and its rules stands a space",
        "write `breaks E agreement`",
    ),
    Sample(
        "answer",
        "AE breaks E (agreement): flip verb.number",
        "between a class and its rules stands a space",
        "write `breaks E agreement`",
    ),
    Sample(
        "answer",
        "AE breaks E: agreement: flip verb.number",
        "the colon stands after the rules of a claim",
        "write `breaks E agreement: flip …`",
        words=("agreement",),
    ),
    Sample(
        "answer",
        "AE as E: flip verb.number",
        "`as` follows `breaks` and its classes",
        "write `AE breaks E agreement as R: flip verb.number`",
        words=("as",),
    ),
    Sample(
        "answer",
        "AE E agreement: flip verb.number",
        "something is missing between {previous} and {found}",
        'write `AE breaks E agreement: …`; a label of several words stands in quotes: "A E"',
    ),
    Sample(
        "answer",
        "AE = flip verb.number",
        "after the label of an answer stands a colon, not `=`",
        "write `AE: flip verb.number`",
    ),
    Sample(
        "answer",
        "1: flip verb.number",
        "the label of an answer is a name",
        'write `A1: flip verb.number`, or put the label in quotes: "1"',
    ),
    Sample(
        "answer", ": flip verb.number", "this answer has no label", "write `AE: flip verb.number`"
    ),
)

_EXAMPLES = (
    Sample(
        "example",
        "accept The dog barks.",
        "an example sentence stands in quotes",
        'write `accept "The dog barks."`',
    ),
    Sample(
        "example", "accept", "the example sentence is missing", 'write `accept "The dog barks."`'
    ),
    Sample(
        "example",
        'accept: "The dog barks."',
        "no sign stands before an example sentence",
        'write `accept "The dog barks."`',
        anywhere=True,
    ),
    Sample(
        "example",
        '"The dog barks."',
        "nothing says whether this sentence is acceptable",
        'write `accept "The dog barks."` or `reject "The dog bark."`',
    ),
    Sample(
        "example",
        'accept "The dog barks." "The cat sleeps."',
        "each example has its own line",
        "write the next one on a new line, with `accept` or `reject`",
    ),
    Sample(
        "example",
        'accept "The dog barks.", "The cat sleeps."',
        "each example has its own line",
        "write the next one on a new line, with `accept` or `reject`",
    ),
    Sample(
        "example",
        '* "The dog bark."',
        "an unacceptable sentence is marked with `reject`",
        'write `reject "The dog bark."`',
    ),
    Sample(
        "example",
        '? "The dog bark."',
        "an example is either acceptable or not",
        'write `accept "…"` or `reject "…"`; leave out what is contested',
    ),
    Sample(
        "example",
        'good "The dog barks."',
        "an example begins with `accept` or `reject`, not with {found}",
        'write `accept "The dog barks."`',
    ),
    Sample(
        "cell_expression",
        "person, animal",
        "features are joined by `and`, `or` or `|`, not by commas",
        "write `person and animal` for both, `person or animal` for one of them",
    ),
    Sample(
        "cell_expression",
        "person animal",
        "something is missing between {previous} and {found}",
        "join features with `and`, `or` or `|`",
    ),
    Sample(
        "cell_expression",
        "person and",
        "a feature is missing after {previous}",
        "write `person and animate`",
    ),
    Sample(
        "cell_expression",
        "person |",
        "a feature is missing after {previous}",
        "write `person | animal`",
    ),
    Sample(
        "cell_expression",
        '"person"',
        "a feature is a name, without quotes",
        "write `person`",
        anywhere=True,
    ),
)

SAMPLES: tuple[Sample, ...] = (
    *_HEADS,
    *_OBJECTS,
    *_ATTRIBUTES,
    *_RULES,
    *_SELECTIONS,
    *_FRAMES,
    *_PARADIGMS,
    *_MATRICES,
    *_ANSWERS,
    *_EXAMPLES,
)

# Signs of other notations, and how the same is written here.
FOREIGN: dict[str, str] = {
    "==": "write one `=`",
    ":=": "the name of a rule or an answer is followed by `:`, every other name by `=`",
    "=>": "write `->`",
    "-->": "write `->`",
    "⇒": "write `->`",
    "<>": "write `!=`",
    "=/=": "write `!=`",
    "<=": "write `=` or `!=`",
    ">=": "write `=` or `!=`",
    "<": "write `=` or `!=`",
    ">": "write `=` or `!=`",
    "&&": "write `and`",
    "&": "write `and`",
    "∧": "write `and`",
    "||": "write `or` between tests, `|` between values",
    "∨": "write `or`",
    "/": "write `|` between values or alternatives",
    "\\": "write `|` between values or alternatives",
    "¦": "write `|`",
    "!": "write `not`",
    "¬": "write `not`",
    "~": "write `not`",
    ";": "write a comma between the parts of a list, and every entry on a line of its own",
    "+": "the parts of a frame stand side by side; between factors stands ×",
    "·": "write × (or *) between factors",
    "{": "brackets are ( ) for attributes and alternatives, [ ] for constituents",
    "}": "brackets are ( ) for attributes and alternatives, [ ] for constituents",
    "：": "write `:`",
    "＝": "write `=`",
    "，": "write a comma",
    "；": "write a comma, and every entry on a line of its own",
    "｜": "write `|`",
    "（": "write `(`",
    "）": "write `)`",
}


@frozen
class Explained:
    """The sample that explains a refusal, and the number of the token it is about."""

    sample: Sample
    position: int


@cache
def _index() -> tuple[
    dict[tuple[str, int, str], list[Sample]], dict[tuple[str, str], list[Sample]]
]:
    from merula.language.parse import feed
    from merula.language.refusals import EntryError

    exact: dict[tuple[str, int, str], list[Sample]] = {}
    anywhere: dict[tuple[str, str], list[Sample]] = {}
    for sample in SAMPLES:
        tokens = [token for token in scan(sample.text) if token.kind != "NEWLINE"]
        try:
            feed(sample.start, tokens)
        except EntryError as error:
            exact.setdefault((sample.start, error.state, error.kind), []).append(sample)
            if sample.anywhere:
                anywhere.setdefault((sample.start, error.kind), []).append(sample)
    return exact, anywhere


def explanation(
    start: str, state: int, kind: str, tokens: Sequence[Token], position: int, *, words: bool
) -> Explained | None:
    """What a sample says of an entry refused at a token, if there is one that says it.

    With ``words``, only of those that are about certain words.
    """
    exact, anywhere = _index()
    samples = [*exact.get((start, state, kind), ()), *anywhere.get((start, kind), ())]
    for sample in samples:
        if bool(sample.words) is not words:
            continue
        for place in _places(sample, tokens, position):
            return Explained(sample, place)
    return None


def _places(sample: Sample, tokens: Sequence[Token], position: int) -> Iterator[int]:
    """Where the bad token of a sample can stand in an entry."""
    if not sample.words:
        yield max(position - sample.back, 0)
        return
    for place in range(position, max(position - sample.back, 0) - 1, -1):
        if place < len(tokens) and tokens[place].text.casefold() in sample.words:
            yield max(place - sample.shift, 0)
