"""Former names of command-line options, which are refused with the new name in the message."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import click

from aptone.errors import UsageError


class CommandWithRenames(click.Command):
    """Command that refuses the former names of its options, and names the new ones (`renamed`: former to new)."""

    def __init__(self, *args: Any, renamed: Mapping[str, str] = MappingProxyType({}), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.renamed = renamed

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line.

        Raises:
            UsageError: if a former option is given.
        """
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if (new := self.renamed.get(error.option_name)) is None:
                raise
            raise UsageError(f"{error.option_name} is now {new}.") from error
