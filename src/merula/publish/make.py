"""Publish into a folder: files of rows, then the audit, the card and the manifest.

In: a `Publishing` (`merula.publish.plan`), a folder, `PublishOptions`. Out: a `PublishOutcome` and
the folder, which is a data set repository. ``merula publish`` calls it, and also for a dry run.

Whatever was published before is whole until all that is new is there (`PublicationFolder`). What
would come out the same is not made again: files of rows by their inputs, the audit by its sample.
The same plan and options give the same files, byte by byte, with any number of processes.
"""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import lru_cache, partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from merula.audit.probes.linear import usable
from merula.core.diagnostics import MerulaError
from merula.core.files import replacing
from merula.core.frozen import frozen
from merula.core.progress import Progress
from merula.core.workers import Workers
from merula.data.formats import one_arrow_thread
from merula.data.manifests.publication import (
    AUDIT,
    CARD,
    ConfigEntry,
    FileEntry,
    PartEntry,
    Publication,
)
from merula.data.manifests.soundness import sound_publication
from merula.data.publication_folder import PublicationFolder, sha256
from merula.data.published_rows import Maker, write_kept
from merula.publish.audit import audited, sample_of
from merula.publish.card.designs import draw_samples
from merula.publish.card.facts import facts
from merula.publish.card.template import demand_card, render
from merula.publish.commands import CITATION, TEMPLATE, command, grammar_name, suite_name
from merula.publish.croissant import croissant
from merula.publish.licences import demand_licence
from merula.publish.plan import Details, Publishing, titled
from merula.publish.sources import Bundle, bundle, merged, suite_bundle

CROISSANT = "croissant.json"
KEPT_CARD = "README.before.md"
AUDIT_SENTENCES = 40_000  # enough for the checks and probes; reading them takes seconds

# Is called with what is done, how many of it are done, and how many there are.


@frozen
class PublishOptions:
    """Options of publishing that do not change the rows.

    At most ``audit`` sentences are audited, with 0 none. ``sources`` says whether the grammars are
    published with the data, ``template`` is a card template of the user's own, ``repo`` the name
    on the hub, if it has one. With ``replace`` an edited card or a data set with other columns is
    replaced.
    """

    audit: int = AUDIT_SENTENCES
    sources: bool = True
    template: Path | None = None
    repo: str = ""
    replace: bool = False
    workers: int = 1


@frozen
class PublishOutcome:
    """The publication, and the files that were written, kept and deleted for it.

    ``audit`` is what the audit found (`merula.audit.Audit.to_json`), None without one. ``saved``
    is the file in which a card that was edited by hand is kept; empty if there is none.
    """

    publication: Publication
    written: tuple[str, ...]
    kept: tuple[str, ...]
    deleted: tuple[str, ...]
    audit: Mapping[str, Any] | None
    saved: str = ""


def remembered(details: Details, out: Path) -> Details:
    """Return the details, with what is not given taken from what the folder has published."""
    before = sound_publication(out)
    if before is None:
        return details
    return Details(
        details.licence or before.licence,
        details.title or (before.title if before.title != titled(before.name) else ""),
        details.authors or tuple(before.authors),
        details.citation or before.citation,
        details.date or before.date,
    )


def publish(
    plan: Publishing,
    out: Path,
    options: PublishOptions | None = None,
    *,
    progress: Progress | None = None,
) -> PublishOutcome:
    """Publish into a folder that is new or empty, or was published before.

    Only what has changed is written. Raises `MerulaError` where something is wrong; what was
    published before is then as it was.
    """
    options = options or PublishOptions()
    demand_licence(plan.details.licence)
    demand_card(options.template)
    planned = plan.publication
    bundles = _bundles(plan) if options.sources else []
    sources = merged(bundles)  # raises, if it has to, before any row is made
    folder = PublicationFolder(out, _key(plan))
    with folder.opened():
        edited = _is_edited(folder)
        if folder.before is not None and not options.replace:
            _demand_same(folder.before, planned, out)
            _demand_unedited(edited, out)
        made, parts = _parts(plan, folder, options, progress)
        configs = [_with(config.entry, made) for config in plan.configs]
        publication = _named(replace(planned, configs=configs), plan, bundles)
        template = options.template or _template_of(folder)
        user_texts = _user_texts(plan, template)
        more = _more_words(user_texts, options)
        publication = replace(publication, command=command(publication, plan, more))
        audit = _audited(plan, publication, folder, options, progress)
        texts = _texts(plan, publication, audit, template, options.repo)
        texts = {**sources, **user_texts, **texts}
        others = [FileEntry(name, len(data), sha256(data)) for name, data in sorted(texts.items())]
        publication = replace(publication, others=others)
        saved = _saved(out) if edited else ""
        written, deleted = folder.commit(publication, texts, parts)
    kept = [name for name in publication.files() if name not in written]
    return PublishOutcome(publication, tuple(written), tuple(kept), tuple(deleted), audit, saved)


