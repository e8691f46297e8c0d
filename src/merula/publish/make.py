"""Publishing: parts in several processes, then the audit, the card and the manifest."""

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

from merula.audit.linear import usable
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
from merula.publish.card import demand_card, facts, render
from merula.publish.card_samples import samples
from merula.publish.commands import CITATION, TEMPLATE, command, grammar_name, suite_name
from merula.publish.croissant import croissant
from merula.publish.licences import demand_licence
from merula.publish.plan import Details, Plan, titled
from merula.publish.sources import Bundle, bundle, merged, suite_bundle

CROISSANT = "croissant.json"
KEPT_CARD = "README.before.md"

# Is told what was done, how many of it are done, and how many there are.


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
    """What a run has left: the publication, and which files were written, kept and deleted.

    ``audit`` is what the audit found (`merula.audit.Audit.to_json`), None where there was none;
    ``saved`` the file that holds a card which was changed by hand and is replaced.
    """

    publication: Publication
    written: tuple[str, ...]
    kept: tuple[str, ...]
    deleted: tuple[str, ...]
    audit: Mapping[str, Any] | None
    saved: str = ""


def remembered(details: Details, out: Path) -> Details:
    """Details with what is not said taken from what a folder holds already."""
    there = sound_publication(out)
    if there is None:
        return details
    return Details(
        details.licence or there.licence,
        details.title or (there.title if there.title != titled(there.name) else ""),
        details.authors or tuple(there.authors),
        details.citation or there.citation,
        details.date or there.date,
    )


def publish(
    plan: Plan, out: Path, options: Options | None = None, *, progress: Progress | None = None
) -> Outcome:
    """Publish into a folder that is new or empty, or was published before.

    Only what has changed is written. Raises `MerulaError` where something is wrong; what was
    published before is then as it was.
    """
    options = options or Options()
    demand_licence(plan.details.licence)
    demand_card(options.template)
    wanted = plan.publication
    bundles = _bundles(plan) if options.sources else []
    folder = PublicationFolder(out, _key(plan))
    with folder.opened():
        edited = _is_edited(folder)
        if folder.before is not None and not options.replace:
            _demand_same(folder.before, wanted, out)
            _demand_unedited(edited, out)
        made, parts = _parts(plan, folder, options, progress)
        configs = [_with(wanted_.entry, made) for wanted_ in plan.wanted]
        publication = _named(replace(wanted, configs=configs), plan, bundles)
        template = options.template or _template_of(folder)
        own = _own_texts(plan, template)
        more = _more_words(own, options)
        publication = replace(publication, command=command(publication, plan, more))
        audit = _audited(plan, publication, folder, options, progress)
        texts = _texts(plan, publication, audit, template, options.repo)
        texts = {**merged(bundles), **own, **texts}
        others = [FileEntry(n, len(data), sha256(data)) for n, data in sorted(texts.items())]
        publication = replace(publication, others=others)
        saved = _saved(out) if edited else ""
        written, deleted = folder.commit(publication, texts, parts)
    kept = [name for name in publication.files() if name not in written]
    return Outcome(publication, tuple(written), tuple(kept), tuple(deleted), audit, saved)


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


def _named(publication: Publication, plan: Plan, bundles: Sequence[Bundle]) -> Publication:
    """The publication with where its sources stand in the repository, and what they are called.

    They are called as one calls them there, wherever they were when they were published.
    """
    by_name = {name: own for own in bundles for name in own.mains}
    suite = publication.suite
    grammars = []
    for entry, asked in zip(publication.grammars, plan.grammars, strict=True):
        name = entry.phenomenon if suite is None else entry.asked
        own = by_name.get(name)
        source = own.mains[name] if own is not None else ""
        files = entry.options["files"] if own is None else dict(own.options.files)
        put = replace(entry, source=source, options={**entry.options, "files": files})
        grammars.append(replace(put, asked=grammar_name(asked, put) if suite is None else name))
    if suite is not None:
        suite = replace(suite, source=bundles[0].recipe if bundles else "")
        suite = replace(suite, asked=suite_name(suite))
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
    known = {grammar.phenomenon for grammar in there.grammars}
    if not known & {grammar.phenomenon for grammar in wanted.grammars}:
        raise MerulaError.of(
            "M722",
            f"{out} holds another data set: {there.title}",
            remedy="publish into another folder; or add --replace, if nobody relies on what is"
            " there",
            place=str(out),
        )
    if notes:
        raise MerulaError.of(
            "M722",
            f"{out} holds a data set with other features",
            remedy="publish into another folder; or add --replace, if nobody relies on what is"
            " there",
            notes=notes,
            place=str(out),
        )


