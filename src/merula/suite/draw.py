"""Drawing paradigms: in the order of the seed, no lexeme too often, no sentence twice.

In: a compiled design, a seed, what is asked of the paradigms (`Demands`) and the sentences that are
there already. Out: addresses, each with its frame, and how often lexemes are used; ``parts`` names
and divides them. The instances are gone through in the seed's order. One is taken unless its frame
has enough, one of its lexemes is used up, or one of its sentences is in another paradigm. So
what is drawn depends on the grammar, its tables, the seed and the demands alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from merula.compiler.compiled import CompiledDesign
from merula.core.arrays import Bools, Ints
from merula.core.diagnostics import Diagnostic, MerulaError
from merula.core.frozen import frozen
from merula.core.wording import counted, listing
from merula.lexicon.surface import Surface
from merula.plan.elimination import MAX_INT64_COUNT
from merula.plan.order import Permutation
from merula.plan.planner import slot_names
from merula.plan.slots import lexemes_of
from merula.rows.sentences import Writer
from merula.rows.variation import AddressSpace
from merula.suite.splits import IsContent, shared_evenly

CHUNK = 2_048  # candidates looked at together: few enough that little is looked at in vain
# Where fewer than one candidate in 200 is taken, the demands count as too hard; but as many as can
# be looked at in some seconds are looked at in any case.
MAX_CANDIDATES_EACH = 200
MIN_CANDIDATES = 20_000
MAX_NOTES = 3  # slots that a message names


@frozen(eq=False)
class Demands:
    """What is asked of the paradigms of a design.

    ``limit`` is how many paradigms a content lexeme may be in, for each slot; ``frames`` are
    taken equally often (empty: as they come). ``what`` names the design in messages.
    """

    count: int
    limit: int
    frames: tuple[str, ...]
    is_content: IsContent
    what: str
    place: str
    first: int = 0  # how many there are already, of other splits


@frozen(eq=False)
class DrawnParadigms:
    """Addresses in the order of the seed, and the frame of each.

    ``counts`` is by slot how many paradigms each content lexeme is in.
    """

    addresses: NDArray[Any]
    frames: tuple[str, ...]
    counts: Mapping[str, Counter[str]] = field(default_factory=dict)


def limit_of(cap: float, count: int) -> int:
    """Return how many of ``count`` paradigms a lexeme may be in: a share of them, at least one.

    A product such as 0.07 · 100, a little above or below 7 in floating point, counts as 7.
    """
    return max(floor(cap * count + 1e-9), 1)


class TooFew(MerulaError):
    """There are not enough instances that satisfy the demands."""


def _too_few(
    code: str, message: str, *, remedy: str, place: str, notes: Sequence[str] = ()
) -> TooFew:
    return TooFew([Diagnostic(code, message, (), remedy, tuple(notes), "error", place)])


def draw(
    design: CompiledDesign, surface: Surface, seed: int, demands: Demands, sentences: set[str]
) -> DrawnParadigms:
    """Draw paradigms, and add their sentences to ``sentences``; raises `TooFew`."""
    if demands.count > design.count:
        raise _too_few(
            "M682",
            f"{demands.what} has {counted(design.count, 'instance')}; {_wanted(demands.count)}",
            remedy="ask for fewer (-n), or give its tables more lexemes",
            place=demands.place,
        )
    quotas = _quotas(design, demands)
    _demand_lexemes(design, demands, quotas)
    drawing = _Drawing(design, surface, seed, demands, quotas, sentences)
    drawn = drawing.run()
    sentences |= drawing.new
    return drawn


def _wanted(count: int) -> str:
    return f"{count:,} {'is' if count == 1 else 'are'} wanted"


def _quotas(design: CompiledDesign, demands: Demands) -> dict[str, int]:
    """Return how many paradigms of each frame; the empty name means all frames together."""
    if not demands.frames:
        return {"": demands.count}
    available = {plan.variant.frame.name for plan in design.plans}
    frames = [frame for frame in demands.frames if frame in available]
    if not frames:
        raise _too_few(
            "M682",
            f"{demands.what} has no paradigm of the order {listing(demands.frames, 'or')}",
            remedy=f"its frames are {listing(sorted(available))}: name one of them, or ask for"
            " another --order",
            place=demands.place,
        )
    shares = shared_evenly(demands.count, len(frames), demands.first)
    return dict(zip(frames, shares, strict=True))


def _demand_lexemes(design: CompiledDesign, demands: Demands, quotas: Mapping[str, int]) -> None:
    """Raise where all lexemes of a slot would be used up before there are enough paradigms.

    Ten lexemes that may be in 5 paradigms each are enough for 50. This is asked of each frame, in
    all of whose plans the slot is, and of all these frames together.
    """
    titles_of: dict[str, dict[str, set[str]]] = {}  # by slot and frame
    for frame in quotas:
        plans = [p for p in design.plans if frame in ("", p.variant.frame.name)]
        by_name = [dict(zip(slot_names(p), p.slots, strict=True)) for p in plans]
        for name in dict.fromkeys(name for slots in by_name for name in slots):
            same = [slots[name] for slots in by_name if name in slots]
            if len(same) == len(plans) and demands.is_content(same[0]):
                titles = set().union(*(slot.titles for slot in same))
                titles_of.setdefault(name, {})[frame] = titles
    for name, by_frame in titles_of.items():
        for frames in (*([frame] for frame in by_frame), list(by_frame)):
            count = sum(quotas[frame] for frame in frames)
            titles = set().union(*(by_frame[frame] for frame in frames))
            if len(titles) * demands.limit < count:
                raise _too_few_lexemes(demands, name, len(titles), count)


def _too_few_lexemes(demands: Demands, name: str, lexemes: int, count: int) -> TooFew:
    """Return the error of a slot with too few lexemes for ``count`` paradigms.

    Its remedy is the least cap, in thousandths, at which there are enough: 10 lexemes have to be
    in 10 of 100 paradigms each, which is a cap of 0.1.
    """
    needed = -(-count // demands.limit)
    cap = -(-1000 * -(-count // lexemes) // demands.count) / 1000 if lexemes else 1.0
    return _too_few(
        "M683",
        f"{demands.what}: {lexemes:,} {lexemes_of(name, lexemes)}"
        f" {'is' if lexemes == 1 else 'are'} too few for {count:,} paradigms",
        remedy=f"give its table more, or raise the cap (--cap {min(cap, 1.0):g})",
        notes=[
            f"each may be in at most {counted(demands.limit, 'paradigm')}, so {needed:,} are"
            " needed at least"
        ],
        place=demands.place,
    )


@dataclass(eq=False)
class _Drawing:
    """A drawing that goes on from chunk to chunk until there are enough paradigms."""

    design: CompiledDesign
    surface: Surface
    seed: int
    demands: Demands
    left: dict[str, int]  # by frame, how many are missing
    seen: set[str]

    def __post_init__(self) -> None:
        self.space = AddressSpace(self.design)
        plans = self.design.plans
        self.writer = Writer(plans, self.surface, instances=self.demands.count)
        content = {
            name: self.demands.is_content(slot)
            for plan in plans
            for name, slot in zip(slot_names(plan), plan.slots, strict=True)
        }
        self.used = {  # by slot, how many paradigms each lexeme is in
            name: np.zeros(len(self.writer.titles[name]), dtype=np.int64)
            for name, is_capped in content.items()
            if is_capped
        }
        self.frames = [plan.variant.frame.name if "" not in self.left else "" for plan in plans]
        self.new: set[str] = set()  # sentences
        self.used_up: Counter[str] = Counter()  # candidates left out, by the slot at fault
        self.doubled = 0  # candidates with a sentence that is in another paradigm

    def run(self) -> DrawnParadigms:
        addresses: list[Any] = []
        frames: list[str] = []
        order = Permutation(self.design.count, self.seed)
        most = max(MAX_CANDIDATES_EACH * self.demands.count, MIN_CANDIDATES)
        start = 0
        while any(self.left.values()):
            stop = min(start + CHUNK, self.design.count, most)
            if stop == start:
                raise self._failure(start)
            for address, plan in self._chosen(order.rows(start, stop)):
                addresses.append(address)
                frames.append(self.design.plans[plan].variant.frame.name)
            start = stop
        kind = np.int64 if self.design.count < MAX_INT64_COUNT else object
        return DrawnParadigms(np.array(addresses, dtype=kind), tuple(frames), self._counts())

    def _counts(self) -> dict[str, Counter[str]]:
        return {
            name: Counter(dict(zip(self.writer.titles[name], used.tolist(), strict=True)))
            for name, used in self.used.items()
        }

    def _chosen(self, addresses: NDArray[Any]) -> list[tuple[Any, int]]:
        """Return the addresses of a chunk that are taken, with their plans."""
        plan_of, draws = self.space.locate(addresses)
        written = self.writer.write(plan_of, draws)
        lexemes = written.lexemes[0]
        rows = np.flatnonzero(self._possible(plan_of, lexemes))
        texts = self.writer.texts(written.numbers[rows]).to_pylist()
        cells = len(texts) // max(len(rows), 1)
        names = [name for name in self.used if name in lexemes]
        columns = [lexemes[name][rows].tolist() for name in names]
        chosen = []
        for i, row in enumerate(rows.tolist()):
            plan = int(plan_of[row])
            in_slots = [(n, c[i]) for n, c in zip(names, columns, strict=True) if c[i] >= 0]
            if self._take(self.frames[plan], in_slots, texts[i * cells : (i + 1) * cells]):
                chosen.append((addresses[row], plan))
        return chosen

    def _possible(self, plan_of: Ints, lexemes: Mapping[str, NDArray[np.int32]]) -> Bools:
        """Return which candidates are of a frame with too few, and have no lexeme used up.

        This sorts out most candidates at once; `_take` asks again, since those of the same chunk
        use up lexemes too.
        """
        is_open = np.array([self.left.get(frame, 0) > 0 for frame in self.frames])
        possible: Bools = is_open[plan_of]
        for name, used in self.used.items():
            places = lexemes.get(name)
            if places is not None and len(used):
                full = (used >= self.demands.limit)[places] & (places >= 0)
                self.used_up[name] += int((full & possible).sum())
                possible &= ~full
        return possible

    def _take(self, frame: str, lexemes: Sequence[tuple[str, int]], texts: Sequence[str]) -> bool:
        """Take a candidate if it is still possible, and note what it uses up.

        ``lexemes`` are its lexemes, as slots and places in the titles of these.
        """
        if not self.left[frame]:
            return False
        for name, place in lexemes:
            if self.used[name][place] >= self.demands.limit:
                self.used_up[name] += 1
                return False
        if not (self.seen.isdisjoint(texts) and self.new.isdisjoint(texts)):
            self.doubled += 1
            return False
        self.new.update(texts)
        self.left[frame] -= 1
        for name, place in lexemes:
            self.used[name][place] += 1
        return True

    def _failure(self, looked_at: int) -> TooFew:
        """Return the error of candidates that have come to an end, with the reasons."""
        demands = self.demands
        drawn = demands.count - sum(self.left.values())
        reasons = [(name, n) for name, n in self.used_up.most_common(MAX_NOTES) if n]
        notes = [
            f"{n:,} of them have a {lexemes_of(name)} that is used up: in"
            f" {counted(demands.limit, 'paradigm')} already"
            for name, n in reasons
        ]
        if self.doubled:
            notes.append(f"{self.doubled:,} of them have a sentence that is in another paradigm")
        lexemes = lexemes_of(reasons[0][0], 2) if reasons else "lexemes"
        return _too_few(
            "M683" if reasons else "M682",
            f"{demands.what}: {drawn:,} of {demands.count:,} paradigms are found among"
            f" {counted(looked_at, 'instance')}, and then no more",
            remedy=f"give its tables more {lexemes}, ask for fewer paradigms (-n), or raise the cap"
            " (--cap)",
            notes=notes,
            place=demands.place,
        )
