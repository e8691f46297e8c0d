"""Linear classifiers on bags of words (scikit-learn)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from merula.core.frozen import frozen
from merula.core.resources import install

INSTALL = install("audit")
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


def usable() -> bool:
    """Return whether scikit-learn is installed."""
    return find_spec("sklearn") is not None


@frozen(eq=False)
class Bags:
    """Bags of numbered things: bag *i* is ``things[starts[i]:starts[i + 1]]``."""

    things: Ints
    starts: Ints
    kinds: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    @staticmethod
    def of(bags: Sequence[Sequence[Hashable]]) -> Bags:
        """Return bags of any things, numbered as they occur."""
        ids: dict[Hashable, int] = {}
        things = [ids.setdefault(thing, len(ids)) for bag in bags for thing in bag]
        sizes = np.fromiter((len(bag) for bag in bags), dtype=np.int64, count=len(bags))
        starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
        return Bags(np.array(things, dtype=np.int64), starts, len(ids))

    def split(self, first: int) -> tuple[Bags, Bags]:
        """Return the first bags and the rest, with the same numbers."""
        cut = self.starts[first]
        one = Bags(self.things[:cut], self.starts[: first + 1], self.kinds)
        return one, Bags(self.things[cut:], self.starts[first:] - cut, self.kinds)

    def matrix(self) -> Any:
        """Return a sparse matrix of counts, a row for each bag, a column for each thing."""
        from scipy.sparse import csr_matrix

        ones = np.ones(len(self.things), dtype=np.float64)
        matrix = csr_matrix((ones, self.things, self.starts), shape=(len(self), self.kinds))
        matrix.sum_duplicates()
        return matrix


def linear_guesses(bags: Bags, good: Bools, folds: Ints, seed: int) -> Bools:
    """Return for each bag the guess of a linear classifier that is trained on the other folds."""
    matrix = bags.matrix()
    guesses = np.zeros(len(bags), dtype=np.bool_)
    for fold in np.unique(folds):
        test = folds == fold
        train = ~test
        if good[train].all() or not good[train].any():
            guesses[test] = bool(good[train].any())
            continue
        model = fitted(matrix[train], good[train], seed, intercept=True)
        guesses[test] = model.decision_function(matrix[test]) > 0
    return guesses


def linear_choices(good: Bags, bad: Bags, folds: Ints, seed: int) -> NDArray[np.float64]:
    """Return for each pair 1 if a classifier of differences chooses the good bag, else 0.

    It is trained on the other folds; a pair that it cannot tell apart counts one half. ``good`` and
    ``bad`` have the same numbers of things. Each pair is learnt in both directions, and without an
    intercept, so that the order of a pair says nothing.
    """
    difference = (good.matrix() - bad.matrix()).tocsr()
    right = np.full(len(good), 0.5)
    for fold in np.unique(folds):
        test = np.flatnonzero(folds == fold)
        train = difference[np.flatnonzero(folds != fold)]
        if not train.nnz:
            continue
        from scipy.sparse import vstack

        both = vstack([train, -train]).tocsr()
        label = np.arange(both.shape[0]) < train.shape[0]
        model = fitted(both, label, seed, intercept=False)
        score = model.decision_function(difference[test])
        right[test] = np.where(np.abs(score) < 1e-9, 0.5, score > 0)
    return right


def fitted(matrix: Any, label: Bools, seed: int, *, intercept: bool) -> Any:
    """Return a logistic regression, trained."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(
        C=10.0, solver="liblinear", max_iter=1000, fit_intercept=intercept, random_state=seed
    )
    return model.fit(matrix, label)
