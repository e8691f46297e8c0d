"""How a data set is cited: the BibTeX that was given, or one made of title and authors."""

from __future__ import annotations

import re

from merula.data.manifests.publication import Publication
from merula.publish.card.markdown import line


def citation(publication: Publication) -> str:
    """Return the citation that was given, or one made of title and authors, as BibTeX."""
    given = publication.citation.strip()
    if given:
        return given
    key = re.sub(r"\W+", "_", publication.name).strip("_") or "data"
    fields = {
        "title": _escaped(publication.title or publication.name),
        "author": " and ".join(map(_escaped, publication.authors)),
        "year": publication.date[:4],
        "note": f"Data set, made with Merula {publication.merula}",
    }
    lines = [f"  {name:6} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{{key},", *lines, "}"])


def _escaped(text: str) -> str:
    bare = re.sub(r"[{}\\]", "", line(text))
    return re.sub(r"[&%$#_]", lambda m: "\\" + m[0], bare)
