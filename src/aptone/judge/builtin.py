"""The built-in engine: no download, no key, no GPU."""

from aptone.models import Engine

ENGINE = Engine(
    name="built-in",
    summary="prosody measures against a plan given by hand (placeholder)",
    planner="by-hand",
    judge="prosody",
    notes=(
        "Placeholder engine: it compares a few prosody measures with a plan that a person wrote. It does not hear "
        "emotion, its rules were never compared with listeners, and it will be replaced.",
    ),
)
