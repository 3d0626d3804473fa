"""A model behind a server, from the options of the part that asks it.

Options come from a command line, where everything can be anything: each is looked at before it is used. What is not
said is taken from the environment.
"""

import os
from collections.abc import Mapping
from types import NoneType
from typing import TypeVar

from aptone.errors import UsageError
from aptone.messages import message
from aptone.models.openai.chat import LimitField, OpenAiChat, Prices
from aptone.models.openai.endpoint import Endpoint
from aptone.types import Json

Chat = TypeVar("Chat", bound=OpenAiChat)

KINDS: Mapping[str, tuple[tuple[type, ...], str]] = {
    "model": ((str,), "a name"),
    "base_url": ((str,), "an address"),
    "key_variable": ((str,), "the name of an environment variable"),
    "timeout": ((int, float), "a number of seconds"),
    "input_price": ((int, float), "a number"),
    "output_price": ((int, float), "a number"),
    "extra": ((Mapping, NoneType), "an object"),
}
"""What the options of a server are."""


def check_kinds(part: str, options: Mapping[str, object], kinds: Mapping[str, tuple[tuple[type, ...], str]]) -> None:
    """See that options are what they should be.

    Args:
        part: whose options they are, for the error.
        options: by name.
        kinds: by name, the types that an option may have, and how that is said.

    Raises:
        UsageError: if one is not.
    """
    for name, value in options.items():
        allowed, words = kinds[name]
        if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
            raise UsageError(f"the {part}'s option {name} is {words}, got {value!r}.")


def served(
    kind: type[Chat],
    *,
    part: str,
    model: str,
    base_url: str,
    key_variable: str,
    timeout: float,
    input_price: float,
    output_price: float,
    limit_field: LimitField,
    extra: Mapping[str, Json] | None,
) -> Chat:
    """The chat model that a part was told to ask.

    Args:
        kind: of chat model.
        part: who asks: ``judge`` or ``planner``; names the variable ``APTONE_<PART>_MODEL``.
        model: its name there; empty for what that variable holds.
        base_url: of the server; empty for what ``OPENAI_BASE_URL`` holds.
        key_variable: name of the environment variable that holds the key.
        timeout: seconds for a call.
        input_price: of a million tokens that it reads.
        output_price: of a million tokens that it writes.
        limit_field: how the server calls the limit on what is written.
        extra: what else goes into each request.

    Raises:
        UsageError: if it is not said which model or which server, or an option is not one.
    """
    given = {"input_price": input_price, "output_price": output_price, "extra": extra}
    check_kinds(part, given, KINDS)
    endpoint, named = served_at(part, model, base_url, key_variable=key_variable, timeout=timeout)
    return kind(
        endpoint,
        model=named,
        prices=Prices(input=input_price, output=output_price),
        limit_field=limit_field,
        extra=extra or {},
    )


def served_at(part: str, model: str, base_url: str, *, key_variable: str, timeout: float) -> tuple[Endpoint, str]:
    """The server that a part was told to ask, and the name of the model there; arguments and errors as of `served`."""
    given = {"model": model, "base_url": base_url, "key_variable": key_variable, "timeout": timeout}
    check_kinds(part, given, KINDS)
    variable = f"APTONE_{part.upper()}_MODEL"
    model = model or os.environ.get(variable, "")
    base_url = base_url or os.environ.get("OPENAI_BASE_URL", "")
    if not model or not base_url:
        named = part.replace("_", " ")
        raise UsageError(message("models.which-model-where", what=named, part=part, variable=variable))
    return Endpoint(base_url, key_variable=key_variable, timeout=timeout), model