def _key(plan: Publishing) -> str:
    """Return a digest that two runs share if one can go on with the parts of the other."""
    configs = [asdict(config.entry) for config in plan.configs]
    whole = plan.publication
    inputs = [whole.merula, whole.schema, whole.order, whole.seed, configs]
    inputs += [(g.phenomenon, g.grammar, g.lexicon) for g in whole.grammars]
    inputs += [None if whole.suite is None else asdict(whole.suite)]
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()


def _bundles(plan: Publishing) -> list[Bundle]:
    """Collect the sources, of a suite together, else of each grammar."""
    if plan.suite is not None:
        sources = {asked.name: asked.compiled.source for asked in plan.grammars}
        return [suite_bundle(plan.suite.file, sources)]
    return [
        bundle(entry.phenomenon, asked.compiled.source, asked.options)
        for entry, asked in zip(plan.publication.grammars, plan.grammars, strict=True)
    ]


def _named(publication: Publication, plan: Publishing, bundles: Sequence[Bundle]) -> Publication:
    """Return the publication with the places of its sources in the repository.

    Grammars and the suite are named as one names them there, wherever they were when they were
    published.
    """
    bundles_by_name = {name: sources for sources in bundles for name in sources.mains}
    suite = publication.suite
    grammars = []
    for entry, request in zip(publication.grammars, plan.grammars, strict=True):
        name = entry.phenomenon if suite is None else entry.asked
        placed = entry
        if name in bundles_by_name:
            sources = bundles_by_name[name]
            options = {**entry.options, "files": dict(sources.options.files)}
            placed = replace(entry, source=sources.mains[name], options=options)
        name = grammar_name(request, placed) if suite is None else name
        grammars.append(replace(placed, asked=name))
    if suite is not None:
        suite = replace(suite, source=bundles[0].recipe if bundles else "")
        suite = replace(suite, asked=suite_name(suite))
    return replace(publication, grammars=grammars, suite=suite)


def _demand_same(before: Publication, planned: Publication, out: Path) -> None:
    """Raise `MerulaError` where code that loads what is there would not load what is to come."""
    replaced = partial(
        MerulaError.of,
        "M722",
        remedy="publish into another folder; or add --replace, if nobody relies on what is there",
        place=str(out),
    )
    phenomena = {grammar.phenomenon for grammar in planned.grammars}
    if phenomena.isdisjoint(grammar.phenomenon for grammar in before.grammars):
        raise replaced(f"{out} holds another data set: {before.title}")
    new = {config.name: config for config in planned.configs}
    notes = []
    for config in before.configs:
        if config.name not in new:
            notes.append(f"{config.name} is there and not among what is to be published")
        else:
            fields = new[config.name].fields
            notes += [f"{config.name}: {what}" for what in fields.differences(config.fields)]
    if notes:
        raise replaced(f"{out} holds a data set with other features", notes=notes)


def _is_edited(folder: PublicationFolder) -> bool:
    """Whether somebody has changed the card since it was published."""
    others = folder.before.others if folder.before is not None else []
    card = next((other for other in others if other.file == CARD), None)
    try:
        return card is not None and sha256((folder.out / CARD).read_bytes()) != card.sha256
    except OSError:
        return False


