"""The page: a data set's description, some of its instances, its numbers and its audit.

In goes the folder of a data set, out comes one HTML file; ``merula report`` calls `report`. The
templates are in ``templates/report``; the instances are in the page as JSON, which its script
draws. The page fetches nothing: a policy in its head lets the browser run its one script and its
one style, by their digests, and load nothing else.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from merula.core.diagnostics import MerulaError
from merula.core.files import replacing, unwritable
from merula.core.frozen import frozen
from merula.core.progress import Progress
from merula.core.resources import folder as folder_of
from merula.core.wording import counted
from merula.data.manifests.publication import AUDIT
from merula.data.opened import MATRIX, Config, DataSet, open_data_set
from merula.pages.audits import Findings, findings
from merula.pages.pieces import json_of
from merula.pages.sample import ShownInstance, Survey, survey
from merula.pages.words import Laid, SentenceLine, lay_out, values_of
from merula.show.html import PALETTE, right_to_left

if TYPE_CHECKING:
    from jinja2 import Environment

# Instances that are shown unless the user names a count. They bound the size of the page: an
# instance is some kilobytes of JSON.
MAX_OF_CONFIG = 100
MAX_OF_PAGE = 2000
GENERATOR = "Merula"
HEAD_BYTES = 2048  # of a page, which include the tag that names its generator


@frozen
class WrittenPage:
    """The path of a page that was written, and how many instances it shows of how many."""

    path: Path
    instances: int
    of: int


def report(
    folder: Path,
    out: Path | None = None,
    *,
    size: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> WrittenPage:
    """Write the page of the data set in a folder, by default beside it under its name.

    ``size`` is how many instances of each configuration are shown; None: see `default_size`. An
    existing file is only replaced if it is a page of this kind. Raises `MerulaError`, and then
    nothing is written.
    """
    out = out or _beside(folder)
    _demand_ours(out)
    data = open_data_set(folder)
    surveyed = survey(data, default_size(data) if size is None else size, seed, progress)
    _write(out, page(data, surveyed, seed).encode("utf-8"))
    shown = sum(map(len, surveyed.shown.values()))
    return WrittenPage(out, shown, sum(config.instances for config in data.configs))


def default_size(data: DataSet) -> int:
    """Return how many instances of each configuration are shown, unless the user names a count."""
    return max(min(MAX_OF_CONFIG, MAX_OF_PAGE // max(len(data.configs), 1)), 1)


def page(data: DataSet, surveyed: Survey, seed: int) -> str:
    """Return the page of a data set as a text."""
    environment = _environment()
    style = environment.get_template("style.css.j2").render(palette=PALETTE)
    script = environment.get_template("page.js.j2").render()
    text = environment.get_template("page.html.j2").render(
        data=data,
        numbers=list(_numbers(data)),
        drawn=_drawn(data, surveyed, seed),
        summaries={name: tally.summary() for name, tally in surveyed.tallies.items()},
        audit=_findings(data),
        no_audit=f"There is no {AUDIT} beside these data. `merula audit` looks for faults in them.",
        payload=_safe(_payload(data, surveyed)),
        style=_markup(style),
        style_hash=_digest(style),
        script=_markup(script),
        script_hash=_digest(script),
        generator=f"{GENERATOR} {version('merula')}",
    )
    return f"{text}\n"


# --- contents ----------------------------------------------------------------------------------


def _numbers(data: DataSet) -> Iterator[str]:
    """Yield the counts of configurations, instances and rows."""
    instances = sum(config.instances for config in data.configs)
    for count, noun in (
        (len(data.configs), "configuration"),
        (instances, "instance"),
        (data.rows, "row"),
    ):
        yield counted(count, noun)


def _drawn(data: DataSet, surveyed: Survey, seed: int) -> str:
    """Return a sentence on how many instances are shown, and how they were chosen."""
    every = sum(config.instances for config in data.configs)
    shown = sum(map(len, surveyed.shown.values()))
    if shown == every:
        return f"All {every:,} instances."
    each = max(map(len, surveyed.shown.values()), default=0)
    return (
        f"{shown:,} of {every:,} instances, up to {each:,} of each configuration, drawn at random"
        f" (seed {seed})."
    )


def _findings(data: DataSet) -> Findings | None:
    if data.audit is None:
        return None
    try:
        return findings(data.audit)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise MerulaError.of(
            "M731",
            f"{AUDIT} cannot be understood: {type(error).__name__} {error}",
            remedy="make the data set again, or delete this file",
            place=data.title,
        ) from error


def _payload(data: DataSet, surveyed: Survey) -> dict[str, Any]:
    """Return what the page's script draws."""
    configs, instances = [], []
    for place, config in enumerate(data.configs):
        laid = [lay_out(shown) for shown in surveyed.shown[config.name]]
        numbers = {value: i for i, value in enumerate(values_of(laid))}
        configs.append(_config(config, numbers, surveyed.shown[config.name]))
        instances += [_instance(one, place, config, numbers) for one in laid]
    return {"colours": len(PALETTE), "configs": configs, "instances": instances}


