"""How a data set is cited, as BibTeX."""

from __future__ import annotations

import re

from merula.data.manifests.publication import Publication
from merula.publish.markdown import line


def citation(publication: Publication) -> str:
    """The citation that was given, or one made of the title and the authors."""
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
    found = re.sub(r"[{}\\]", "", line(text))
    return re.sub(r"[&%$#_]", lambda m: "\\" + m[0], found)
