"""The audit of what is published: of all rows, or of the first instances of every split."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from merula.audit.corpus import Corpus
from merula.audit.published import read_published
from merula.audit.report import audit
from merula.data.manifests.publication import Publication
from merula.lexicon.surface import Surface

EXAMPLES = 5


def sample_of(publication: Publication, most: int) -> list[dict[str, Any]]:
    """How many instances of each split are audited if no more than so many sentences are.

    Where not all are, each design in each split has the same share of its instances, and at least
    one.
    """
    sentences = sum(config.instances * config.cells for config in publication.configs)
    share = min(most / max(sentences, 1), 1)
    found = []
    for config in publication.configs:
        for split in config.splits:
            for design, there in split.by_design.items():
                number = max(int(there * share), 1)
                found.append(
                    {
                        "config": config.name,
                        "split": split.name,
                        "design": design,
                        "instances": number,
                        "of": there,
                    }
                )
    return found


def audited(
    publication: Publication,
    sample: Sequence[Mapping[str, Any]],
    where: Callable[[str], Path],
    surfaces: Mapping[str, Surface],
) -> dict[str, Any]:
    """The audit of a sample as plain values; ``where`` says where a file stands."""
    numbers = {
        (said["config"], said["split"], said["design"]): int(said["instances"]) for said in sample
    }
    reads = list(read_published(publication, where, numbers))
    corpus = Corpus(
        tuple(s for _, _, read in reads for s in read.sentences),
        (),
        tuple((file, form) for file, form, _ in reads),
        publication.languages[0] if publication.languages else "en",
        tuple(m for _, _, read in reads for m in read.matrices),
    )
    return audit(corpus, surfaces=surfaces).to_json(EXAMPLES)