def _config(
    config: Config, numbers: Mapping[str, int], shown: list[ShownInstance] | Any
) -> dict[str, Any]:
    texts = (
        text
        for one in shown
        for row in one.rows
        for text in ([row["sentence"]] if "sentence" in row else row["context"])
    )
    return {
        "name": config.name,
        "kind": config.kind,
        "language": config.language,
        "rtl": right_to_left("".join(texts)),
        "values": list(numbers),
        "rules": dict(config.rules),
    }


def _instance(laid: Laid, place: int, config: Config, numbers: Mapping[str, int]) -> dict[str, Any]:
    """Return an instance under short names, since there are many."""
    return {
        "c": place,
        "s": laid.split,
        "a": laid.address,
        "f": laid.frame,
        "v": laid.variant,
        "h": laid.heads,
        "o": laid.objects,
        "factors": laid.factors,
        "scopes": laid.scopes,
        "l": [
            [group.names, [numbers[v] for v in group.values if v in numbers]]
            for group in laid.colours
        ],
        "r": [_line(line, numbers, matrix=config.kind == MATRIX) for line in laid.lines],
    }


def _line(line: SentenceLine, numbers: Mapping[str, int], *, matrix: bool) -> dict[str, Any]:
    return {
        "k": line.role,
        "l": line.label,
        "f": line.factors,
        "c": line.scopes,
        "g": int(line.acceptable),
        "x": line.letter,
        "b": line.broken,
        "p": line.place,
        "o": [json_of(run, numbers) for run in line.outline] if matrix else [],
        "w": [json_of(run, numbers) for run in line.words],
    }


# --- rendering ---------------------------------------------------------------------------------


def _safe(value: Any) -> Any:
    """Return JSON for the inside of a script: nothing in it ends the script or begins another."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return _markup(text.encode("utf-8", "replace").decode("utf-8"))


def _markup(text: str) -> Any:
    from markupsafe import Markup

    return Markup(text)


def _digest(text: str) -> str:
    """Return the digest by which a policy allows a script or a style."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _grouped(number: str) -> str:
    """Return a number that is written as a text, with commas."""
    return f"{int(number):,}" if number.isdecimal() else number


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(folder_of("templates") / "report", encoding="utf-8"),
        autoescape=lambda name: name is not None and name.endswith(".html.j2"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["grouped"] = _grouped
    return environment


# --- writing -----------------------------------------------------------------------------------


def _beside(folder: Path) -> Path:
    """Return ``data/npi.html`` for the folder ``data/npi``."""
    whole = folder if folder.name not in ("", "..") else folder.resolve()
    return whole.parent / f"{whole.name or 'report'}.html"


def _demand_ours(out: Path) -> None:
    """Raise `MerulaError` where a file that is not a report would be overwritten."""
    try:
        if not out.exists():
            return
        with out.open("rb") as file:
            ours = f'name="generator" content="{GENERATOR}'.encode() in file.read(HEAD_BYTES)
        what = "is a file that `merula report` did not make"
    except OSError as error:
        ours, what = False, "is a folder" if out.is_dir() else f"cannot be read: {error.strerror}"
    if not ours:
        raise MerulaError.of(
            "M734",
            f"{out} {what}",
            remedy="name another file: --out FILE.html",
            place=str(out),
        )


def _write(out: Path, text: bytes) -> None:
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with replacing(out) as made:
            made.write_bytes(text)
    except OSError as error:
        raise unwritable("M735", out, error) from error
