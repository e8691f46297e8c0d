"""The audit of a publication: of all rows, or of the first instances of every split."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from merula.audit.corpus import Corpus
from merula.audit.reading.published import read_published
from merula.audit.report import audit
from merula.data.manifests.publication import Publication
from merula.lexicon.surface import Surface

EXAMPLES_PER_FINDING = 5  # the card has no room for more


def sample_of(publication: Publication, max_sentences: int) -> list[dict[str, Any]]:
    """Return how many instances of each split are audited, if at most ``max_sentences`` are.

    If not all are, the same share is taken of each design in each split, and at least one instance.
    """
    sentences = sum(config.instances * config.cells for config in publication.configs)
    share = min(max_sentences / max(sentences, 1), 1)
    sample = []
    for config in publication.configs:
        for split in config.splits:
            for design, instances in split.by_design.items():
                sample.append(
                    {
                        "config": config.name,
                        "split": split.name,
                        "design": design,
                        "instances": max(int(instances * share), 1),
                        "of": instances,
                    }
                )
    return sample


def audited(
    publication: Publication,
    sample: Sequence[Mapping[str, Any]],
    where: Callable[[str], Path],
    surfaces: Mapping[str, Surface],
) -> dict[str, Any]:
    """Audit a sample; the result is plain values.

    ``where`` gives the place of a file of the publication, ``surfaces`` the rules of each language.
    """
    instances = {
        (entry["config"], entry["split"], entry["design"]): int(entry["instances"])
        for entry in sample
    }
    reads = list(read_published(publication, where, instances))
    corpus = Corpus(
        tuple(s for _, _, read in reads for s in read.sentences),
        (),
        tuple((file, format_name) for file, format_name, _ in reads),
        publication.languages[0] if publication.languages else "en",
        tuple(m for _, _, read in reads for m in read.matrices),
    )
    return audit(corpus, surfaces=surfaces).to_json(EXAMPLES_PER_FINDING)