def _demand_unedited(edited: bool, out: Path) -> None:
    if edited:
        raise MerulaError.of(
            "M723",
            f"{out / CARD} was changed by hand since it was published",
            remedy="put the text into a template of your own (--template FILE); or add --replace"
            f" to write the card anew: the old one is kept as {KEPT_CARD}",
            place=str(out / CARD),
        )


def _saved(out: Path) -> str:
    """Copy a card that was changed by hand beside the one that takes its place; gives its name."""
    names = (KEPT_CARD if i < 2 else f"README.before-{i}.md" for i in count(1))
    name = next(name for name in names if not (out / name).exists())
    with replacing(out / name) as made:
        made.write_bytes((out / CARD).read_bytes())
    return name


# --- parts -------------------------------------------------------------------------------------


def _parts(
    plan: Publishing, folder: PublicationFolder, options: PublishOptions, progress: Progress | None
) -> tuple[dict[str, PartEntry], list[str]]:
    """Make the parts that cannot be reused.

    Returns all parts by file, and the names of those that are made and wait to be moved.
    """
    by_file: dict[str, PartEntry] = {}
    staged: list[str] = []
    todo: list[tuple[int, PartEntry, Path]] = []
    for config_number, config in enumerate(plan.configs):
        before = _reusable(plan, folder, config.entry)
        for part in (part for split in config.entry.splits for part in split.files):
            old, new = before.get(part.file), folder.record(part)
            if old is not None and _alike(old, part) and folder.published(old):
                by_file[part.file] = old
            elif new is not None and _alike(new, part):
                by_file[part.file] = new
                staged.append(part.file)
            else:
                todo.append((config_number, part, folder.staged(part.file)))
    for part in _made(plan, todo, options.workers, len(by_file), progress):
        folder.note(part)
        by_file[part.file] = part
        staged.append(part.file)
    return by_file, sorted(staged)


def _reusable(
    plan: Publishing, folder: PublicationFolder, entry: ConfigEntry
) -> Mapping[str, PartEntry]:
    """Return the parts of a configuration that were made from the same grammar, tables and seed."""
    if folder.before is None:
        return {}

    def inputs(whole: Publication, config: ConfigEntry) -> object:
        grammar = next((g for g in whole.grammars if g.phenomenon == config.phenomenon), None)
        digests = (grammar.grammar, grammar.lexicon) if grammar is not None else None
        return (
            (whole.merula, whole.schema, whole.order, whole.seed, digests, _drawing(whole)),
            replace(config, splits=[], instances=0, about=""),
        )

    needed = inputs(plan.publication, entry)
    for config in folder.before.configs:
        if config.name == entry.name and inputs(folder.before, config) == needed:
            return {part.file: part for split in config.splits for part in split.files}
    return {}


def _drawing(whole: Publication) -> object:
    """Return what decides which instances a suite draws; None without a suite."""
    return None if whole.suite is None else replace(whole.suite, source="", asked="")


def _alike(old: PartEntry, new: PartEntry) -> bool:
    return old == replace(
        new, bytes=old.bytes, memory=old.memory, sha256=old.sha256, digest=old.digest
    )


def _made(
    plan: Publishing,
    todo: Sequence[tuple[int, PartEntry, Path]],
    workers: int,
    before: int,
    progress: Progress | None,
) -> Any:
    """Make parts, in several processes if asked for, and yield each as it is done.

    ``todo`` has the number of the configuration, the part and its place; ``before`` is how many
    parts were done already.
    """
    total = before + len(todo)
    processes = min(workers, len(todo))

    @lru_cache(maxsize=1)  # a maker keeps large tables
    def maker(number: int) -> Maker:
        config = plan.configs[number]
        return Maker(config.drawn, plan.seed, config.entry.fields)

    if processes < 2:
        for i, (number, part, path) in enumerate(todo, 1):
            yield maker(number).write(part, path)
            if i == len(todo) or todo[i][0] != number:
                plan.configs[number].drawn.forget()
            if progress is not None:
                progress("files", before + i, total)
        return
    with (
        TemporaryDirectory(prefix="merula-") as store,
        Workers(processes, one_arrow_thread) as pool,
    ):
        for number in dict.fromkeys(number for number, _, _ in todo):
            Path(store, str(number)).write_bytes(pickle.dumps(maker(number)))
        for i, (_, part) in enumerate(pool.run(partial(write_kept, store), list(todo)), 1):
            yield part
            if progress is not None:
                progress("files", before + i, total)


