"""``aptone completion``."""

import click
from click.shell_completion import get_completion_class

from aptone.cli.output import json_option, print_json


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@json_option
@click.pass_context
def completion(ctx: click.Context, shell: str, as_json: bool) -> None:
    """Print the script that completes verbs and options in your shell.

    \b
    bash: aptone completion bash > ~/.local/share/bash-completion/completions/aptone
    zsh:  aptone completion zsh > "${fpath[1]}/_aptone"
    fish: aptone completion fish > ~/.config/fish/completions/aptone.fish
    """  # noqa: D301  (\b keeps click from joining the lines)
    kind = get_completion_class(shell)
    assert kind is not None  # click knows all three shells of the choice
    script = kind(ctx.find_root().command, {}, "aptone", "_APTONE_COMPLETE").source()
    if as_json:
        print_json({"shell": shell, "script": script})
    else:
        click.echo(script)
