"""``limpet completion``: prints what makes a shell complete commands, options and names."""

import click
from click.shell_completion import get_completion_class


@click.command(
    epilog="""\b
Examples:
  limpet completion bash > ~/.local/share/bash-completion/completions/limpet
  limpet completion zsh > ~/.zfunc/_limpet           (a folder of $fpath, before compinit)
  limpet completion fish > ~/.config/fish/completions/limpet.fish

\b
Exit status: 0 printed; 2 another shell."""
)
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
def completion(shell: str) -> None:
    """Print a script that makes SHELL complete commands, options, files, and names of bots, games, spots and strategies.

    Names are looked up when the key is pressed: strategies that you train are among them.
    """
    maker = get_completion_class(shell)
    assert maker is not None
    click.echo(maker(click.get_current_context().find_root().command, {}, "limpet", "_LIMPET_COMPLETE").source())
