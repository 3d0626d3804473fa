"""Options of planners and judges, as users type them."""

from aptone.errors import UsageError
from aptone.types import Json, json_or_text


def setting(text: str) -> tuple[str, Json]:
    """Name and value of an option: ``judge.factor=2``. The value is JSON, or else meant as text.

    >>> setting("planner.thrifty=true"), setting("judge.model=large")
    (('planner.thrifty', True), ('judge.model', 'large'))

    Raises:
        UsageError: if there is no equals sign.
    """
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--set {text}: expected PART.OPTION=VALUE, for instance judge.model=large.")
    return name, json_or_text(value)