def _with(entry: ConfigEntry, made: Mapping[str, PartEntry]) -> ConfigEntry:
    """Return the entry of a configuration with the parts that are made."""
    splits = [
        replace(split, files=[made[part.file] for part in split.files]) for split in entry.splits
    ]
    return replace(entry, splits=splits)


# --- the other files ---------------------------------------------------------------------------


def _user_texts(plan: Publishing, template: Path | None) -> dict[str, bytes]:
    """Return what the user has written, by name: the citation, and a template of the card."""
    texts = {}
    if plan.details.citation:
        texts[CITATION] = f"{plan.details.citation}\n".encode()
    if template is not None:
        texts[TEMPLATE] = template.read_bytes()
    return texts


def _template_of(folder: PublicationFolder) -> Path | None:
    """Return the template that was published before, if there is one."""
    files = folder.before.files() if folder.before is not None else []
    path = folder.out / TEMPLATE
    # A link may lead to what is not meant to be published.
    return path if TEMPLATE in files and path.is_file() and not path.is_symlink() else None


def _more_words(user_texts: Mapping[str, bytes], options: PublishOptions) -> dict[str, str]:
    """Return the options of the command that do not change rows, with their values."""
    words = {"--citation": CITATION} if CITATION in user_texts else {}
    if TEMPLATE in user_texts:
        words["--template"] = TEMPLATE
    if options.audit != AUDIT_SENTENCES:
        words["--audit-sentences"] = str(options.audit)
    if not options.sources:
        words["--no-source"] = ""
    return words


def _texts(
    plan: Publishing,
    publication: Publication,
    audit: Mapping[str, Any] | None,
    template: Path | None,
    repo: str,
) -> dict[str, bytes]:
    """Write the card, the Croissant metadata and the audit; they come by name."""
    texts = {} if audit is None else {AUDIT: _json(audit)}
    compiled = {
        entry.phenomenon: asked.compiled
        for entry, asked in zip(publication.grammars, plan.grammars, strict=True)
    }
    drawn = draw_samples(plan.configs, plan.seed)
    card = facts(publication, compiled, audit, drawn, repo=repo)
    texts[CARD] = render(card, template).encode()
    texts[CROISSANT] = _json(croissant(publication))
    return texts


def _audited(
    plan: Publishing,
    publication: Publication,
    folder: PublicationFolder,
    options: PublishOptions,
    progress: Progress | None,
) -> dict[str, Any] | None:
    """Audit the data, unless no sentences are to be audited."""
    if not options.audit:
        return None
    if progress is not None:
        progress("audit", 0, 1)
    audit = _audit(plan, publication, folder, options)
    if progress is not None:
        progress("audit", 1, 1)
    return audit


def _audit(
    plan: Publishing, publication: Publication, folder: PublicationFolder, options: PublishOptions
) -> dict[str, Any]:
    """Return the audit of the data: that of before, if neither data nor sample have changed."""
    sample = sample_of(publication, options.audit)
    about = {
        "sample": sample,
        "digests": _digests(publication),
        "merula": publication.merula,
        "probes": usable(),  # without scikit-learn some do not run
    }
    others = folder.before.others if folder.before is not None else []
    entry = next((other for other in others if other.file == AUDIT), None)
    if entry is not None:
        with suppress(OSError, ValueError, AttributeError, RecursionError):
            data = (folder.out / AUDIT).read_bytes()
            before = json.loads(data)
            if sha256(data) == entry.sha256 and before.get("publication") == about:
                return dict(before)

    def where(file: str) -> Path:
        made = folder.staged(file)
        return made if made.is_file() else folder.out / file

    surfaces = {
        entry.language: asked.compiled.surface
        for entry, asked in zip(publication.grammars, plan.grammars, strict=True)
    }
    return {"publication": about, **audited(publication, sample, where, surfaces)}


def _digests(publication: Publication) -> str:
    """Return one digest of all rows."""
    parts = [p.digest for c in publication.configs for s in c.splits for p in s.files]
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
