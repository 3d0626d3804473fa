"""Names and units that records hold in English (emotions, measures, sounds), said in the language of the page.

Whatever is not known, a stranger's ear included, is shown as it is.
"""

from collections.abc import Mapping

from aptone.types import AgeBand, Emotion, Intonation, Language, RecordingCondition, Rhythm, Sex

_CLOSED = (AgeBand, Emotion, Intonation, RecordingCondition, Rhythm, Sex)

MANDARIN: Mapping[str, str] = {
    **{member.value: member.zh for closed in _CLOSED for member in closed},
    # what an ear judges
    "emotion": "情感",
    "vad": "效价、唤醒度与支配度",
    "valence": "效价",
    "arousal": "唤醒度",
    "dominance": "支配度",
    "intensity": "情感强度",
    "rhythm": "节奏",
    "intonation": "语调",
    "recording condition": "录音状态",
    "music": "背景音乐",
    "naturalness": "自然度",
    "paralinguistics": "非语言声音",
    "aptness": "得当程度",
    "raw aptness": "校准前的得当程度",
    "categorical": "情感搭配",
    # what an item holds
    "item": "条目",
    "plan": "计划",
    "perception": "听感",
    "aspects": "各方面",
    "audio": "音频",
    "description": "描述",
    "caption": "描述",
    "reference": "参考描述",
    "transcript": "文字转写",
    "answer text": "回答的文字",
    # answers to questions, and how they were asked
    "fitness": "合适程度",
    "swapped": "换一种问法的合适程度",
    "content": "内容",
    "style": "风格",
    "wording": "措辞",
    "sound": "声音",
    "sarcasm": "讽刺",
    "gender": "性别",
    "surprised": "惊讶",
    "sincere": "真诚",
    "sarcastic": "讽刺",
    "adult": "成人",
    "child": "儿童",
    # numbers behind a verdict
    "categories": "类别吻合度",
    "nearness": "接近度",
    "fit": "吻合度",
    "cosine": "余弦相似度",
    **{
        f"{whose} {axis}": f"{whose_zh}{axis_zh}"
        for whose, whose_zh in (("asked", "要求的"), ("heard", "听到的"))
        for axis, axis_zh in (("valence", "效价"), ("arousal", "唤醒度"), ("dominance", "支配度"))
    },
    **{f"P({member.value})": f"P({member.zh})" for closed in _CLOSED for member in closed},
    "events": "非语言声音",
    "sex": "性别",
    "age": "年龄",
    "trajectory": "情感变化",
    "tracks": "音高与响度曲线",
    "speech": "语音",
    # measures
    "pitch level": "音高水平",
    "pitch range": "音高范围",
    "pitch slope": "音高走势",
    "loudness": "响度",
    "loudness range": "响度范围",
    "speech rate": "语速",
    "articulation rate": "发音速率",
    "pause share": "停顿占比",
    "pauses per minute": "每分钟停顿数",
    "longest pause": "最长停顿",
    "jitter": "频率微扰",
    "shimmer": "振幅微扰",
    "HNR": "谐噪比",
    "spectral tilt": "频谱倾斜",
    "high band": "高频能量",
    "voiced share": "浊音占比",
    # units
    "semitones above 100 Hz": "半音（相对 100 Hz）",
    "semitones": "半音",
    "semitones/s": "半音/秒",
    "syllables/s": "音节/秒",
    "s": "秒",
    "dB/octave": "dB/倍频程",
    "pauses/min": "次/分钟",
    # what no ear was taught
    "sighs": "叹息",
    "adult crying": "成年人哭声",
    # sounds
    "laugh": "笑声",
    "laughter": "笑声",
    "laughing": "笑声",
    "breath": "呼吸声",
    "breathing": "呼吸声",
    "cough": "咳嗽",
    "coughing": "咳嗽",
    "sneeze": "喷嚏",
    "sneezing": "喷嚏",
    "crying baby": "婴儿哭声",
    "crying": "哭声",
    "sigh": "叹息",
    "sighing": "叹息",
    "snore": "鼾声",
    "snoring": "鼾声",
    "throat clearing": "清嗓",
    "clapping": "掌声",
    "brushing teeth": "刷牙声",
    "car horn": "汽车喇叭声",
    "church bells": "教堂钟声",
    "clock tick": "钟表滴答声",
    "crackling fire": "柴火噼啪声",
    "crickets": "蟋蟀声",
    "door wood knock": "敲门声",
    "drinking sipping": "喝水声",
    "engine": "发动机声",
    "footsteps": "脚步声",
    "rain": "雨声",
    "sea waves": "海浪声",
    "thunderstorm": "雷雨声",
    "train": "火车声",
    "wind": "风声",
}
"""English name to Mandarin name."""

