"""Options that belong together, handed to a verb as one record."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

Command = Callable[..., Any]


def gather_options(
    kind: Any, *, argument: str, options: Sequence[Callable[[Command], Command]]
) -> Callable[[Command], Command]:
    """A decorator that adds options to a verb, which receives their values as one record.

    Args:
        kind: a dataclass whose fields are named as the options.
        argument: name of the verb's argument for the record.
        options: made by ``click.option``, in the order of the help.
    """

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def gathered(*args: Any, **kwargs: Any) -> Any:
            fields = {name: kwargs.pop(name) for name in kind.__dataclass_fields__}
            return command(*args, **{argument: kind(**fields)}, **kwargs)

        decorated: Command = gathered
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate
