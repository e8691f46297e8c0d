"""Drawing paradigms: in the order of the seed, no lexeme too often, no sentence twice.

The seed's permutation of addresses is gone through. An instance is taken unless its order (the
frame) is full, one of its lexemes is used up, or one of its sentences stands in another paradigm.
So what is drawn is decided by the grammar, its tables, the seed and these demands alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from merula.compiler.compiled import CompiledDesign
from merula.core.arrays import Bools, Ints
from merula.core.diagnostics import Diagnostic, MerulaError
from merula.core.frozen import frozen
from merula.core.wording import listing
from merula.lexicon.surface import Surface
from merula.plan.elimination import LIMIT
from merula.plan.order import Permutation
from merula.plan.planner import slot_names
from merula.plan.slots import Slot, lexemes_of
from merula.rows.sentences import Writer
from merula.rows.variation import AddressSpace
from merula.suite.splits import shared_evenly

CHUNK = 2_048  # candidates looked at together
PATIENCE = 200  # candidates a paradigm, after which the demands are taken to be too hard
AT_LEAST = 20_000  # candidates that are looked at in any case


@frozen(eq=False)
class Demands:
    """What is asked of the paradigms of a design.

    ``limit`` is how many paradigms a content lexeme may stand in, in each slot; ``frames`` are
    taken equally often (empty: as they come). ``what`` names the design in messages.
    """

    number: int
    limit: int
    frames: tuple[str, ...]
    content: Callable[[Slot], bool]
    what: str
    place: str
    first: int = 0  # how many there are already, of other splits


@frozen(eq=False)
class Drawn:
    """Addresses that were drawn, in the order of the seed, and the frame of each."""

    addresses: NDArray[Any]
    frames: tuple[str, ...]
    counts: Mapping[str, Counter[str]] = field(default_factory=dict)  # lexemes of content slots


def limit_of(cap: float, number: int) -> int:
    """How many of some paradigms a lexeme may stand in: a share, and one in any case."""
    return max(floor(cap * number + 1e-9), 1)


class TooFew(MerulaError):
    """There are not enough instances that satisfy what is demanded."""


def _too_few(
    code: str, message: str, *, remedy: str, place: str, notes: Sequence[str] = ()
) -> TooFew:
    return TooFew([Diagnostic(code, message, (), remedy, tuple(notes), "error", place)])


def draw(
    design: CompiledDesign, surface: Surface, seed: int, demands: Demands, seen: set[str]
) -> Drawn:
    """Draw paradigms, and add their sentences to ``seen``; raises `TooFew`."""
    if demands.number > design.count:
        raise _too_few_instances(design, demands)
    quotas = _quotas(design, demands)
    _demand_lexemes(design, demands, quotas)
    drawing = _Draw(design, surface, seed, demands, quotas, seen)
    found = drawing.run()
    seen |= drawing.new
    return found


def _quotas(design: CompiledDesign, demands: Demands) -> dict[str, int]:
    """How many paradigms of each frame; the empty name stands for all frames together."""
    if not demands.frames:
        return {"": demands.number}
    there = {plan.variant.frame.name for plan in design.plans}
    wanted = [frame for frame in demands.frames if frame in there]
    if not wanted:
        raise _too_few(
            "M682",
            f"{demands.what} has no paradigm of the order {listing(demands.frames, 'or')}",
            remedy=f"its frames are {listing(sorted(there))}: name one of them, or ask for"
            " another --order",
            place=demands.place,
        )
    shares = shared_evenly(demands.number, len(wanted), demands.first)
    return dict(zip(wanted, shares, strict=True))


def _too_few_instances(design: CompiledDesign, demands: Demands) -> TooFew:
    return _too_few(
        "M682",
        f"{demands.what} has {design.count:,} instance{'s' * (design.count != 1)};"
        f" {demands.number:,} {'is' if demands.number == 1 else 'are'} wanted",
        remedy="ask for fewer (-n), or give its tables more lexemes",
        place=demands.place,
    )


def _demand_lexemes(design: CompiledDesign, demands: Demands, quotas: Mapping[str, int]) -> None:
    """Refuse a slot whose lexemes would all be used up before there are enough paradigms."""
    lexemes: dict[str, dict[str, set[str]]] = {}  # by slot, by frame in all of whose plans it is
    for frame in quotas:
        plans = [p for p in design.plans if frame in ("", p.variant.frame.name)]
        named = [dict(zip(slot_names(p), p.slots, strict=True)) for p in plans]
        for name in dict.fromkeys(name for slots in named for name in slots):
            slots = [own[name] for own in named if name in own]
            if len(slots) == len(plans) and demands.content(slots[0]):
                titles = set().union(*(slot.titles for slot in slots))
                lexemes.setdefault(name, {})[frame] = titles
    for name, by_frame in lexemes.items():
        for frames in (*([frame] for frame in by_frame), list(by_frame)):
            number = sum(quotas[frame] for frame in frames)
            titles = set().union(*(by_frame[frame] for frame in frames))
            if len(titles) * demands.limit < number:
                raise _too_few_lexemes(demands, name, len(titles), number)


def _too_few_lexemes(demands: Demands, name: str, lexemes: int, number: int) -> TooFew:
    """The error of a slot with too few lexemes for a number of paradigms."""
    limit = demands.limit
    needed = -(-number // limit)
    share = -(-1000 * -(-number // lexemes) // demands.number) / 1000 if lexemes else 1.0
    return _too_few(
        "M683",
        f"{demands.what}: {lexemes:,} {lexemes_of(name, lexemes)}"
        f" {'is' if lexemes == 1 else 'are'} too few for {number:,} paradigms",
        remedy=f"give its table more, or raise the cap (--cap {min(share, 1.0):g})",
        notes=[
            f"a lexeme may stand in {limit:,} of them at most, so {needed:,} are needed at least"
        ],
        place=demands.place,
    )


@dataclass(eq=False)
class _Draw:
    """One drawing, going on from chunk to chunk."""

    design: CompiledDesign
    surface: Surface
    seed: int
    demands: Demands
    left: dict[str, int]  # by frame
    seen: set[str]

    def __post_init__(self) -> None:
        self.space = AddressSpace(self.design)
        plans = self.design.plans
        self.writer = Writer(plans, self.surface, instances=self.demands.number)
        self.content = {
            name: self.demands.content(slot)
            for plan in plans
            for name, slot in zip(slot_names(plan), plan.slots, strict=True)
        }
        self.used = {
            name: np.zeros(len(self.writer.titles[name]), dtype=np.int64)
            for name, capped in self.content.items()
            if capped
        }
        self.frames = [plan.variant.frame.name if "" not in self.left else "" for plan in plans]
        self.new: set[str] = set()  # sentences
        self.refused: Counter[str] = Counter()  # candidates by the slot that is used up
        self.doubled = 0  # candidates with a sentence that is there already

    def run(self) -> Drawn:
        taken: list[Any] = []
        frames: list[str] = []
        order = Permutation(self.design.count, self.seed)
        patience = max(PATIENCE * self.demands.number, AT_LEAST)
        at = 0
        while any(self.left.values()):
            stop = min(at + CHUNK, self.design.count, patience)
            if stop == at:
                raise self._failure(at)
            for address, plan in self._chosen(order.rows(at, stop)):
                taken.append(address)
                frames.append(self.design.plans[plan].variant.frame.name)
            at = stop
        kind = np.int64 if self.design.count < LIMIT else object
        return Drawn(np.array(taken, dtype=kind), tuple(frames), self._counts())

    def _counts(self) -> dict[str, Counter[str]]:
        return {
            name: Counter(dict(zip(self.writer.titles[name], used.tolist(), strict=True)))
            for name, used in self.used.items()
        }

    def _chosen(self, addresses: NDArray[Any]) -> list[tuple[Any, int]]:
        """The addresses of a chunk that are taken, with their plans."""
        plan_of, draws = self.space.locate(addresses)
        written = self.writer.write(plan_of, draws)
        lexemes = written.lexemes[0]
        rows = np.flatnonzero(self._possible(plan_of, lexemes))
        texts = self.writer.texts(written.numbers[rows]).to_pylist()
        cells = len(texts) // max(len(rows), 1)
        names = [name for name in self.used if name in lexemes]
        columns = [lexemes[name][rows].tolist() for name in names]
        found = []
        for i, row in enumerate(rows.tolist()):
            plan = int(plan_of[row])
            own = [(n, c[i]) for n, c in zip(names, columns, strict=True) if c[i] >= 0]
            if self._take(self.frames[plan], own, texts[i * cells : (i + 1) * cells]):
                found.append((addresses[row], plan))
        return found

    def _possible(self, plan_of: Ints, lexemes: Mapping[str, NDArray[np.int32]]) -> Bools:
        """Candidates of a frame that is not full, with no lexeme that is used up already."""
        open_ = np.array([self.left.get(frame, 0) > 0 for frame in self.frames])
        found: Bools = open_[plan_of]
        for name, used in self.used.items():
            places = lexemes.get(name)
            if places is not None and len(used):
                full = (used >= self.demands.limit)[places] & (places >= 0)
                self.refused[name] += int((full & found).sum())
                found &= ~full
        return found

    def _take(self, frame: str, own: Sequence[tuple[str, int]], texts: Sequence[str]) -> bool:
        """Take a candidate if it is still possible, and note what is used up by it."""
        if not self.left[frame]:
            return False
        for name, place in own:
            if self.used[name][place] >= self.demands.limit:
                self.refused[name] += 1
                return False
        if not (self.seen.isdisjoint(texts) and self.new.isdisjoint(texts)):
            self.doubled += 1
            return False
        self.new.update(texts)
        self.left[frame] -= 1
        for name, place in own:
            self.used[name][place] += 1
        return True

    def _failure(self, tried: int) -> TooFew:
        """What stands in the way, where the candidates are at an end."""
        demands = self.demands
        made = demands.number - sum(self.left.values())
        notes = [
            f"{number:,} of them have a {lexemes_of(name)} that is used up: in {demands.limit:,}"
            " paradigms already"
            for name, number in self.refused.most_common(3)
            if number
        ]
        if self.doubled:
            notes.append(f"{self.doubled:,} of them have a sentence that is in another paradigm")
        worst = next((name for name, number in self.refused.most_common(1) if number), "")
        return _too_few(
            "M683" if worst else "M682",
            f"{demands.what}: {made:,} of {demands.number:,} paradigms are found among"
            f" {tried:,} instances, and then no more",
            remedy=f"give its tables more {lexemes_of(worst, 2) if worst else 'lexemes'},"
            " ask for fewer paradigms (-n), or raise the cap (--cap)",
            notes=notes,
            place=demands.place,
        )
