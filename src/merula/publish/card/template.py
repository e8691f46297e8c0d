"""The text of a card: facts, written with the packaged template or with a user's own.

In: the facts (`merula.publish.card.facts`), perhaps a template. Out: Markdown with a head in YAML.
`merula.publish.make` calls it. A user's template may extend the packaged one (``templates/card``)
and put other text in its blocks. It runs in a sandbox, and whatever goes wrong in it is a
`MerulaError`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from merula.core.diagnostics import MerulaError
from merula.core.resources import folder
from merula.core.wording import did_you_mean
from merula.publish.card import markdown
from merula.publish.card.metadata import demand_yaml, read_yaml, to_yaml

if TYPE_CHECKING:
    from jinja2 import BaseLoader, Environment

T = TypeVar("T")
TEMPLATE = "card.md.j2"
# Exceptions that a template can raise by what it does with values.
VALUE_FAULTS = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError)
_HEAD = re.compile(r"\s*---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)


def render(facts: Mapping[str, Any], template: Path | None = None) -> str:
    """Write the card as Markdown with its head.

    ``template`` is a Jinja template of the user's own, which may begin with ``{% extends
    "card.md.j2" %}``. A text that it writes without a head gets one. Raises `MerulaError` where
    PyYAML is missing, or where the template is at fault.
    """
    demand_yaml()
    if template is None:
        text = _packaged().get_template(TEMPLATE).render(facts)
    else:
        text = _rendered(facts, template)
    return markdown.tidied(text)


def demand_card(template: Path | None = None) -> None:
    """Raise `MerulaError` where no card could be written, before there is anything to write."""
    demand_yaml()
    if template is not None:
        demand_template(template)


def demand_template(template: Path) -> None:
    """Raise `MerulaError` where a template cannot be read."""
    _guarded(template, lambda: _environment(template).get_template(_name(template)))


def _rendered(facts: Mapping[str, Any], template: Path) -> str:
    """Write the card with a user's template; whatever goes wrong in it is a `MerulaError`."""
    text = _guarded(
        template, lambda: _environment(template).get_template(_name(template)).render(facts), facts
    )
    return _with_head(text, facts, template)


def _name(template: Path) -> str:
    """Return the name of a user's template, never that of the packaged one, which it may extend."""
    name = str(template)
    return f"./{name}" if name == TEMPLATE else name


def _guarded(template: Path, do: Callable[[], T], names: Iterable[str] = ()) -> T:
    """Do something with a user's template; ``names`` are those that it may use.

    Raises `MerulaError` for whatever the template raises.
    """
    from jinja2 import TemplateError, UndefinedError
    from jinja2.exceptions import SecurityError, TemplateNotFound, TemplateSyntaxError

    try:
        return do()
    except TemplateSyntaxError as error:
        raise _at_fault(template, error.message or "", error.lineno, error.filename) from error
    except TemplateNotFound as error:
        fault = f"there is no template {error.message}"
        raise _at_fault(template, fault, _line_of(error, template)) from error
    except SecurityError as error:
        fault = f"{error.message or error}; a template may only write, not reach into Merula"
        raise _at_fault(template, fault, _line_of(error, template)) from error
    except RecursionError as error:
        raise _at_fault(template, "it extends or includes itself", 0) from error
    except OSError as error:
        raise _at_fault(template, error.strerror or str(error), 0) from error
    except UnicodeDecodeError as error:
        raise _at_fault(template, "it is not written in UTF-8", 0) from error
    except UndefinedError as error:
        name = re.match(r"'(\w+)' is undefined", str(error))
        meant = did_you_mean(name[1], names) if name else ""
        fault = f"{error}{'; ' + meant if meant else ''}"
        raise _at_fault(template, fault, _line_of(error, template)) from error
    except (TemplateError, *VALUE_FAULTS) as error:
        raise _at_fault(template, str(error), _line_of(error, template)) from error


