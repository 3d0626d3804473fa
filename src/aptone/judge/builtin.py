"""The built-in engine: no download, no key, no GPU."""

from aptone.models import Engine

ENGINE = Engine(
    name="built-in",
    summary="what the built-in ear hears against a plan given by hand (placeholder: does not score emotion)",
    planner="by-hand",
    judge="prosody",
)
