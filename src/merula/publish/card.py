"""The card of a published data set: ``README.md``, its head in YAML and its body in Markdown.

`facts` gathers plain values, `render` writes them with a template: the packaged one
(``templates/card``) or a user's own, which may extend it and put other text in its blocks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from merula._resources import folder
from merula.audit.probes import PROBES
from merula.compiler import Compiled
from merula.language.diagnostics import MerulaError, did_you_mean
from merula.publish import markdown
from merula.publish.card_audit import audited
from merula.publish.card_designs import ALWAYS, design, example, phenomenon
from merula.publish.card_metadata import demand_yaml, metadata, read_yaml, to_yaml
from merula.publish.card_samples import Samples
from merula.publish.citation import citation
from merula.publish.features import ClassNames
from merula.publish.licences import licence_url
from merula.publish.manifest import ConfigEntry, Publication
from merula.publish.meanings import classes, common, meaning
from merula.publish.origins import Origin, origins

if TYPE_CHECKING:
    from jinja2 import BaseLoader, Environment

T = TypeVar("T")
TEMPLATE = "card.md.j2"
# What a template can raise by what it does with values.
FAULTS = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError)
APART = {
    "": "",
    "lexemes": "content lexeme",
    "sets": "lexical set",
    "answers": "right answer",
}
MOST_NAMES = 12  # of a class label that are written out
_HEAD = re.compile(r"\s*---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)


# --- facts ---------------------------------------------------------------------------------------


def facts(
    publication: Publication,
    compiled: Mapping[str, Compiled],
    audit: Mapping[str, Any] | None = None,
    samples: Samples | None = None,
    *,
    repo: str = "",
) -> dict[str, Any]:
    """All that a card says, as plain values.

    ``compiled`` holds the grammars by phenomenon, ``audit`` what `Audit.to_json` gives, ``samples``
    an instance of each design in each configuration. ``repo`` is the name on the hub,
    ``owner/name``; without it the card names the folder. Raises `MerulaError` where a
    ``sources.toml`` beside the tables cannot be understood.
    """
    samples = samples or {}
    found = audited(audit)
    designs = _designs(publication, compiled)
    configs = [_config(config, publication, designs) for config in publication.configs]
    return {
        "metadata": metadata(publication),
        "name": publication.name,
        "title": publication.title or publication.name,
        "repo": repo or publication.name,
        "licence": publication.licence,
        "licence_url": licence_url(publication.licence),
        "authors": list(publication.authors),
        "citation": citation(publication),
        "languages": publication.languages,
        "merula": publication.merula,
        "seed": publication.seed,
        "split": publication.split,
        "suite": None if publication.suite is None else publication.suite.name,
        "apart": APART[_apart(publication)],
        "command": publication.command,
        "default": publication.default,
        "rows": publication.rows,
        "kinds": list(dict.fromkeys(config.kind for config in publication.configs)),
        "split_names": list(dict.fromkeys(s.name for c in publication.configs for s in c.splits)),
        "probe_names": [probe.name for probe in PROBES],
        "configs": configs,
        "loaded": _loaded(configs),
        "phenomena": [phenomenon(g, compiled[g.phenomenon]) for g in publication.grammars],
        "designs": [
            {
                **own,
                "examples": [
                    {"config": name, **example(samples[name, own["name"]])}
                    for name in own["configs"]
                    if (name, own["name"]) in samples
                ],
            }
            for own in designs
        ],
        "fields": _fields(publication.configs),
        "audit": found,
        "leaking": [row["part"] for row in found["matrix_shortcuts"] if row["leaks"]]
        if found
        else [],
        "words": _words(publication, compiled),
    }


def _config(
    config: ConfigEntry, publication: Publication, designs: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """A configuration and its splits; how many rows of a split are acceptable, if cells tell."""
    own = next(d for d in designs if config.name in d["configs"])
    judged = [cell["judgement"] for cell in own["cells"]]
    exact = config.kind == "paradigm" and set(judged) <= {ALWAYS, "unacceptable"}
    good = judged.count(ALWAYS)
    return {
        "name": config.name,
        "phenomenon": config.phenomenon,
        "design": config.design,
        "about": config.about,
        "kind": config.kind,
        "language": config.language,
        "type": config.variation,
        "default": config.name == publication.default,
        "instances": config.instances,
        "of": f"{int(config.of):,}",
        "rows": config.rows,
        "splits": [
            {
                "name": split.name,
                "instances": split.instances,
                "rows": split.rows,
                "bytes": split.bytes,
                "acceptable": split.instances * good if exact else None,
            }
            for split in config.splits
        ],
    }


def _loaded(configs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first configuration of each kind and type, but for that of the default one."""
    first: dict[tuple[str, str], dict[str, Any]] = {}
    for config in sorted(configs, key=lambda config: not config["default"]):
        first.setdefault((config["kind"], config["type"]), config)
    return [config for config in first.values() if not config["default"]]


