"""Mandarin words for every value of every attribute. What is listed here can be said, and is understood when read."""

import functools
from collections.abc import Mapping

from aptone.ear.describe.attributes import (
    Attribute,
    Intensity,
    Music,
    Pitch,
    PitchVariation,
    Rate,
    Texture,
    VocalEvent,
    Volume,
    Words,
)
from aptone.types import AgeBand, ClosedSet, Emotion, Intonation, RecordingCondition, Rhythm, Sex

# Adjectives stand before 的声音; clauses need no subject or take one in front (她语速缓慢).
WORDS: Mapping[Attribute, Mapping[ClosedSet, Words]] = {
    "pitch": {
        Pitch.VERY_LOW: Words(adjectives=("十分低沉", "音调极低"), clauses=("音调极低", "音调非常低")),
        Pitch.LOW: Words(adjectives=("低沉", "音调偏低"), clauses=("音调偏低", "音调较低")),
        Pitch.MEDIUM: Words(adjectives=("音调适中", "音调中等"), clauses=("音调适中", "音调中等")),
        Pitch.HIGH: Words(adjectives=("音调偏高", "音调较高"), clauses=("音调偏高", "音调较高")),
        Pitch.VERY_HIGH: Words(adjectives=("音调极高", "音调非常高"), clauses=("音调极高", "音调非常高")),
    },
    "pitch_variation": {
        PitchVariation.MONOTONE: Words(
            adjectives=("单调", "缺少起伏"), clauses=("音高几乎没有起伏", "音高缺少变化", "音高起伏很小")
        ),
        PitchVariation.MODERATE: Words(
            adjectives=("略有起伏", "起伏适中"), clauses=("音高起伏适中", "音高略有变化", "音高略有起伏")
        ),
        PitchVariation.LIVELY: Words(
            adjectives=("抑扬顿挫", "起伏明显"), clauses=("音高起伏明显", "音高富于变化", "音高起伏很大")
        ),
    },
    "rate": {
        Rate.VERY_SLOW: Words(adjectives=("语速极慢", "非常缓慢"), clauses=("语速极慢", "语速非常慢")),
        Rate.SLOW: Words(adjectives=("语速缓慢", "缓慢"), clauses=("语速缓慢", "语速较慢", "语速偏慢")),
        Rate.MODERATE: Words(adjectives=("语速适中", "语速中等"), clauses=("语速适中", "语速中等")),
        Rate.FAST: Words(adjectives=("语速较快", "语速偏快"), clauses=("语速较快", "语速偏快")),
        Rate.VERY_FAST: Words(adjectives=("语速极快", "语速飞快"), clauses=("语速极快", "语速飞快", "语速非常快")),
    },
    "volume": {
        Volume.VERY_SOFT: Words(adjectives=("极轻", "音量极小"), clauses=("音量极小", "声音极轻")),
        Volume.SOFT: Words(adjectives=("轻柔", "音量较小"), clauses=("音量较小", "声音较轻")),
        Volume.MEDIUM: Words(adjectives=("音量适中", "音量中等"), clauses=("音量适中", "音量中等")),
        Volume.LOUD: Words(adjectives=("响亮", "音量较大"), clauses=("音量较大", "声音响亮")),
        Volume.VERY_LOUD: Words(adjectives=("非常响亮", "音量极大"), clauses=("音量极大", "声音非常响亮")),
    },
    "texture": {
        Texture.CLEAR: Words(adjectives=("清亮", "音色干净"), clauses=("嗓音清亮", "音色干净")),
        Texture.BREATHY: Words(adjectives=("带有气声", "气声明显"), clauses=("带有气声", "气声明显")),
        Texture.ROUGH: Words(
            adjectives=("沙哑", "略带沙哑", "粗粝"), clauses=("嗓音沙哑", "嗓音略带沙哑", "音色粗粝", "嗓音嘶哑")
        ),
        Texture.PRESSED: Words(adjectives=("紧绷", "发紧"), clauses=("嗓音紧绷", "嗓音发紧")),
        Texture.WHISPERED: Words(adjectives=("耳语般", "近乎耳语"), clauses=("近乎耳语", "如同耳语")),
    },
    "rhythm": {
        Rhythm.BRISK: Words(clauses=("节奏轻快", "节奏明快")),
        Rhythm.HEAVY: Words(clauses=("节奏凝重", "节奏沉重")),
        Rhythm.LOW_PACED: Words(clauses=("节奏低沉", "节奏低缓")),
        Rhythm.HIGH_ENERGY: Words(clauses=("节奏高亢", "节奏激昂")),
        Rhythm.RELAXED: Words(clauses=("节奏舒缓", "节奏松弛")),
        Rhythm.TENSE: Words(clauses=("节奏紧张", "节奏急迫")),
    },
    "intonation": {
        Intonation.FLAT: Words(clauses=("语调平直", "语调平稳")),
        Intonation.RISING: Words(clauses=("语调上扬", "语调走高")),
        Intonation.CURVED: Words(clauses=("语调曲折", "语调先扬后抑", "语调弯曲")),
        Intonation.FALLING: Words(clauses=("语调下降", "语调走低")),
    },
    "recording_condition": {
        RecordingCondition.NORMAL: Words(adjectives=("录音清楚", "录音正常"), clauses=("录音清楚", "录音正常")),
        RecordingCondition.PHONE: Words(
            adjectives=("来自电话", "从电话里传来"), clauses=("声音来自电话", "像是电话录音")
        ),
        RecordingCondition.FAR_FIELD: Words(
            adjectives=("从远处传来", "离麦克风较远"), clauses=("声音从远处传来", "声音离麦克风较远")
        ),
        RecordingCondition.INTERMITTENT: Words(
            adjectives=("断断续续", "时断时续"), clauses=("声音断断续续", "声音时断时续")
        ),
        RecordingCondition.NOISY: Words(adjectives=("背景嘈杂", "环境嘈杂"), clauses=("背景嘈杂", "环境嘈杂")),
        RecordingCondition.INNER_MONOLOGUE: Words(
            adjectives=("内心独白式", "如同内心独白"), clauses=("像是内心独白", "如同内心独白")
        ),
    },
    "music": {
        Music.PRESENT: Words(adjectives=("伴有背景音乐", "配有背景音乐"), clauses=("背景有音乐", "伴有背景音乐")),
        Music.ABSENT: Words(adjectives=("没有背景音乐", "不带背景音乐"), clauses=("没有背景音乐", "背景中没有音乐")),
    },
    "events": {
        VocalEvent.LAUGHTER: Words(nouns=("笑声", "发笑声")),
        VocalEvent.BREATH: Words(nouns=("呼吸声", "喘息声")),
        VocalEvent.COUGH: Words(nouns=("咳嗽声", "咳声")),
        VocalEvent.SNEEZE: Words(nouns=("喷嚏声", "打喷嚏声")),
        VocalEvent.CRYING_BABY: Words(nouns=("婴儿啼哭声", "婴儿哭声")),
        VocalEvent.SIGH: Words(nouns=("叹息声", "叹气声")),
        VocalEvent.SOB: Words(nouns=("抽泣声", "哭泣声")),
        VocalEvent.SCREAM: Words(nouns=("尖叫声", "叫喊声")),
        VocalEvent.THROAT_CLEARING: Words(nouns=("清嗓声", "清嗓子声")),
        VocalEvent.YAWN: Words(nouns=("哈欠声", "打哈欠声")),
        VocalEvent.SNIFF: Words(nouns=("抽鼻声", "吸鼻声")),
        VocalEvent.SINGING: Words(nouns=("歌声", "歌唱声")),
    },
}

