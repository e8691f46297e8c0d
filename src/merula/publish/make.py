"""Publishing: parts in several processes, then the audit, the card and the manifest."""

from __future__ import annotations

import hashlib
import json
import pickle
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from merula._resources import folder as folder_of
from merula.language.diagnostics import MerulaError
from merula.publish.audit import audited, sample_of
from merula.publish.card import demand_template, facts, render
from merula.publish.card_samples import samples
from merula.publish.croissant import croissant
from merula.publish.folder import CARD, PublicationFolder, note, sha256
from merula.publish.licences import demand_licence
from merula.publish.manifest import (
    ConfigEntry,
    FileEntry,
    GrammarEntry,
    PartEntry,
    Publication,
    SuiteEntry,
)
from merula.publish.parts import Maker, write_kept
from merula.publish.plan import PART, Asked, Choice, Plan
from merula.publish.sources import Bundle, bundle, merged, suite_bundle
from merula.suite.recipe import known_suites
from merula.suite.workers import Workers
from merula.values import frozen

AUDIT, CROISSANT = "audit.json", "croissant.json"

# Is told what was done, how many of it are done, and how many there are.
Progress = Callable[[str, int, int], None]


@frozen
class Options:
    """How it is published: nothing of this decides what the rows are.

    ``audit`` is how many sentences are audited at most; ``sources`` says whether the grammars go
    with the data; ``template`` is a card template of the user's own; ``repo`` is the name on the
    hub, if it has one; ``replace`` lets go of what is there.
    """

    audit: int = 40_000
    sources: bool = True
    template: Path | None = None
    repo: str = ""
    replace: bool = False
    workers: int = 1


@frozen
class Outcome:
    """What a run has left: the publication, and which files were written, kept and deleted."""

    publication: Publication
    written: tuple[str, ...]
    kept: tuple[str, ...]
    deleted: tuple[str, ...]


def publish(
    plan: Plan, out: Path, options: Options | None = None, *, progress: Progress | None = None
) -> Outcome:
    """Publish into a folder that is new or empty, or was published before.

    Only what has changed is written. Raises `MerulaError` where something is wrong; what was
    published before is then as it was.
    """
    options = options or Options()
    demand_licence(plan.details.licence)
    if options.template is not None:
        demand_template(options.template)
    wanted = plan.publication
    bundles = _bundles(plan) if options.sources else []
    folder = PublicationFolder(out, _key(plan))
    with folder.opened():
        if folder.there is not None and not options.replace:
            _demand_same(folder.there, wanted, out)
        made, parts = _parts(plan, folder, options, progress)
        configs = [_with(wanted_.entry, made) for wanted_ in plan.wanted]
        publication = _named(replace(wanted, configs=configs), bundles)
        publication = replace(publication, command=command(publication, plan))
        texts = _texts(plan, publication, folder, bundles, options, progress)
        others = [FileEntry(n, len(data), sha256(data)) for n, data in sorted(texts.items())]
        publication = replace(publication, others=others)
        written, deleted = folder.finish(publication, texts, parts)
    kept = [name for name in publication.files() if name not in written]
    return Outcome(publication, tuple(written), tuple(kept), tuple(deleted))


def _key(plan: Plan) -> str:
    """What two runs have in common if one can go on with the parts of the other."""
    configs = [asdict(wanted.entry) for wanted in plan.wanted]
    whole = plan.publication
    said = [whole.merula, whole.schema, whole.order, whole.seed, configs]
    said += [(g.phenomenon, g.grammar, g.lexicon) for g in whole.grammars]
    said += [None if whole.suite is None else asdict(whole.suite)]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _bundles(plan: Plan) -> list[Bundle]:
    """The sources: of a suite together, else of each grammar."""
    if plan.suite is not None:
        sources = {asked.name: asked.compiled.source for asked in plan.grammars}
        return [suite_bundle(plan.suite.file, sources)]
    return [
        bundle(entry.phenomenon, asked.compiled.source, asked.options)
        for entry, asked in zip(plan.publication.grammars, plan.grammars, strict=True)
    ]


def _named(publication: Publication, bundles: Sequence[Bundle]) -> Publication:
    """The publication with where its sources stand in the repository."""
    by_name = {name: own for own in bundles for name in own.mains}
    suite = publication.suite
    grammars = []
    for entry in publication.grammars:
        name = entry.phenomenon if suite is None else entry.asked
        own = by_name.get(name)
        if own is not None:
            options = {**entry.options, "files": dict(own.options.files)}
            grammars.append(replace(entry, source=own.mains[name], options=options))
        else:
            grammars.append(entry)
    if suite is not None and bundles:
        suite = replace(suite, source=bundles[0].recipe)
    return replace(publication, grammars=grammars, suite=suite)


