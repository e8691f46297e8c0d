"""Files of grammars laid out anew: read, compared, written.

Names of files go in, `Reformatted` files come out, for ``merula fmt``; problems go to a report.
How a grammar is laid out is decided in `merula.language.format`.
"""

from __future__ import annotations

import codecs
import difflib
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from errno import EACCES, EAGAIN
from pathlib import Path

from merula.core.diagnostics import Report
from merula.core.files import replacing
from merula.core.resources import SUFFIX
from merula.core.source import Source
from merula.grammar.program import read_grammar
from merula.language.format import formatted


@dataclass(frozen=True)
class Reformatted:
    """A file's bytes as they are and as they should be; a byte order mark is kept.

    ``path`` is None for a text that did not come from a file.
    """

    name: str
    path: Path | None
    before: bytes
    after: bytes

    @property
    def changed(self) -> bool:
        """Whether the file has to be written."""
        return self.before != self.after

    def diff(self) -> Iterator[str]:
        """Yield the lines of a unified diff, with their ends."""
        old, new = (_lines(data) for data in (self.before, self.after))
        for line in difflib.unified_diff(old, new, self.name, self.name):
            yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"

    def write(self, report: Report) -> bool:
        """Write the file as a whole or not at all; return False, with a problem, where it fails.

        Of a link, the file that it points to is written. Its rights stay, and its owner where
        that is possible.
        """
        assert self.path is not None
        target = self.path.resolve()
        try:
            if not os.access(target, os.W_OK):
                raise PermissionError(EACCES, "it is read-only")
            if target.read_bytes() != self.before:
                raise BlockingIOError(EAGAIN, "it was changed in the meantime")
            _replace(target, self.after)
        except OSError as error:
            report.error(
                "M620",
                f"{self.name} cannot be written: {error.strerror}",
                remedy="check the rights of the file and of its folder",
                place=self.name,
            )
            return False
        return True


def reformat(name: str, report: Report) -> Reformatted | None:
    """Return a grammar's file laid out anew, not yet written; None, with a problem, if it fails.

    Lines end as the first one does.
    """
    source = read_grammar(name, report)
    if source is None or source.path is None:
        return None
    if source.path not in (Path(name), Path(name + SUFFIX)):
        report.error(
            "M623",
            f"{name} comes with Merula and is not changed",
            remedy="copy it to a folder of your own, and lay out the copy",
            place=name,
        )
        return None
    data = source.path.read_bytes()
    return _reformatted(replace(source, text=_text(data)), data, report)


def reformat_bytes(data: bytes, name: str, report: Report) -> Reformatted | None:
    """Return a grammar that is not in a file laid out anew; None, with a problem, if it fails."""
    try:
        source = Source(name, _text(data))
    except UnicodeDecodeError:
        message = f"the grammar {name} is not written in UTF-8"
        report.error("M602", message, remedy="send it as UTF-8", place=name)
        return None
    return _reformatted(source, data, report)


def _text(data: bytes) -> str:
    return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def _reformatted(source: Source, data: bytes, report: Report) -> Reformatted | None:
    text = formatted(source, report)
    if text is None:
        return None
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    if re.match(rb"[^\r\n]*\r\n", data):
        text = text.replace("\n", "\r\n")
    return Reformatted(source.name, source.path, data, mark + text.encode())


def grammars_in(names: Iterable[str], report: Report) -> list[str]:
    """Return the names of files, each once, with the grammars below a folder instead of it.

    Hidden folders and links to folders are left out.
    """
    files: dict[Path, str] = {}
    for name in names:
        if Path(name).is_dir():
            before = report.errors
            inside = list(_below(name, report))
            if not inside and report.errors == before:
                report.error(
                    "M622",
                    f"the folder {name} does not contain a grammar",
                    remedy=f"name a folder with files that end in {SUFFIX}",
                    place=name,
                )
        else:
            inside = [name]
        for file in inside:
            files.setdefault(Path(file).resolve(), file)
    return list(files.values())


def _below(folder: str, report: Report) -> Iterator[str]:
    def report_folder(error: OSError) -> None:
        report.error(
            "M624",
            f"the folder {error.filename} cannot be read: {error.strerror}",
            remedy="check its rights",
            place=error.filename,
        )

    for place, folders, files in os.walk(folder, onerror=report_folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for file in sorted(files):
            if file.endswith(SUFFIX):
                yield str(Path(place, file))


def _lines(data: bytes) -> list[str]:
    *whole, rest = data.decode("utf-8-sig").split("\n")
    return [f"{line}\n" for line in whole] + [rest] * bool(rest)


def _replace(target: Path, data: bytes) -> None:
    """Replace a file by a new one with the same rights and owner."""
    with replacing(target) as temporary:
        temporary.write_bytes(data)
        old = target.stat()
        with suppress(PermissionError, AttributeError):  # another's file; Windows has no owners
            os.chown(temporary, old.st_uid, old.st_gid)
        shutil.copystat(target, temporary)
        os.utime(temporary)
