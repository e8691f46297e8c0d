"""Types of numpy arrays that many modules share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


Bools = NDArray[np.bool_]