def _demand_same(there: Publication, wanted: Publication, out: Path) -> None:
    """Raise `MerulaError` where code that loads what is there would not load what is to come."""
    new = {config.name: config for config in wanted.configs}
    notes = []
    for config in there.configs:
        if config.name not in new:
            notes.append(f"{config.name} is there and not among what is to be published")
        else:
            fields = new[config.name].fields
            notes += [f"{config.name}: {what}" for what in fields.differences(config.fields)]
    if notes:
        raise MerulaError.of(
            "M722",
            f"{out} holds a data set with other features",
            remedy="publish into another folder; or add --replace, if nobody relies on what is"
            " there",
            notes=notes,
            place=str(out),
        )
    card = next((other for other in there.others if other.file == CARD), None)
    try:
        edited = card is not None and sha256((out / CARD).read_bytes()) != card.sha256
    except OSError:
        edited = False
    if edited:
        raise MerulaError.of(
            "M723",
            f"{out / CARD} was changed by hand since it was published",
            remedy="put the text into a template of your own (--template FILE); or add --replace"
            " to write the card anew",
            place=str(out / CARD),
        )


# --- parts -------------------------------------------------------------------------------------


def _parts(
    plan: Plan, folder: PublicationFolder, options: Options, progress: Progress | None
) -> tuple[dict[str, PartEntry], list[str]]:
    """All parts by file, and the files that are made and wait to be moved."""
    done: dict[str, PartEntry] = {}
    staged: list[str] = []
    todo: list[tuple[int, PartEntry, Path]] = []
    for number, wanted in enumerate(plan.wanted):
        before = _reusable(plan, folder, wanted.entry)
        for part in (part for split in wanted.entry.splits for part in split.files):
            old, new = before.get(part.file), folder.staged(part)
            if old is not None and _alike(old, part) and folder.published(old):
                done[part.file] = old
            elif new is not None:
                done[part.file] = new
                staged.append(part.file)
            else:
                todo.append((number, part, folder.part_path(part.file)))
    for part in _made(plan, todo, options.workers, len(done), progress):
        note(folder, part)
        done[part.file] = part
        staged.append(part.file)
    return done, sorted(staged)


def _reusable(plan: Plan, folder: PublicationFolder, entry: ConfigEntry) -> Mapping[str, PartEntry]:
    """The parts of a configuration that were published from the same grammar, tables and seed."""
    there, wanted = folder.there, plan.publication
    if there is None:
        return {}

    def inputs(whole: Publication, config: ConfigEntry) -> object:
        grammar = next((g for g in whole.grammars if g.phenomenon == config.phenomenon), None)
        digests = (grammar.grammar, grammar.lexicon) if grammar is not None else None
        return (
            (whole.merula, whole.schema, whole.order, whole.seed, digests, _drawing(whole)),
            replace(config, splits=[], instances=0, about=""),
        )

    for config in there.configs:
        if config.name == entry.name and inputs(there, config) == inputs(wanted, entry):
            return {part.file: part for split in config.splits for part in split.files}
    return {}


def _drawing(whole: Publication) -> object:
    """What decides which instances a suite draws."""
    return None if whole.suite is None else replace(whole.suite, source="", asked="")


def _alike(old: PartEntry, new: PartEntry) -> bool:
    return old == replace(
        new, bytes=old.bytes, memory=old.memory, sha256=old.sha256, digest=old.digest
    )


def _made(
    plan: Plan,
    todo: Sequence[tuple[int, PartEntry, Path]],
    workers: int,
    before: int,
    progress: Progress | None,
) -> Any:
    """Make parts, in several processes if they are many rows; each as it is done."""
    total = before + len(todo)
    number = min(workers, len(todo))
    makers = tuple(Maker(wanted.drawn, plan.seed, wanted.entry.fields) for wanted in plan.wanted)
    if number < 2:
        for i, (which, part, path) in enumerate(todo, 1):
            yield makers[which].write(part, path)
            if progress is not None:
                progress("files", before + i, total)
        return
    with TemporaryDirectory(prefix="merula-") as kept, Workers(number) as pool:
        file = Path(kept, "makers")
        file.write_bytes(pickle.dumps(makers))
        for i, (_, part) in enumerate(pool.run(partial(write_kept, str(file)), list(todo)), 1):
            yield part
            if progress is not None:
                progress("files", before + i, total)


