"""The names of the formats that data are exported in, for whoever lists them without loading Arrow.

`merula.exports.make` has a writer for each; ``merula export --as`` offers them.
"""

from __future__ import annotations

BLIMP, MINICONS, LM_EVAL, SYNTAXGYM = "blimp", "minicons", "lm-eval", "syntaxgym"
LATIN_SQUARE = "latin-square"
FORMATS = {
    BLIMP: "lines of JSON as in BLiMP, a file for each contrast",
    MINICONS: "tables of pairs for the scorers of minicons",
    LM_EVAL: "a folder of tasks for lm-evaluation-harness",
    SYNTAXGYM: "test suites with regions and predictions for SyntaxGym",
    LATIN_SQUARE: "lists for rating studies, each item in one cell a list",
}