# Who speaks: the measure word and the noun; and the noun for the voice. Keys: age band, sex.
Speaker = tuple[AgeBand | None, Sex | None]
PERSONS: Mapping[Speaker, tuple[tuple[str, str], ...]] = {
    (None, Sex.FEMALE): (("一位", "女性"), ("一名", "女子"), ("一位", "女士")),
    (None, Sex.MALE): (("一位", "男性"), ("一名", "男子"), ("一位", "男士")),
    (AgeBand.CHILD, None): (("一个", "孩子"), ("一名", "儿童")),
    (AgeBand.CHILD, Sex.FEMALE): (("一个", "小女孩"), ("一名", "女童")),
    (AgeBand.CHILD, Sex.MALE): (("一个", "小男孩"), ("一名", "男童")),
    (AgeBand.TEENAGER, None): (("一名", "青少年"), ("一个", "十几岁的孩子")),
    (AgeBand.TEENAGER, Sex.FEMALE): (("一名", "少女"), ("一个", "十几岁的女孩")),
    (AgeBand.TEENAGER, Sex.MALE): (("一个", "十几岁的男孩"),),
    (AgeBand.YOUNG_ADULT, None): (("一位", "年轻人"), ("一位", "青年")),
    (AgeBand.YOUNG_ADULT, Sex.FEMALE): (("一位", "年轻女性"), ("一位", "青年女性"), ("一名", "年轻女子")),
    (AgeBand.YOUNG_ADULT, Sex.MALE): (("一位", "年轻男性"), ("一位", "青年男性"), ("一名", "年轻男子")),
    (AgeBand.MIDDLE_AGED, None): (("一位", "中年人"),),
    (AgeBand.MIDDLE_AGED, Sex.FEMALE): (("一位", "中年女性"), ("一名", "中年女子")),
    (AgeBand.MIDDLE_AGED, Sex.MALE): (("一位", "中年男性"), ("一名", "中年男子")),
    (AgeBand.ELDERLY, None): (("一位", "老人"), ("一位", "老年人")),
    (AgeBand.ELDERLY, Sex.FEMALE): (("一位", "老年女性"), ("一位", "老太太")),
    (AgeBand.ELDERLY, Sex.MALE): (("一位", "老年男性"), ("一位", "老先生")),
}
VOICES: Mapping[Speaker, tuple[str, ...]] = {
    (None, None): ("声音", "嗓音"),
    (None, Sex.FEMALE): ("女声",),
    (None, Sex.MALE): ("男声",),
    (AgeBand.CHILD, None): ("童声", "孩子的声音"),
    (AgeBand.CHILD, Sex.FEMALE): ("小女孩的声音", "女童声"),
    (AgeBand.CHILD, Sex.MALE): ("小男孩的声音", "男童声"),
    (AgeBand.TEENAGER, None): ("青少年的声音",),
    (AgeBand.TEENAGER, Sex.FEMALE): ("少女的声音", "十几岁女孩的声音"),
    (AgeBand.TEENAGER, Sex.MALE): ("十几岁男孩的声音", "少年男声"),
    (AgeBand.YOUNG_ADULT, None): ("年轻人的声音", "青年的声音"),
    (AgeBand.YOUNG_ADULT, Sex.FEMALE): ("青年女声", "年轻女声"),
    (AgeBand.YOUNG_ADULT, Sex.MALE): ("青年男声", "年轻男声"),
    (AgeBand.MIDDLE_AGED, None): ("中年人的声音",),
    (AgeBand.MIDDLE_AGED, Sex.FEMALE): ("中年女声",),
    (AgeBand.MIDDLE_AGED, Sex.MALE): ("中年男声",),
    (AgeBand.ELDERLY, None): ("老人的声音", "老年人的声音"),
    (AgeBand.ELDERLY, Sex.FEMALE): ("老年女声",),
    (AgeBand.ELDERLY, Sex.MALE): ("老年男声",),
}
PRONOUNS: Mapping[Sex, tuple[str, ...]] = {Sex.FEMALE: ("她",), Sex.MALE: ("他",)}