def _designs(publication: Publication, compiled: Mapping[str, Compiled]) -> list[dict[str, Any]]:
    """Each design once, whatever types it is published in."""
    found: dict[tuple[str, str], list[ConfigEntry]] = {}
    for config in publication.configs:
        for name in config.designs:
            found.setdefault((config.phenomenon, name), []).append(config)
    return [
        design(configs, compiled[phenomenon].designs[name])
        for (phenomenon, name), configs in found.items()
    ]


def _apart(publication: Publication) -> str:
    """What no two splits have in common beside instances; empty where that is nothing."""
    suite = publication.suite
    if suite is None or len({s.name for c in publication.configs for s in c.splits}) < 2:
        return ""
    matrices = any(config.kind == "matrix" for config in publication.configs)
    return suite.disjoint or ("sets" if matrices else "")


def _fields(configs: Sequence[ConfigEntry]) -> list[dict[str, Any]]:
    """The columns of each kind of rows, each once, with what they hold."""
    found = []
    for kind in dict.fromkeys(config.kind for config in configs):
        own = [config for config in configs if config.kind == kind]
        names = dict.fromkeys(name for config in own for name in config.fields.names)
        found.append({"kind": kind, "columns": [_column(name, kind, own) for name in names]})
    return found


def _column(name: str, kind: str, configs: Sequence[ConfigEntry]) -> dict[str, Any]:
    having = [config for config in configs if name in config.fields]
    labels = {label for config in having for label in _names(config, name)}
    return {
        "name": name,
        "type": common([config.fields[name] for config in having]),
        "holds": meaning(name, kind),
        "names": list(labels.pop()) if len(labels) == 1 else [],
        "configs": [] if len(having) == len(configs) else [config.name for config in having],
    }


def _names(config: ConfigEntry, name: str) -> list[tuple[str, ...]]:
    """The names of a column that is a class label, or a list of them."""
    feature = config.fields[name]
    found = [own.names for own in classes(feature)]
    plain = isinstance(feature, ClassNames) or hasattr(feature, "of")
    return found if plain and len(found) == 1 and len(found[0]) <= MOST_NAMES else []


def _words(publication: Publication, compiled: Mapping[str, Compiled]) -> dict[str, Any]:
    """Each source with the tables it has words in, and the tables of which nothing is said."""
    found: dict[Origin, dict[str, None]] = {}
    unknown: dict[str, None] = {}
    for entry in publication.grammars:
        files = entry.options.get("files") or {}
        for table, own in origins(compiled[entry.phenomenon], files).items():
            for origin in own:
                found.setdefault(origin, {})[table] = None
            if not own:
                unknown[table] = None
    sources = [
        {**asdict(origin), "licence_url": origin.licence_url, "tables": list(tables)}
        for origin, tables in found.items()
    ]
    return {"sources": sources, "unknown": list(unknown)}


# --- the text ------------------------------------------------------------------------------------


def render(said: Mapping[str, Any], template: Path | None = None) -> str:
    """The card as Markdown with its head.

    ``template`` is a Jinja template of the user's own, which may begin with ``{% extends
    "card.md.j2" %}``. A text that it writes without a head gets one. Raises `MerulaError` where
    PyYAML is missing, or where the template is at fault.
    """
    demand_yaml()
    if template is None:
        text = _packaged().get_template(TEMPLATE).render(said)
    else:
        text = _own(said, template)
    return markdown.tidied(text)


