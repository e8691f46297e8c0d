"""A strict reader of HTML for the tests of notebooks and pages."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "br", "hr", "link", "img"}


class Tree(HTMLParser):
    """Elements with their attributes and texts; fails where tags are not balanced."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[dict[str, Any]] = []
        self.all: list[dict[str, Any]] = []
        self.feed(html)
        self.close()
        assert not self.open, [element["tag"] for element in self.open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        parents = [element["tag"] for element in self.open]
        element = {"tag": tag, "text": "", "in": parents, **dict(attrs)}
        self.all.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open
        assert self.open[-1]["tag"] == tag
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element["text"] += data

    def find(self, tag: str, **wanted: str) -> list[dict[str, Any]]:
        return [
            e for e in self.all if e["tag"] == tag and all(e.get(k) == v for k, v in wanted.items())
        ]
