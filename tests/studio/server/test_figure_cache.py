"""Figures that many pages ask for at once."""

import asyncio

import pytest

from aptone.studio.server.studio import FigureCache


def test_those_who_ask_together_share_one_result_until_it_is_old_or_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    now, worked = [100.0], []
    monkeypatch.setattr(
        "aptone.studio.server.studio.time", type("Clock", (), {"monotonic": staticmethod(lambda: now[0])})
    )

    def work_out() -> int:
        worked.append(now[0])
        now[0] += 0.5  # it takes half a second, and may take a tenth of the time: it is shown for five
        return len(worked)

    async def ask() -> None:
        recent: FigureCache[int] = FigureCache(1.0, share=0.1)
        assert await asyncio.gather(*(recent.of("task", work_out) for _ in range(5))) == [1] * 5
        now[0] = 105.4
        assert await recent.of("task", work_out) == 1
        assert await recent.of("other", work_out) == 2
        now[0] = 105.6 + 0.5
        assert await recent.of("task", work_out) == 3
        recent.forget("task")
        assert await recent.of("task", work_out) == 4

    asyncio.run(ask())


def test_what_fails_is_tried_again() -> None:
    recent: FigureCache[str] = FigureCache(60.0)

    async def ask() -> None:
        with pytest.raises(ZeroDivisionError):
            await recent.of("task", lambda: str(1 // 0))
        assert await recent.of("task", lambda: "well") == "well"

    asyncio.run(ask())
