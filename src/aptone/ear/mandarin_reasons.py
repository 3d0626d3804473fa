"""Why the ear could not judge or measure something, in Mandarin.

The ear gives its reasons in English, with numbers in them. Beside each stands what a Mandarin text says; a reason that
holds another (``{why}``) has both said.
"""

import functools
import re
from itertools import chain, zip_longest

REASONS: tuple[tuple[str, str], ...] = (
    ("the clip is silent", "音频是静音"),
    ("no speech found", "没有找到语音"),
    ("{count} s of sound, need {needed} s", "只有 {count} 秒声音，至少需要 {needed} 秒"),
    ("{count} s of speech, need {needed} s", "只有 {count} 秒语音，至少需要 {needed} 秒"),
    ("{count} s of voice, need {needed} s", "只有 {count} 秒浊音，至少需要 {needed} 秒"),
    ("this ear was not taught any sounds", "此听觉模型没有学过非语言声音"),
    ("this ear was not taught naturalness", "此听觉模型没有学过自然度"),
    ("this ear was not taught intensity", "此听觉模型没有学过强度"),
    (
        "the voice is unlike the adults of 20 to 35 that the ear was taught with",
        "这个嗓音不像听觉模型学过的 20 至 35 岁成年人",
    ),
    ("the ear was never taught what a sigh sounds like", "听觉模型从未学过叹息声"),
    ("the ear was never taught what adult crying sounds like", "听觉模型从未学过成年人的哭声"),
    ("{count} voiced frames, need {needed}", "只有 {count} 个浊音帧，至少需要 {needed} 个"),
    ("{count} voiced frames that are loud, need {needed}", "只有 {count} 个足够响的浊音帧，至少需要 {needed} 个"),
    ("{count} frames of speech, need {needed}", "只有 {count} 个语音帧，至少需要 {needed} 个"),
    ("{count} pairs of neighbouring periods, need {needed}", "只有 {count} 对相邻周期，至少需要 {needed} 对"),
    ("speech without a voiced syllable", "语音中没有浊音音节"),
    ("a band of the spectrum is silent", "频谱中有一个频带无声"),
    ("silence from 0.3 to 3.4 kHz", "0.3 至 3.4 kHz 无声"),
    (
        "{count} s of speech leave no two stretches of {needed} s",
        "{count} 秒语音分不出两段各 {needed} 秒的语音",
    ),
    ("not measured", "未测量"),
    ("{what} goes {way} by {count}, planned was {planned}", "{what} 的变化方向是 {way}（{count}），计划是 {planned}"),
    ("articulation rate: {why}", "发音速率：{why}"),
    ("pitch level: {why}", "音高水平：{why}"),
)
"""English, and what Mandarin says."""

FREE = ("why", "what", "name", "names")
"""Names of blanks that hold several words; the others hold one word or number."""


def sentence_pattern(english: str) -> re.Pattern[str]:
    """What finds a sentence with blanks, and gives what fills them by name.

    >>> sentence_pattern("{count} s of speech, need {needed} s").fullmatch("0.2 s of speech, need 0.4 s")["count"]
    '0.2'
    """
    parts = re.split(r"\{(\w+)\}", english)
    filled = [f"(?P<{name}>.+?)" if name in FREE else rf"(?P<{name}>[^\s;:]+)" for name in parts[1::2]]
    fixed = [re.escape(part) for part in parts[::2]]
    return re.compile("".join(chain.from_iterable(zip_longest(fixed, filled, fillvalue=""))))


LONGEST_REASON = 600
"""Characters beyond which a reason is not one of ours."""


def mandarin_reason(reason: str) -> str | None:
    """A reason of the ear in Mandarin; None if it is not one of ours.

    >>> mandarin_reason("pitch level: 3 voiced frames, need 20")
    '音高水平：只有 3 个浊音帧，至少需要 20 个'
    """
    if len(reason) > LONGEST_REASON:
        return None
    for pattern, mandarin in _patterns():
        if match := pattern.fullmatch(reason):
            filled = match.groupdict()
            if "why" in filled:
                filled["why"] = mandarin_reason(filled["why"]) or filled["why"]
            return mandarin.format(**filled)
    return None


@functools.cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((sentence_pattern(english), mandarin) for english, mandarin in REASONS)