KEYS: Mapping[str, str] = {
    "book": "书",
    "chapter": "章节",
    "character": "人物",
    "clip": "音频",
    "condition": "录音状态",
    "kind": "类别",
    "language": "语言",
    "portion": "部分",
    "recording": "录音",
    "role": "角色",
    "scene": "场景",
    "source": "来源",
    "speaker": "说话人",
    "story": "故事",
    "system": "系统",
}
"""What items are grouped by, English to Mandarin."""

VERBS: Mapping[str, str] = {
    "answer": "语音回答评测",
    "caption": "描述核对",
    "dialogue": "对话情感评测",
    "rank": "多次录音排序",
    "score": "得当程度评分",
    "style": "风格匹配",
}
"""Verbs whose runs have a report, English to Mandarin."""

NARRATION: Mapping[Language, str] = {"en": "(narration)", "zh": "（旁白）"}
UNTITLED: Mapping[Language, str] = {"en": "(before the first chapter)", "zh": "（第一章之前）"}
WHOLE_TEXT: Mapping[Language, str] = {"en": "(whole text)", "zh": "（全文）"}
"""Groups of a book that have no name in it; a run keeps them in the language of the book."""

_UNNAMED = {said: names for names in (NARRATION, UNTITLED, WHOLE_TEXT) for said in names.values()}


def named(name: str, language: Language) -> str:
    """A name in the language of the page, if it is one of ours; underscores are spaces.

    >>> named("crying_baby", "en"), named("crying_baby", "zh"), named("angry", "zh"), named("wistful", "zh")
    ('crying baby', '婴儿哭声', '愤怒', 'wistful')
    """
    spaced = name.replace("_", " ")
    return MANDARIN.get(spaced, spaced) if language == "zh" else spaced


def score_name(name: str, language: Language) -> str:
    """The name of a score as a heading: in words if it is one of ours, else exactly as the run keeps it.

    >>> score_name("recording_condition", "en"), score_name("recording_condition", "zh"), score_name("my_own", "zh")
    ('recording condition', '录音状态', 'my_own')
    """
    return named(name, language) if name.replace("_", " ") in MANDARIN else name


def key_name(key: str, language: Language) -> str:
    """What items are grouped by, as a heading; a key of the user's stays as it is.

    >>> key_name("role", "en"), key_name("role", "zh"), key_name("my_key", "zh")
    ('role', '角色', 'my_key')
    """
    return KEYS.get(key, key) if language == "zh" else key


def group_name(name: str, language: Language) -> str:
    """The name of a group; that of one which has none in its book is ours, and said in the language of the page.

    >>> group_name("(narration)", "zh"), group_name("（旁白）", "en"), group_name("Mara", "zh")
    ('（旁白）', '(narration)', 'Mara')
    """
    names = _UNNAMED.get(name)
    return name if names is None else names[language]


def verb_name(verb: str, language: Language) -> str:
    """What a run did, as the head of its report.

    >>> verb_name("score", "en"), verb_name("score", "zh"), verb_name("bench ceaeval", "zh")
    ('score', '得当程度评分', 'bench ceaeval')
    """
    return VERBS.get(verb, verb) if language == "zh" else verb
