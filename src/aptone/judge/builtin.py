"""The built-in engine: no download, no key, no GPU."""

from aptone.models import Engine

ENGINE = Engine(
    name="built-in",
    summary="what the built-in ear hears against a plan given by hand, aspect by aspect; never compared with listeners",
    planner="by-hand",
    judge="built-in",
)
