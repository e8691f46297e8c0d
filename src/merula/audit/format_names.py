"""The names of the formats that the audit reads, for whoever lists them without loading a reader.

`merula.audit.reading.readers` has a reader for each; ``merula audit --as`` offers them.
"""

from __future__ import annotations

SENTENCES, PAIRS, NPI_PARADIGMS, NPI_PAIRS = "sentences", "pairs", "npi", "npi-pairs"
MATRICES, BLM, FIRST_BLM, GENBENCH, XY = "matrices", "blm", "blm-first", "genbench", "xy"
FORMATS = {
    SENTENCES: "a table of sentences, one a row: Merula's paradigms",
    PAIRS: "a table of pairs, one a row: BLiMP, any two columns",
    NPI_PARADIGMS: "the published NPI paradigms: metadata, label, empty, sentence",
    NPI_PAIRS: "the published NPI pairs: task, two sentences, the good one's place",
    MATRICES: "a table of matrices: Merula's own",
    BLM: "the published matrices: Sent_1, Answer_1 …",
    FIRST_BLM: "the first published matrices, under numbers",
    GENBENCH: "matrices: input, target, target_options",
    XY: "matrices: x, y, labels",
}
