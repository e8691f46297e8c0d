"""``merula completion``: a script with which a shell completes commands, options and names."""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")

# Click's own script for bash completes either folders or names, and adds a space after a folder.
_BASH = """\
_merula_completion() {
    local kind word
    COMPREPLY=()
    while IFS=, read -r kind word; do
        case $kind in
            plain) COMPREPLY+=("$word") ;;
            dir) compopt -o plusdirs ;;
            file) compopt -o default ;;
        esac
        [[ $word == *.merula ]] && compopt -o filenames
    done < <(
        COMP_WORDS=$(printf '%s\\n' "${COMP_WORDS[@]}") COMP_CWORD=$COMP_CWORD \\
            _MERULA_COMPLETE=bash_complete "$1"
    )
}
complete -o nosort -F _merula_completion merula
"""


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the script with which a shell completes what you type.

    Put the line for your shell into its settings file, and open a new terminal:

    \b
      ~/.bashrc                    eval "$(merula completion bash)"
      ~/.zshrc, after compinit     eval "$(merula completion zsh)"
      ~/.config/fish/config.fish   merula completion fish | source
    """
    click.echo(_script(shell), nl=False)


def _script(shell: str) -> str:
    from click.shell_completion import get_completion_class

    from merula.cli import main

    if shell == "bash":
        return _BASH
    kind = get_completion_class(shell)
    assert kind is not None
    return kind(main, {}, "merula", "_MERULA_COMPLETE").source()