def _is_edited(folder: PublicationFolder) -> bool:
    """Whether the card is no longer what was published."""
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
    """Keep a card that was changed by hand beside the one that takes its place."""
    names = (KEPT_CARD if i < 2 else f"README.before-{i}.md" for i in count(1))
    name = next(name for name in names if not (out / name).exists())
    with replacing(out / name) as made:
        made.write_bytes((out / CARD).read_bytes())
    return name


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
            old, new = before.get(part.file), folder.record(part)
            if old is not None and _alike(old, part) and folder.published(old):
                done[part.file] = old
            elif new is not None and _alike(new, part):
                done[part.file] = new
                staged.append(part.file)
            else:
                todo.append((number, part, folder.staged(part.file)))
    for part in _made(plan, todo, options.workers, len(done), progress):
        folder.note(part)
        done[part.file] = part
        staged.append(part.file)
    return done, sorted(staged)


def _reusable(plan: Plan, folder: PublicationFolder, entry: ConfigEntry) -> Mapping[str, PartEntry]:
    """The parts of a configuration that were published from the same grammar, tables and seed."""
    there, wanted = folder.before, plan.publication
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

    @lru_cache(maxsize=1)  # a maker keeps large tables
    def maker(which: int) -> Maker:
        wanted = plan.wanted[which]
        return Maker(wanted.drawn, plan.seed, wanted.entry.fields)

    if number < 2:
        for i, (which, part, path) in enumerate(todo, 1):
            yield maker(which).write(part, path)
            if i == len(todo) or todo[i][0] != which:
                plan.wanted[which].drawn.forget()
            if progress is not None:
                progress("files", before + i, total)
        return
    with TemporaryDirectory(prefix="merula-") as kept, Workers(number, one_arrow_thread) as pool:
        for which in dict.fromkeys(which for which, _, _ in todo):
            Path(kept, str(which)).write_bytes(pickle.dumps(maker(which)))
        for i, (_, part) in enumerate(pool.run(partial(write_kept, kept), list(todo)), 1):
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


def _own_texts(plan: Plan, template: Path | None) -> dict[str, bytes]:
    """What the user has written of the data: how it is cited, and a template of the card."""
    found = {}
    if plan.details.citation:
        found[CITATION] = f"{plan.details.citation}\n".encode()
    if template is not None:
        found[TEMPLATE] = template.read_bytes()
    return found


def _template_of(folder: PublicationFolder) -> Path | None:
    """The template that was published before, where no other one is named."""
    there = folder.before.files() if folder.before is not None else []
    path = folder.out / TEMPLATE
    # a link may lead to what is not meant to be published
    return path if TEMPLATE in there and path.is_file() and not path.is_symlink() else None


def _more_words(own: Mapping[str, bytes], options: Options) -> dict[str, str]:
    """The options of the command that are about other files than those of the rows."""
    found = {"--citation": CITATION} if CITATION in own else {}
    if TEMPLATE in own:
        found["--template"] = TEMPLATE
    if options.audit != Options().audit:
        found["--audit-sentences"] = str(options.audit)
    if not options.sources:
        found["--no-source"] = ""
    return found


def _texts(
    plan: Plan,
    publication: Publication,
    audit: Mapping[str, Any] | None,
    template: Path | None,
    repo: str,
) -> dict[str, bytes]:
    """The card and what is for machines, by name."""
    texts = {} if audit is None else {AUDIT: _json(audit)}
    compiled = {
        entry.phenomenon: asked.compiled
        for entry, asked in zip(publication.grammars, plan.grammars, strict=True)
    }
    drawn = samples(plan.wanted, plan.seed)
    said = facts(publication, compiled, audit, drawn, repo=repo)
    texts[CARD] = render(said, template).encode()
    texts[CROISSANT] = _json(croissant(publication))
    return texts


def _audited(
    plan: Plan,
    publication: Publication,
    folder: PublicationFolder,
    options: Options,
    progress: Progress | None,
) -> dict[str, Any] | None:
    """The audit, if one is wanted."""
    if not options.audit:
        return None
    if progress is not None:
        progress("audit", 0, 1)
    found = _audit(plan, publication, folder, options)
    if progress is not None:
        progress("audit", 1, 1)
    return found


def _audit(
    plan: Plan, publication: Publication, folder: PublicationFolder, options: Options
) -> dict[str, Any]:
    """The audit of the data, that of before where neither data nor sample have changed."""
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
    """One digest of all rows."""
    parts = [p.digest for c in publication.configs for s in c.splits for p in s.files]
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
