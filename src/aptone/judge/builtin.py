"""The built-in engine: no download, no key, no GPU."""

from aptone.models import Engine

ENGINE = Engine(
    name="built-in",
    summary="what the ear hears against what the story asks for, aspect by aspect; never compared with listeners",
    planner="built-in",
    judge="built-in",
)
