"""What a wheel gets beside the files of the repository: the parser's tables, made by Lark."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TABLES = "merula/language/parser_tables.json"


class ParserTables(BuildHookInterface[Any]):
    """Makes the tables, so that an installed Merula never waits for Lark."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the tables and put them into the wheel; an editable install makes its own."""
        if version == "editable":
            return
        sys.path.insert(0, str(Path(self.root, "src")))
        from merula.language.parser_tables import write_tables

        self.folder = TemporaryDirectory(prefix="merula-")
        path = Path(self.folder.name, Path(TABLES).name)
        write_tables(path)
        build_data["force_include"][str(path)] = TABLES

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Take the temporary file away."""
        del build_data, artifact_path
        if version != "editable":
            self.folder.cleanup()
