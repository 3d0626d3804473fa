"""Completion of registered names in the shell."""

from collections.abc import Callable

import click

from aptone.registry import Registry


def names_of(group: str) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """What click asks for the names in a group of the registry that begin as typed."""

    def complete(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
        return [name for name in Registry(group, object) if name.startswith(incomplete)]

    return complete
