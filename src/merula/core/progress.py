"""How far long work is, told to whoever wants to show it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

# Called with what is being done (a design, a file), how much of it is done, and how much there is
# in all: 0 where that is not known.
Progress: TypeAlias = Callable[[str, int, int], None]
