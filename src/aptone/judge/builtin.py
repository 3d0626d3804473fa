"""The built-in engine: no download, no key, no GPU."""

from aptone.models import Engine

ENGINE = Engine(
    name="built-in",
    summary="prosody measures against a plan given by hand (placeholder)",
    planner="by-hand",
    judge="prosody",
)