EMOTION_ADJECTIVES: Mapping[Emotion, tuple[str, ...]] = {
    Emotion.NEUTRAL: ("语气平淡", "情绪中性", "不带情绪"),
    Emotion.CALM: ("平静", "平和", "镇定"),
    Emotion.HAPPY: ("高兴", "开心", "愉快"),
    Emotion.SAD: ("悲伤", "难过", "伤心"),
    Emotion.ANGRY: ("愤怒", "气愤", "恼怒"),
    Emotion.FEAR: ("害怕", "恐惧"),
    Emotion.DISGUST: ("厌恶", "反感"),
    Emotion.SURPRISE: ("惊讶", "吃惊"),
    Emotion.BOREDOM: ("厌倦", "无聊"),
    Emotion.PLAYFUL: ("俏皮", "调皮"),
}
EMOTION_NOUNS: Mapping[Emotion, tuple[str, ...]] = {  # to follow 语气中带着; the others have no natural noun
    Emotion.HAPPY: ("喜悦", "快乐"),
    Emotion.SAD: ("悲伤", "哀伤"),
    Emotion.ANGRY: ("愤怒", "怒气"),
    Emotion.FEAR: ("恐惧",),
    Emotion.DISGUST: ("厌恶", "反感"),
    Emotion.SURPRISE: ("惊讶",),
    Emotion.BOREDOM: ("厌倦",),
}
TONED: frozenset[Emotion] = frozenset(  # whose adjectives can follow 语气
    {Emotion.CALM, Emotion.HAPPY, Emotion.SAD, Emotion.ANGRY, Emotion.SURPRISE, Emotion.PLAYFUL}
)
DEGREES: Mapping[Intensity, tuple[str, ...]] = {
    Intensity.SLIGHT: ("有些", "略显", "有点"),
    Intensity.CLEAR: ("明显", "显然很"),
    Intensity.STRONG: ("非常", "极其", "十分"),
}
AMOUNTS: Mapping[Intensity, tuple[str, ...]] = {
    Intensity.SLIGHT: ("一丝", "些许"),
    Intensity.CLEAR: ("明显的",),
    Intensity.STRONG: ("强烈的",),
}
GRADED_ADJECTIVES: Mapping[tuple[Emotion, Intensity], tuple[str, ...]] = {
    (Emotion.HAPPY, Intensity.STRONG): ("欣喜若狂", "兴高采烈"),
    (Emotion.SAD, Intensity.SLIGHT): ("略带忧伤",),
    (Emotion.SAD, Intensity.STRONG): ("悲痛欲绝",),
    (Emotion.ANGRY, Intensity.SLIGHT): ("有些恼火",),
    (Emotion.ANGRY, Intensity.STRONG): ("怒不可遏", "暴怒"),
    (Emotion.FEAR, Intensity.SLIGHT): ("有些不安",),
    (Emotion.FEAR, Intensity.STRONG): ("惊恐万分",),
    (Emotion.SURPRISE, Intensity.SLIGHT): ("有些意外",),
    (Emotion.SURPRISE, Intensity.STRONG): ("震惊不已",),
    (Emotion.BOREDOM, Intensity.STRONG): ("百无聊赖",),
}


