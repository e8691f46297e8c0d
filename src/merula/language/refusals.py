"""Report an entry that the grammar does not allow.

In go the tokens of an entry and the `EntryError` that says where it stops; one diagnostic goes
into the report. Texts without an end, signs without a meaning and brackets without a partner come
first. A slip that beginners make has a message of its own (`merula.language.slips`), a misspelt
key word is recognised, and for everything else the message lists what was expected.
`merula.language.parse` calls this.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from merula.core.diagnostics import Label, Report
from merula.core.source import Source, Span
from merula.core.wording import did_you_mean, listing
from merula.language.entry import EntryError
from merula.language.tokens import KEYWORDS, SYMBOLS, Token

# How deep brackets and `not` may be nested. All stages walk the tree with a few frames a level,
# and Python stops at 1,000 frames.
MAX_DEPTH = 50
MAX_DIGITS = 18  # of a number, so that each one fits into 64 bits

_TERMINALS = {
    "NAME": "a name",
    "STRING": 'a text in quotes ("…")',
    "INT": "a number",
    "$END": "the end of the line",
    **{kind: f"`{text}`" for text, kind in reversed(SYMBOLS.items()) if text.isascii()},
    **{word.upper(): f"`{word}`" for word in KEYWORDS},
}
# What messages call an entry, by its start symbol.
ENTRY_NAMES = {
    "phenomenon": "`phenomenon`",
    "language": "`language`",
    "lexicon": "`lexicon`",
    "mapping": "a column of a lexicon",
    "imports": "`import`",
    "object": "an object",
    "attribute": "an attribute",
    "rule": "a rule",
    "selection": "a selection",
    "frame": "a frame",
    "paradigm": "a paradigm",
    "matrix": "a matrix",
    "cycle": "a cycle",
    "table_header": "the header of an item table",
    "table_row": "a row of an item table",
    "answers": "`answers`",
    "answer": "an answer",
    "example": "an example",
    "cell_expression": "a selection cell",
}


def report_refusal(
    report: Report, source: Source, tokens: Sequence[Token], error: EntryError, head: Token | None
) -> None:
    """Report what is wrong with an entry; ``head`` is the head word of its section, if any."""
    at = min(error.position, len(tokens))
    unclosed = next((token for token in tokens if token.kind == "OPEN"), None)
    if unclosed is not None:
        report.error(
            "M005",
            "this text has no closing quote",
            source.span(unclosed.start, unclosed.end),
            remedy='write " at the end of the text, on the same line',
        )
    elif at < len(tokens) and tokens[at].kind == "UNKNOWN":
        _report_sign(report, source, tokens, at, in_cell=error.start == "cell_expression")
    elif not _report_bracket(report, source, tokens):
        _report_token(report, source, tokens, error, head)


def _report_token(
    report: Report, source: Source, tokens: Sequence[Token], error: EntryError, head: Token | None
) -> None:
    from merula.language.slips import explanation

    at = min(error.position, len(tokens))
    place = (error.start, error.state, error.kind, tokens, at)
    slip = explanation(*place, words=True)
    meant = _misspelt(tokens[at].text, error.expected) if at < len(tokens) and not slip else ""
    if not slip and not meant:
        slip = explanation(*place, words=False)
    at = slip.position if slip else at
    bad = show(tokens[at].text) if at < len(tokens) else "the end of the line"
    code, message, remedy = "M010", "", f"did you mean {meant}?"
    if slip:
        before = tokens[at - 1] if at else head
        words = {"found": bad, "previous": show(before.text) if before else "the beginning"}
        message, remedy = slip.sample.message.format(**words), slip.sample.remedy
    elif meant:
        message = f"{bad} means nothing here in {ENTRY_NAMES[error.start]}"
    else:
        code = "M011"
        expected = listing(_expected(error.expected), "or")
        message = f"{bad} does not belong here in {ENTRY_NAMES[error.start]}"
        if at == len(tokens):
            message = f"{ENTRY_NAMES[error.start]} is not complete here"
        remedy = f"expected {expected}" if expected else ""
    if head is not None and head.text == "contested":
        message, remedy = _of_contested(message, remedy)
    report.error(code, message, _place(source, tokens, at, head), remedy=remedy)


def _of_contested(message: str, remedy: str) -> tuple[str, str]:
    """Return the message and remedy about a rule for a test under `contested`, written alike."""
    if re.search(r"\w+: ", remedy):
        remedy = "write a name, a colon and a test, such as `free: any and any inside frees`"
    return message.replace("rule", "test"), remedy


def _place(source: Source, tokens: Sequence[Token], at: int, head: Token | None) -> Span:
    """Return the span of a token, or the empty span at the end of an entry."""
    if at < len(tokens):
        return source.span(tokens[at].start, tokens[at].end)
    last = tokens[-1] if tokens else head
    end = last.end if last else len(source.text)
    return source.span(end, end)


def _misspelt(word: str, expected: Iterable[str]) -> str:
    """Return the expected key word that a word is probably meant to be, or an empty string."""
    keywords = [kind.lower() for kind in expected if kind.lower() in KEYWORDS]
    hint = did_you_mean(word, (k for k in keywords if k[:1] == word[:1].lower()))
    return hint.removeprefix("did you mean ").removesuffix("?")


def _report_sign(
    report: Report, source: Source, tokens: Sequence[Token], at: int, *, in_cell: bool
) -> None:
    """Report a character that has no meaning, with what to write instead."""
    token = tokens[at]
    text, end = token.text, token.end
    if text.isdecimal():
        while at + 1 < len(tokens) and tokens[at + 1].start == end:
            at, end = at + 1, tokens[at + 1].end
        message = f"{show(source.text[token.start : end])} is neither a number nor a name"
        remedy = "begin a name with a letter, and write a number alone"
    else:
        message = f"{show(text)} has no meaning in a {'selection cell' if in_cell else 'grammar'}"
        remedy = _sign_remedy(text)
        if in_cell and text in (";", "/", "+"):
            remedy = "join features with `and`, `or` or `|`"
    report.error("M006", message, source.span(token.start, end), remedy=remedy)


def _sign_remedy(text: str) -> str:
    from merula.language.slips import FOREIGN

    if text in FOREIGN:
        return FOREIGN[text]
    if len(text) > 1 and text.strip("=") == "":
        return FOREIGN["=="]
    if len(text) > 1 and text.strip("-") == ">":
        return FOREIGN["-->"]
    if text in "“”„‟«»‹›‘’‚'`":
        return 'put texts, and words with an apostrophe, in straight double quotes: "…"'
    name = unicodedata.name(text, "") if len(text) == 1 else ""
    what = f" (it is {name})" if name and not text.isascii() else ""
    return f"delete it{what}; if it belongs to a text, put that in quotes"


def _report_bracket(report: Report, source: Source, tokens: Sequence[Token]) -> bool:
    """Report the first bracket of an entry that has no partner; return whether there is one."""
    partner = {"LPAR": "RPAR", "LSQB": "RSQB"}
    closing = {"RPAR": "(", "RSQB": "["}
    opened: list[Token] = []
    for token in tokens:
        span = source.span(token.start, token.end)
        if token.kind in partner:
            opened.append(token)
        elif token.kind in closing and not opened:
            report.error(
                "M007",
                f"{show(token.text)} closes no bracket",
                span,
                remedy=f"take it away, or write `{closing[token.kind]}` where the bracket begins",
            )
            return True
        elif token.kind in closing and partner[opened[-1].kind] != token.kind:
            first = opened[-1]
            report.error(
                "M007",
                f"{show(first.text)} is closed by {show(token.text)}",
                Label(span, "closed here"),
                Label(source.span(first.start, first.end), "opened here"),
                remedy="close every bracket with its own partner, the last one opened first",
            )
            return True
        elif token.kind in closing:
            opened.pop()
    if not opened:
        return False
    first = opened[-1]
    report.error(
        "M007",
        f"{show(first.text)} is never closed",
        source.span(first.start, first.end),
        remedy=f"write `{')' if first.kind == 'LPAR' else ']'}` where it ends",
    )
    return True


def report_excess(report: Report, source: Source, tokens: Sequence[Token]) -> bool:
    """Report what is too deep or too long to be read; return whether there is anything."""
    deep = _too_deep(tokens)
    long = next((t for t in tokens if t.kind == "INT" and len(t.text) > MAX_DIGITS), None)
    if deep is not None:
        text = f"brackets and `not` are nested more than {MAX_DEPTH} deep here"
        remedy = "write the inner parts as frames or rules of their own"
        report.error("M008", text, source.span(deep.start, deep.end), remedy=remedy)
    elif long is not None:
        text = f"a number cannot have more than {MAX_DIGITS} digits"
        report.error("M009", text, source.span(long.start, long.end), remedy="write a smaller one")
    return deep is not None or long is not None


def _too_deep(tokens: Iterable[Token]) -> Token | None:
    """Return the first bracket or ``not`` nested deeper than `MAX_DEPTH`, if there is one."""
    depth = 0
    nots = [0]  # for every open bracket, how many `not` are before what comes next
    for token in tokens:
        if token.kind in ("LPAR", "LSQB"):
            depth += 1
            nots.append(0)
        elif token.kind in ("RPAR", "RSQB"):
            depth = max(depth - 1, 0)
            nots[:] = nots[:-1] or [0]
            nots[-1] = 0
        elif token.text == "not":
            nots[-1] += 1
        else:
            nots[-1] = 0
        if depth + sum(nots) > MAX_DEPTH:
            return token
    return None


def _expected(kinds: Iterable[str]) -> list[str]:
    return sorted({_TERMINALS[kind] for kind in kinds if kind in _TERMINALS})


def show(text: str) -> str:
    """Return a token as messages name it."""
    if len(text) == 1 and not text.isprintable():
        return f"the invisible character U+{ord(text):04X}"
    return f"`{text}`"
