"""The command line: arguments go in; text, files and an exit code come out.

`main` is the console script ``merula``. Exit codes: 0 fine, 1 the input is at fault, 2 the command
is used wrongly, 130 the user interrupted it. Each command is a module of this package, imported
when it is asked for.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from importlib import import_module
from typing import Any

# A command makes many small values and few circles. Looking for circles less often, from the
# imports on, saves a tenth of its time.
gc.set_threshold(200_000, 50, 50)

import click  # noqa: E402

# In the order in which a user needs them; `merula --help` lists them in it.
COMMANDS = (
    "new",
    "check",
    "watch",
    "show",
    "count",
    "generate",
    "suite",
    "publish",
    "verify",
    "export",
    "ratings",
    "audit",
    "report",
    "diff",
    "fmt",
    "lexicon",
    "explain",
    "completion",
)


def _use_utf8() -> None:
    """Write UTF-8 to files and other programs, whatever the locale says.

    A page declares UTF-8, and JSON requires it; a terminal keeps its own encoding. What UTF-8
    cannot encode (bytes of a file's name that are not text) is written as an escape.
    """
    for stream in (sys.stdout, sys.stderr):
        # a stream that a caller has put in place may not have an encoding
        if hasattr(stream, "reconfigure") and not stream.isatty():
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


class _Group(click.Group):
    """A group that imports a command when it is used, and prints problems instead of tracebacks."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        _use_utf8()
        return super().main(*args, **kwargs)

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"merula.cli.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from merula.core.wording import did_you_mean, listing

        name = args[0]
        if not name.startswith("-") and name not in COMMANDS:
            hint = did_you_mean(name, COMMANDS) or f"the commands are {listing(COMMANDS)}"
            raise click.UsageError(f"no command is named {name!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        from merula.cli.printing import print_problems
        from merula.core.diagnostics import MerulaError

        atexit.register(gc.freeze)  # at the end of the process circles are not worth looking for
        # No command multiplies matrices: the threads that numpy starts for it would only spin.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        if os.environ.get("NO_COLOR"):
            ctx.color = False
        try:
            return super().invoke(ctx)
        except MerulaError as error:
            print_problems(error.problems, err=True)
            ctx.exit(1)
        except BrokenPipeError:
            sys.stderr.close()
            ctx.exit(0)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="merula", prog_name="merula", message="%(prog)s %(version)s")
def main() -> None:
    """Make controlled linguistic data from a grammar.

    A FILE is a grammar (*.merula), or the name of one that comes with Merula, such as
    npi/sentential_negation.
    """