@functools.cache
def emotion_adjectives(emotion: Emotion, intensity: Intensity | None) -> tuple[str, ...]:
    """Adjectives for an emotion of some intensity, to stand before 的 or after 听起来; the plainest first.

    >>> emotion_adjectives(Emotion.ANGRY, Intensity.CLEAR)[0]
    '明显愤怒'
    """
    plain = EMOTION_ADJECTIVES[emotion]
    if intensity is None or emotion is Emotion.NEUTRAL:
        return plain
    graded = tuple(f"{degree}{adjective}" for adjective in plain for degree in DEGREES[intensity])
    return graded + GRADED_ADJECTIVES.get((emotion, intensity), ())


@functools.cache
def emotion_nouns(emotion: Emotion, intensity: Intensity | None) -> tuple[str, ...]:
    """Noun phrases for an emotion of some intensity, to follow 带着; empty where Mandarin has no natural one.

    >>> emotion_nouns(Emotion.SAD, Intensity.SLIGHT)[0]
    '一丝悲伤'
    """
    plain = EMOTION_NOUNS.get(emotion, ())
    return plain if intensity is None else tuple(f"{amount}{noun}" for noun in plain for amount in AMOUNTS[intensity])


@functools.cache
def emotion_clauses(emotion: Emotion, intensity: Intensity | None) -> tuple[str, ...]:
    """Clauses without a subject: 听起来很愤怒, 语气明显愤怒, 语气中带着一丝愤怒; the plainest first.

    >>> emotion_clauses(Emotion.BOREDOM, None)
    ('听起来很厌倦', '听起来很无聊', '语气中带着厌倦')
    """
    adjectives = emotion_adjectives(emotion, intensity)
    if emotion is Emotion.NEUTRAL:
        return ("语气平淡", "情绪中性", "听不出明显情绪")
    degree = "很" if intensity is None else ""  # an adjective that stands alone takes it; it says nothing of a degree
    sounds = tuple(f"听起来{degree}{adjective}" for adjective in adjectives)
    tones = tuple(f"语气{adjective}" for adjective in adjectives) if emotion in TONED else ()
    return sounds + tones + tuple(f"语气中带着{noun}" for noun in emotion_nouns(emotion, intensity))
