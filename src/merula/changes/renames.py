"""New names of things that both grammars have, and things that may only have a new name.

As a rule a thing with a new name is a new thing: the instances of the old one are lost, and those
of the new one gained. That is seldom what the author of an edit expects. So a thing that is gone is
named beside a new one that looks the same, if there is exactly one of either.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from merula.changes.differences import Renamed
from merula.changes.joint import SharedVariant
from merula.changes.pairing import VariantPair, same_template, template_change
from merula.compiler.compiled import Compiled, CompiledDesign
from merula.design.cells import template


def other_names(joints: Iterable[SharedVariant]) -> tuple[Renamed, ...]:
    """Return names that differ in the rows of shared instances: variants, choices, lexemes."""
    names: dict[Renamed, None] = {}
    for joint in joints:
        if joint.choices is not None and joint.kept:
            names.update(dict.fromkeys((*_variant_names(joint.pair), *_choice_names(joint))))
    return tuple(names)


def _variant_names(pair: VariantPair) -> Iterator[Renamed]:
    sides = (pair.old, pair.new)
    chosen = [" · ".join(f"{n} {x}" for n, x in side.variant.choices) or "-" for side in sides]
    if chosen[0] != chosen[1]:
        yield Renamed("variant", *chosen)
    for numbers in pair.cells:
        old, new = pair.old.cells[numbers.old], pair.new.cells[numbers.new]
        if same_template(old, new) and template(old) != template(new):
            yield Renamed("template", *template_change(old, new))


def _choice_names(joint: SharedVariant) -> Iterator[Renamed]:
    assert joint.choices is not None
    for choice in joint.choices.both:
        if choice.old is None or choice.new is None:
            one = f"only `{choice.word}`"
            name = choice.new_name
            yield Renamed("choice", *((one, name) if choice.old is None else (name, one)))
            continue
        if choice.old_name != choice.new_name:
            yield Renamed("choice", choice.old_name, choice.new_name)
        titles = (
            joint.plan(old=True).slots[choice.old].titles,
            joint.plan(old=False).slots[choice.new].titles,
        )
        for i, j in zip(choice.old_shared.tolist(), choice.new_shared.tolist(), strict=True):
            if titles[0][i] != titles[1][j]:
                yield Renamed(choice.new_name, titles[0][i], titles[1][j])


def renamed_heads(old: Compiled, new: Compiled) -> tuple[Renamed, ...]:
    """Return objects with the same attributes, and designs with the same templates."""
    objects = _alone(_objects(old), _objects(new))
    designs = _alone(_designs(old), _designs(new))
    return (
        *(Renamed("object", *names) for names in objects),
        *(Renamed(new.designs[names[1]].kind, *names) for names in designs),
    )


def _objects(compiled: Compiled) -> dict[str, object]:
    if compiled.grammar is None:
        return {}
    return {
        item.name: (
            (item.category, item.optional, item.position),
            *((variable.attribute, variable.values) for variable in variables),
        )
        for item, variables in compiled.grammar.by_object.items()
    }


def _designs(compiled: Compiled) -> dict[str, object]:
    return {name: _templates(design) for name, design in compiled.designs.items()}


def _alone(old: Mapping[str, object], new: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    gone = {name: look for name, look in old.items() if name not in new}
    added = {name: look for name, look in new.items() if name not in old}
    return _matching(gone, added)


def _templates(design: CompiledDesign) -> object:
    variants = (
        (variant.title, *((cell.role, cell.label, template(cell)) for cell in cells))
        for variant, cells in design.cells
    )
    return (design.kind, *variants)


def renamed_parts(joints: Iterable[SharedVariant]) -> tuple[Renamed, ...]:
    """Return answers and lexemes that may only have a new name, of a design in both grammars."""
    names: dict[Renamed, None] = {}
    for joint in joints:
        names.update(dict.fromkeys(_answers(joint.pair)))
        if joint.choices is not None:
            names.update(dict.fromkeys(_lexemes(joint)))
    return tuple(names)


def _answers(pair: VariantPair) -> Iterator[Renamed]:
    gone, added = (
        {
            side.cells[i].label: template(side.cells[i])
            for i in numbers
            if side.cells[i].role == "answer"
        }
        for side, numbers in ((pair.old, pair.gone), (pair.new, pair.added))
    )
    return (Renamed("answer", *names) for names in _matching(gone, added))


def _lexemes(joint: SharedVariant) -> Iterator[Renamed]:
    """Yield lexemes of a choice that have the same forms."""
    assert joint.choices is not None
    for choice in joint.choices.both:
        if choice.old is None or choice.new is None:
            continue
        gone, added = (
            {
                slot.titles[i]: tuple(sorted(texts[i] for texts in slot.forms.values()))
                for i in sorted({*range(len(slot))}.difference(shared.tolist()))
            }
            for slot, shared in (
                (joint.plan(old=True).slots[choice.old], choice.old_shared),
                (joint.plan(old=False).slots[choice.new], choice.new_shared),
            )
        )
        for names in _matching(gone, added):
            yield Renamed(choice.new_name, *names)


def _matching(gone: Mapping[str, object], added: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield the names of things that look the same, where exactly one on either side does."""
    looks: dict[object, tuple[list[str], list[str]]] = {}
    for hand, things in enumerate((gone, added)):
        for name, look in things.items():
            looks.setdefault(look, ([], []))[hand].append(name)
    for olds, news in looks.values():
        if len(olds) == len(news) == 1 and olds != news:
            yield olds[0], news[0]
