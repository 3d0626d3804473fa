"""Measured evidence for a claim in words and numbers, English and Mandarin."""

from collections.abc import Mapping

from aptone.ear.claims.limits import Limits
from aptone.ear.describe import Attribute
from aptone.ear.measures.intonation import REFERENCE
from aptone.messages import LANGUAGES, message, translate
from aptone.types import TYPICAL_VAD, ClosedSet, Emotion, Language, Sex

CLEAR_SEX = 0.8
"""Probability from which on a norm is called that of men's or women's voices."""

AT_NORM = 0.05
"""Spreads that one decimal would show as none."""

Words = dict[Language, str]

SCALES: Mapping[Attribute, tuple[str, str]] = {
    "pitch": ("pitch {value:.0f} Hz", "音高 {value:.0f} Hz"),
    "pitch_variation": ("pitch range {value:.1f} semitones", "音高范围 {value:.1f} 个半音"),
    "rate": ("{value:.1f} syllables a second", "每秒 {value:.1f} 个音节"),
    "volume": ("level of the speech in the file {value:.0f} dBFS", "文件中语音的电平 {value:.0f} dBFS"),
}
VOICES: Mapping[Sex | None, tuple[str, str]] = {
    Sex.FEMALE: ("women's", "女声"),
    Sex.MALE: ("men's", "男声"),
    None: ("all voices'", "全体嗓音"),
}
SIGNS: Mapping[str, str] = {
    "HNR": "谐噪比",
    "jitter": "频率微扰",
    "shimmer": "振幅微扰",
    "spectral tilt": "频谱斜率",
    "voiced share": "浊音比例",
}


def scale(attribute: Attribute, value: float, away: float, sex: Sex | None) -> Words:
    """A measure and how far it lies from the norm.

    >>> scale("pitch", 2.9, -0.9, Sex.MALE)["en"]
    "pitch 118 Hz, 0.9 spreads below men's norm"
    """
    english, mandarin = SCALES[attribute]
    shown = REFERENCE * 2.0 ** (value / 12.0) if attribute == "pitch" else value
    whose, whose_zh = VOICES[sex]
    if abs(away) < AT_NORM:
        return {
            "en": f"{english.format(value=shown)}, at {whose} norm",
            "zh": f"{mandarin.format(value=shown)}，与{whose_zh}常模相当",
        }
    side, side_zh = ("above", "高") if away >= 0.0 else ("below", "低")
    return {
        "en": f"{english.format(value=shown)}, {abs(away):.1f} spreads {side} {whose} norm",
        "zh": f"{mandarin.format(value=shown)}，比{whose_zh}常模{side_zh} {abs(away):.1f} 个离差",
    }


def emotion(
    shares: Mapping[Emotion, float], claimed: Emotion, feeling: tuple[float, float], *, is_granted: bool = False
) -> Words:
    """The two likeliest emotions, the claimed one, and where the clip and the claimed one lie in valence and arousal.

    Args:
        is_granted: whether the claim passes although it is not what the ear itself would say, which a small
            probability beside a larger one would else leave unexplained.

    >>> emotion({Emotion.PLAYFUL: 0.4, Emotion.ANGRY: 0.1}, Emotion.ANGRY, (0.07, 0.34))["en"]
    'playful 0.40, angry 0.10; valence +0.07, arousal +0.34 (usual for angry: -0.51, +0.59)'
    """
    foremost = sorted(shares, key=lambda name: -shares[name])[:2]
    named = [*foremost, *([] if claimed in foremost else [claimed])]
    valence, arousal = feeling
    place = TYPICAL_VAD[claimed]
    usual = f"{place.valence:+.2f}, {place.arousal:+.2f}"
    leader = foremost[0]
    granted = f": near enough not to be an error, though {leader} is heard first" if is_granted else ""
    granted_zh = f"：相近，不算错误，但首先听出的是{leader.zh}" if is_granted else ""
    return {
        "en": ", ".join(f"{name} {shares.get(name, 0.0):.2f}" for name in named)
        + f"; valence {valence:+.2f}, arousal {arousal:+.2f} (usual for {claimed}: {usual}){granted}",
        "zh": "，".join(f"{name.zh} {shares.get(name, 0.0):.2f}" for name in named)
        + f"；效价 {valence:+.2f}，唤醒度 {arousal:+.2f}（{claimed.zh}通常为 {usual}）{granted_zh}",
    }


def intensity(heard: float) -> Words:
    """An intensity from 0 to 1."""
    return {"en": f"intensity {heard:.2f} of 1", "zh": f"强度 {heard:.2f}（满分 1）"}