def _with(entry: ConfigEntry, made: Mapping[str, PartEntry]) -> ConfigEntry:
    """A configuration whose parts are made."""
    splits = [
        replace(split, files=[made[part.file] for part in split.files]) for split in entry.splits
    ]
    return replace(entry, splits=splits)


# --- the other files ---------------------------------------------------------------------------


def _texts(
    plan: Plan,
    publication: Publication,
    folder: PublicationFolder,
    bundles: Sequence[Bundle],
    options: Options,
    progress: Progress | None,
) -> dict[str, bytes]:
    """The files that are no data, by name."""
    texts = merged(bundles)
    audit = None
    if options.audit:
        if progress is not None:
            progress("audit", 0, 1)
        audit = _audit(plan, publication, folder, options)
        texts[AUDIT] = _json(audit)
        if progress is not None:
            progress("audit", 1, 1)
    compiled = {
        entry.phenomenon: asked.compiled
        for entry, asked in zip(publication.grammars, plan.grammars, strict=True)
    }
    drawn = samples(plan.wanted, plan.seed)
    said = facts(publication, compiled, audit, drawn, repo=options.repo)
    texts[CARD] = render(said, options.template).encode()
    texts[CROISSANT] = _json(croissant(publication))
    return texts


def _audit(
    plan: Plan, publication: Publication, folder: PublicationFolder, options: Options
) -> dict[str, Any]:
    """The audit of the data, that of before where neither data nor sample have changed."""
    sample = sample_of(publication, options.audit)
    about = {"sample": sample, "digests": _digests(publication), "merula": publication.merula}
    path = folder.out / AUDIT
    try:
        before = json.loads(path.read_text(encoding="utf-8"))
        if before.get("publication") == about:
            return dict(before)
    except (OSError, ValueError, AttributeError):
        pass

    def where(file: str) -> Path:
        made = folder.part_path(file)
        return made if made.is_file() else folder.out / file

    surfaces = {
        entry.language: asked.compiled.surface
        for entry, asked in zip(publication.grammars, plan.grammars, strict=True)
    }
    return {"publication": about, **audited(publication, sample, where, surfaces)}


def _digests(publication: Publication) -> str:
    """One digest of all rows."""
    parts = [p.digest for c in publication.configs for s in c.splits for p in s.files]
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


# --- the command -------------------------------------------------------------------------------


def command(publication: Publication, plan: Plan) -> str:
    """The command that publishes the same data set, as one writes it in its folder."""
    words = ["merula", "publish"]
    if publication.suite is not None:
        words += [_suite_name(publication.suite), *_suite_words(publication.suite)]
    else:
        words += map(_name, plan.grammars, publication.grammars)
        words += _choice_words(publication, plan.choice)
    words += ["--out", f"../{plan.name}-again"]
    details = plan.details
    for option, value in (("licence", details.licence), ("title", details.title)):
        if value:
            words += [f"--{option}", value]
    for author in details.authors:
        words += ["--author", author]
    if plan.default:
        words += ["--default", plan.default]
    if plan.choice.part != PART:
        words += ["--rows-per-file", str(plan.choice.part)]
    return shlex.join(words)


def _choice_words(publication: Publication, choice: Choice) -> list[str]:
    words = ["-n", str(choice.number), "--seed", str(choice.seed)]
    for name in choice.designs:
        words += ["--design", name]
    matrices = any(config.kind == "matrix" for config in publication.configs)
    if matrices and len(choice.types) == 1:
        words += ["--type", *choice.types]
    if matrices and choice.answers != "one":
        words += ["--answers", choice.answers]
    return words + (["--split", choice.split] if choice.split else [])


def _suite_words(suite: SuiteEntry) -> list[str]:
    words = [] if suite.number is None else ["-n", str(suite.number)]
    words += ["--seed", str(suite.seed)]
    for kind in suite.types:
        words += ["--type", kind]
    for option, value in (("split", suite.split), ("disjoint", suite.disjoint)):
        if value:
            words += [f"--{option}", value]
    return words


def _suite_name(suite: SuiteEntry) -> str:
    return suite.asked if suite.asked in known_suites() else suite.source or suite.asked


def _name(asked: Asked, entry: GrammarEntry) -> str:
    """How a grammar is named where nothing but the repository and Merula is at hand."""
    path = asked.compiled.source.path
    root = folder_of("grammars").resolve()
    if path is not None and path.resolve().is_relative_to(root):
        return path.resolve().relative_to(root).with_suffix("").as_posix()
    return entry.source or Path(asked.name).name
