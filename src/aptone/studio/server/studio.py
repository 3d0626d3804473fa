"""What the routes work with: the project, and what the server knows besides."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

import anyio.to_thread

from aptone.judge.aspects.feelings import FeelingLexicon
from aptone.studio.agreement.items import Disagreement
from aptone.studio.project import Project
from aptone.studio.server.rate_limit import RateLimit
from aptone.studio.server.recent_figures import Recent
from aptone.studio.server.security import Addresses
from aptone.studio.server.sessions import Sessions
from aptone.types import Json

Given = ParamSpec("Given")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Studio:
    """One running studio.

    Args:
        project: what is rated, by whom.
        addresses: where it is reached.
        sessions: who is signed in.
        entries: how often people may try to come in.
        reports: agreement of tasks, worked out a moment ago.
        progress: of tasks, the same.
        disagreements: items by how far their raters lie apart, worked out a moment ago.
        lexicon: of feelings, for agreement; ``None`` for the built-in one.
        version: of Aptone.
    """

    project: Project
    addresses: Addresses
    sessions: Sessions
    entries: RateLimit
    reports: Recent[dict[str, Json]]
    progress: Recent[dict[str, Json]]
    disagreements: Recent[tuple[Disagreement, ...]]
    lexicon: FeelingLexicon | None
    version: str


async def asked(question: Callable[Given, Result], /, *given: Given.args, **options: Given.kwargs) -> Result:
    """What a function that reads the database gives, without holding up the others meanwhile."""
    return await anyio.to_thread.run_sync(lambda: question(*given, **options))


async def written(future: Future[Result]) -> Result:
    """What a write gives, after its commit."""
    return await asyncio.wrap_future(future)