def sex(shares: Mapping[Sex, float]) -> Words:
    """The probability of each sex, the likelier first."""
    ordered = sorted(shares, key=lambda name: -shares[name])
    return {
        "en": ", ".join(f"{name} {shares[name]:.2f}" for name in ordered),
        "zh": "，".join(f"{name.zh} {shares[name]:.2f}" for name in ordered),
    }


def age(adult: float) -> Words:
    """State how likely the voice is one of those that the ear knows."""
    return {"en": f"like voices of 20 to 35: {adult:.2f}", "zh": f"像 20 至 35 岁的嗓音：{adult:.2f}"}


def leading(leader: ClosedSet, leading_share: float, claimed: ClosedSet, share: float) -> Words:
    """The likeliest value, and the claimed one where that is another."""
    english, mandarin = f"{leader} {leading_share:.2f}", f"{leader.zh} {leading_share:.2f}"
    if claimed is leader:
        return {"en": english, "zh": mandarin}
    return {"en": f"{english}, {claimed} {share:.2f}", "zh": f"{mandarin}，{claimed.zh} {share:.2f}"}


def music(heard: float) -> Words:
    """The probability of music."""
    return {"en": f"music {heard:.2f}", "zh": f"音乐 {heard:.2f}"}


def texture(distances: Mapping[str, float]) -> Words:
    """The signs of a texture, in spreads from their norms."""
    return {
        "en": ", ".join(f"{name} {away:+.1f} spreads" for name, away in distances.items()),
        "zh": "，".join(f"{SIGNS[name]} {away:+.1f} 个离差" for name, away in distances.items()),
    }


def texture_hidden(condition: ClosedSet) -> Words:
    """State why the texture cannot be judged."""
    return {
        "en": f"the recording is {condition}, which hides the grain of a voice",
        "zh": f"录音条件为{condition.zh}，听不出嗓音质地",
    }


def event(claimed: ClosedSet, heard: ClosedSet, peak: float, limits: Limits | None) -> Words:
    """State a sound's level, the threshold, and whether it stands for a sound that was not in the training data.

    >>> from aptone.ear.describe import VocalEvent
    >>> event(VocalEvent.LAUGHTER, VocalEvent.LAUGHTER, 0.013, Limits(yes=0.032, no=0.024))["en"]
    'laughter: 0.013 at most, counts from 0.032'
    """
    english, mandarin = f"{peak:.3f} at most", f"最高 {peak:.3f}"
    if limits is not None:
        english, mandarin = f"{english}, counts from {limits.yes:.3f}", f"{mandarin}，达到 {limits.yes:.3f} 才算有"
    if claimed is heard:
        return {"en": f"{heard}: {english}", "zh": f"{heard.zh}：{mandarin}"}
    return {
        "en": f"{heard}, which is made like {claimed}: {english}; {claimed} was not in the training data",
        "zh": f"与{claimed.zh}发声相近的{heard.zh}：{mandarin}；从未学过{claimed.zh}",
    }


CHANGES: Mapping[str, tuple[str, str]] = {
    "emotion": (
        "the feeling moves {amount:+.2f} on the way from {before} to {after}",
        "情绪沿{before}到{after}的方向移动 {amount:+.2f}",
    ),
    "pitch": (
        "the pitch of the second half lies {amount:+.1f} semitones on the way from {before} to {after}",
        "后半段音高沿{before}到{after}的方向移动 {amount:+.1f} 个半音",
    ),
    "volume": (
        "the level of the second half lies {amount:+.1f} dB on the way from {before} to {after}",
        "后半段音量沿{before}到{after}的方向移动 {amount:+.1f} dB",
    ),
}


def change(attribute: Attribute, before: ClosedSet, after: ClosedSet, amount: float) -> Words:
    """State how far a clip goes the way from one value to another.

    >>> change("emotion", Emotion.CALM, Emotion.ANGRY, 0.1)["en"]
    'the feeling moves +0.10 on the way from calm to angry'
    """
    english, mandarin = CHANGES[attribute]
    return {
        "en": english.format(before=before, after=after, amount=amount),
        "zh": mandarin.format(before=before.zh, after=after.zh, amount=amount),
    }


def unchanging(attribute: Attribute) -> Words:
    """State that a course over time could not be measured."""
    return {
        "en": f"how the {attribute.replace('_', ' ')} changes within the clip could not be measured",
        "zh": "无法衡量片段中的这种变化",
    }


def untrained(claimed: ClosedSet) -> Words:
    """State that the claimed value was not in the ear's training data."""
    return {"en": f"the ear was not trained on {claimed}", "zh": f"听觉模型从未学过{claimed.zh}"}


def unheard(reason: str) -> Words:
    """State that nothing was heard, and why."""
    said = message("ear.not-judged-because", why=reason) if reason else message("ear.not-judged")
    return {language: translate(said, language) for language in LANGUAGES}