def _with_head(text: str, facts: Mapping[str, Any], template: Path) -> str:
    """Return a card with a head that Datasets can read: its own, or that of the packaged card."""
    match = _HEAD.match(text)
    if match is None:
        return f"---\n{to_yaml(facts['metadata'])}---\n\n{text.lstrip()}"
    try:
        head = read_yaml(match[1])
    except ValueError as error:
        raise _at_fault(template, f"the head it writes is not YAML: {error}", 0) from error
    if not isinstance(head, Mapping) or "configs" not in head:
        raise _at_fault(template, "the head it writes has no configs", 0)
    return text.lstrip()


def _line_of(error: BaseException, template: Path) -> int:
    """Return the line of the template at which an error was raised; 0 if it was elsewhere."""
    line, at = 0, error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename == str(template):
            line = at.tb_lineno
        at = at.tb_next
    return line


def _at_fault(template: Path, what: str, line: int, file: str | None = None) -> MerulaError:
    place = file or str(template)
    return MerulaError.of(
        "M711",
        f"the card template cannot be used: {markdown.line(what)}",
        remedy="templates/README.md says which names and blocks there are; without --template the"
        " packaged one is taken",
        place=f"{place}:{line}" if line else place,
    )


@cache
def _packaged() -> Environment:
    return _environment(None)


def _environment(template: Path | None) -> Environment:
    """Return the sandbox in which templates run; only its filters escape text."""
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        loader=_loader(template),
        autoescape=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    filters: dict[str, Callable[..., str]] = {
        "md": markdown.inline,
        "sentence": markdown.sentence,
        "code": markdown.code,
        "cellcode": markdown.cell_code,
        "codes": lambda texts: ", ".join(markdown.code(text) for text in texts),
        "html": lambda text: escape(markdown.line(text)),
        "fenced": markdown.fenced,
        "aligned": markdown.aligned,
        "columns": markdown.columns,
        "yaml": to_yaml,
        "quoted": lambda text: json.dumps(str(text), ensure_ascii=False),
        "number": lambda value: f"{value:,}",
        "share": lambda value: f"{value:.1%}",
        "shares": _shares,
    }
    environment.filters.update(filters)
    environment.globals.update({"link": _link, "broken": _broken, "reached": _reached})
    return environment


def _link(text: object, url: str) -> str:
    """Write a link, or the text alone if the address is not one that a link can have."""
    shown = markdown.inline(text)
    return f"[{shown}]({url})" if re.fullmatch(r"https?://[^\s()<>\\\"]+", url) else shown


def _shares(values: Iterable[float]) -> str:
    """Write a share, or the range of several: ``12.5% to 50.0%``."""
    texts = list(dict.fromkeys(f"{value:.1%}" for value in sorted(values)))
    return texts[0] if len(texts) == 1 else f"{texts[0]} to {texts[-1]}"


def _broken(cell: Mapping[str, Any]) -> str:
    """Write the rules that a cell breaks."""
    always = [markdown.code(rule) for rule in cell["breaks"]]
    return ", ".join([*always, *(f"sometimes {markdown.code(x)}" for x in cell["sometimes"])])


def _reached(probe: Mapping[str, Any], *, forced: bool = True) -> str:
    """Write what a probe reaches, in bold if it exceeds what the design forces, and that share."""
    text = f"{probe['accuracy']:.1%}"
    if probe["leaks"]:
        text = f"**{text}**"
    return f"{text} / {probe['forced']:.1%}" if forced and probe["forced"] is not None else text


def _loader(template: Path | None) -> BaseLoader:
    from jinja2 import ChoiceLoader, FileSystemLoader, FunctionLoader

    packaged = FileSystemLoader(folder("templates") / "card", encoding="utf-8")
    if template is None:
        return packaged
    beside = FileSystemLoader(template.parent, encoding="utf-8")
    return ChoiceLoader([FunctionLoader(partial(_read, template)), packaged, beside])


def _read(template: Path, name: str) -> tuple[str, str, Callable[[], bool]] | None:
    """Read the user's template for the loader, which asks for all templates by name."""
    if name != _name(template):
        return None
    return template.read_text(encoding="utf-8-sig"), str(template), lambda: True
