"""The option with which every verb of the room style names its model."""

from aptone.cli.commands import Command
from aptone.cli.options.language import names_of
from aptone.cli.options.values import PART, shown_option
from aptone.errors import UsageError
from aptone.models import StyleEmbedder, load_style_embedder
from aptone.models.parts import typed_part

BUILT_IN = "built-in"


def model_option(command: Command) -> Command:
    """Add ``--model`` to a verb."""
    return shown_option(
        "--model",
        default=BUILT_IN,
        metavar=PART,
        shell_complete=names_of("style_embedders"),
        help="Model that compares voices with descriptions, with its options: local:model=FOLDER for one of yours.",
    )(command)


def load_model(text: str) -> StyleEmbedder:
    """The style embedder that was typed.

    Raises:
        MissingExtraError: if it cannot run here.
        RegistryError: if there is none of that name.
        UsageError: if it has no such option.
    """
    return named_model(text)[1]


def named_model(text: str, *, what: str = "--model") -> tuple[str, StyleEmbedder]:
    """The style embedder that was typed, and what tables call it: its option ``name``, its model, or its own name.

    Raises:
        MissingExtraError, RegistryError, UsageError: as `load_model`.
    """
    use, options = typed_part(text, what=what)
    label = options.pop("name", None)
    if not isinstance(label, str | None):
        raise UsageError(f"{what} {text}: a name is text, got {label!r}.")
    return label or str(options.get("model", use)), load_style_embedder(use, **options)