def demand_template(template: Path) -> None:
    """Raise `MerulaError` where a template cannot be read, before there is anything to render."""
    _guarded(template, lambda: _environment(template).get_template(str(template)))


def _own(said: Mapping[str, Any], template: Path) -> str:
    """What a user's template writes; all that can go wrong in it is a `MerulaError`."""
    text = _guarded(
        template, lambda: _environment(template).get_template(str(template)).render(said), said
    )
    return _with_head(text, said, template)


def _guarded(template: Path, do: Callable[[], T], known: Iterable[str] = ()) -> T:
    """Do something with a user's template; ``known`` are the names that there are."""
    from jinja2 import TemplateError, UndefinedError
    from jinja2.exceptions import SecurityError, TemplateNotFound, TemplateSyntaxError

    try:
        return do()
    except TemplateSyntaxError as error:
        raise _at_fault(template, error.message or "", error.lineno, error.filename) from error
    except TemplateNotFound as error:
        what = f"there is no template {error.message}"
        raise _at_fault(template, what, _line_of(error, template)) from error
    except SecurityError as error:
        what = f"{error.message or error}; a template may only write, not reach into Merula"
        raise _at_fault(template, what, _line_of(error, template)) from error
    except RecursionError as error:
        raise _at_fault(template, "it extends or includes itself", 0) from error
    except OSError as error:
        raise _at_fault(template, error.strerror or str(error), 0) from error
    except UnicodeDecodeError as error:
        raise _at_fault(template, "it is not written in UTF-8", 0) from error
    except UndefinedError as error:
        name = re.match(r"'(\w+)' is undefined", str(error))
        meant = did_you_mean(name[1], known) if name else ""
        what = f"{error}{'; ' + meant if meant else ''}"
        raise _at_fault(template, what, _line_of(error, template)) from error
    except (TemplateError, *FAULTS) as error:
        raise _at_fault(template, str(error), _line_of(error, template)) from error


def _with_head(text: str, said: Mapping[str, Any], template: Path) -> str:
    """A card with a head that Datasets can read: its own, or that of the packaged card."""
    found = _HEAD.match(text)
    if found is None:
        return f"---\n{to_yaml(said['metadata'])}---\n\n{text.lstrip()}"
    try:
        head = read_yaml(found[1])
    except ValueError as error:
        raise _at_fault(template, f"the head it writes is no YAML: {error}", 0) from error
    if not isinstance(head, Mapping) or "configs" not in head:
        raise _at_fault(template, "the head it writes has no configs", 0)
    return text.lstrip()


def _line_of(error: BaseException, template: Path) -> int:
    """The line of the template in which an error has come up; 0 where it is in none."""
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
    """The sandbox in which templates run; nothing is escaped but by its filters."""
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    made = ImmutableSandboxedEnvironment(
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
        "fenced": markdown.fenced,
        "aligned": markdown.aligned,
        "columns": markdown.columns,
        "yaml": to_yaml,
        "quoted": lambda text: json.dumps(str(text), ensure_ascii=False),
        "number": lambda value: f"{value:,}",
        "share": lambda value: f"{value:.1%}",
    }
    made.filters.update(filters)
    made.globals.update({"link": _link, "broken": _broken, "reached": _reached})
    return made


def _link(text: object, url: str) -> str:
    """A link, or the text alone where there is no address that can stand in one."""
    shown = markdown.inline(text)
    return f"[{shown}]({url})" if re.fullmatch(r"https?://[^\s()<>\\\"]+", url) else shown


def _broken(cell: Mapping[str, Any]) -> str:
    """The rules that a cell breaks."""
    always = [markdown.code(rule) for rule in cell["breaks"]]
    return ", ".join([*always, *(f"sometimes {markdown.code(x)}" for x in cell["sometimes"])])


def _reached(probe: Mapping[str, Any], *, forced: bool = True) -> str:
    """What a probe reaches, and what is forced; in bold where that is less."""
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
    """The user's template by its path; other names are not its."""
    if name != str(template):
        return None
    return template.read_text(encoding="utf-8-sig"), str(template), lambda: True
