"""English words for every value of every attribute. What is listed here can be said, and is understood when read."""

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

WORDS: Mapping[Attribute, Mapping[ClosedSet, Words]] = {
    "pitch": {
        Pitch.VERY_LOW: Words(
            adjectives=("very low-pitched", "very deep", "extremely deep"),
            nouns=("a very low pitch", "an extremely low pitch"),
            clauses=("pitch is very low", "pitch is extremely low"),
        ),
        Pitch.LOW: Words(
            adjectives=("low-pitched", "deep"),
            nouns=("a low pitch", "a fairly low pitch"),
            clauses=("pitch is low", "pitch is fairly low"),
        ),
        Pitch.MEDIUM: Words(
            adjectives=("medium-pitched", "mid-pitched"),
            nouns=("a medium pitch", "an average pitch"),
            clauses=("pitch is average", "pitch is medium"),
        ),
        Pitch.HIGH: Words(
            adjectives=("high-pitched", "fairly high-pitched"),
            nouns=("a high pitch", "a fairly high pitch"),
            clauses=("pitch is high", "pitch is fairly high"),
        ),
        Pitch.VERY_HIGH: Words(
            adjectives=("very high-pitched", "extremely high-pitched"),
            nouns=("a very high pitch", "an extremely high pitch"),
            clauses=("pitch is very high", "pitch is extremely high"),
        ),
    },
    "pitch_variation": {
        PitchVariation.MONOTONE: Words(
            adjectives=("monotone", "monotonous"),
            nouns=("hardly any melody", "few ups and downs"),
            clauses=("melody hardly moves", "melody stays on one note"),
        ),
        PitchVariation.MODERATE: Words(
            adjectives=("moderately varied", "moderately melodic"),
            nouns=("some melody", "some ups and downs"),
            clauses=("melody moves moderately", "melody varies somewhat"),
        ),
        PitchVariation.LIVELY: Words(
            adjectives=("lively", "melodic"),
            nouns=("a lively melody", "many ups and downs"),
            clauses=("melody moves a great deal", "melody varies widely"),
        ),
    },
    "rate": {
        Rate.VERY_SLOW: Words(
            adjectives=("very slow", "extremely slow"),
            adverbs=("very slowly", "at a very slow pace", "extremely slowly"),
            clauses=("pace is very slow", "tempo is extremely slow"),
        ),
        Rate.SLOW: Words(
            adjectives=("slow", "unhurried"),
            adverbs=("slowly", "at a slow pace", "without hurry"),
            clauses=("pace is slow", "tempo is slow"),
        ),
        Rate.MODERATE: Words(
            adjectives=("moderately paced", "medium-paced"),
            adverbs=("at a moderate pace", "at an ordinary speed"),
            clauses=("pace is moderate", "tempo is average"),
        ),
        Rate.FAST: Words(
            adjectives=("fast", "rapid", "quick"),
            adverbs=("fast", "quickly", "at a fast pace", "rapidly"),
            clauses=("pace is fast", "tempo is quick"),
        ),
        Rate.VERY_FAST: Words(
            adjectives=("very fast", "very rapid", "extremely fast"),
            adverbs=("very fast", "very quickly", "at a very fast pace", "extremely fast"),
            clauses=("pace is very fast", "tempo is extremely fast"),
        ),
    },
    "volume": {
        Volume.VERY_SOFT: Words(
            adjectives=("very soft", "very quiet"),
            adverbs=("very softly", "very quietly", "at a very low volume"),
            nouns=("a very low volume",),
            clauses=("volume is very low",),
        ),
        Volume.SOFT: Words(
            adjectives=("soft", "quiet"),
            adverbs=("softly", "quietly", "at a low volume"),
            nouns=("a low volume",),
            clauses=("volume is low",),
        ),
        Volume.MEDIUM: Words(
            adjectives=("moderately loud",),
            adverbs=("at a normal volume", "at a moderate volume"),
            nouns=("a normal volume", "a moderate volume"),
            clauses=("volume is normal", "volume is moderate"),
        ),
        Volume.LOUD: Words(
            adjectives=("loud", "resounding"),
            adverbs=("loudly", "at a high volume"),
            nouns=("a high volume",),
            clauses=("volume is high",),
        ),
        Volume.VERY_LOUD: Words(
            adjectives=("very loud", "extremely loud"),
            adverbs=("very loudly", "at a very high volume"),
            nouns=("a very high volume",),
            clauses=("volume is very high",),
        ),
    },
    "texture": {
        Texture.CLEAR: Words(
            adjectives=("clear", "smooth"),
            nouns=("a clear timbre", "a smooth timbre"),
            clauses=("timbre is clear", "timbre is smooth"),
        ),
        Texture.BREATHY: Words(
            adjectives=("breathy", "airy"),
            nouns=("a breathy timbre", "an airy timbre"),
            clauses=("timbre is breathy", "timbre is airy"),
        ),
        Texture.ROUGH: Words(
            adjectives=("rough", "gravelly", "hoarse", "raspy"),
            nouns=("a rough timbre", "a gravelly timbre", "a hoarse timbre", "a raspy timbre"),
            clauses=("timbre is rough", "timbre is gravelly", "timbre is hoarse", "timbre is raspy"),
        ),
        Texture.PRESSED: Words(
            adjectives=("pressed", "strained", "tight"),
            nouns=("a pressed timbre", "a strained timbre", "a tight timbre"),
            clauses=("timbre is pressed", "timbre is strained", "timbre is tight"),
        ),
        Texture.WHISPERED: Words(
            adjectives=("whispered", "whispery"),
            nouns=("a whispery timbre", "a whisper-like timbre"),
            clauses=("timbre is whispery", "timbre is that of a whisper"),
        ),
    },
    "rhythm": {
        Rhythm.BRISK: Words(
            nouns=("a brisk rhythm", "a bouncy rhythm"), clauses=("rhythm is brisk", "rhythm is bouncy")
        ),
        Rhythm.HEAVY: Words(
            nouns=("a heavy rhythm", "a weighty rhythm"), clauses=("rhythm is heavy", "rhythm is weighty")
        ),
        Rhythm.LOW_PACED: Words(
            nouns=("a low-paced rhythm", "a subdued rhythm"), clauses=("rhythm is low-paced", "rhythm is subdued")
        ),
        Rhythm.HIGH_ENERGY: Words(
            nouns=("a high-energy rhythm", "an energetic rhythm"), clauses=("rhythm is energetic", "rhythm is driving")
        ),
        Rhythm.RELAXED: Words(
            nouns=("a relaxed rhythm", "an easy rhythm"), clauses=("rhythm is relaxed", "rhythm is easy")
        ),
        Rhythm.TENSE: Words(nouns=("a tense rhythm", "a taut rhythm"), clauses=("rhythm is tense", "rhythm is taut")),
    },
    "intonation": {
        Intonation.FLAT: Words(
            nouns=("a flat intonation", "a level intonation"),
            clauses=("intonation stays flat", "intonation stays level"),
        ),
        Intonation.RISING: Words(
            nouns=("a rising intonation", "an upward intonation"), clauses=("intonation rises", "intonation goes up")
        ),
        Intonation.CURVED: Words(
            nouns=("a curved intonation", "a winding intonation"),
            clauses=("intonation rises and falls", "intonation bends"),
        ),
        Intonation.FALLING: Words(
            nouns=("a falling intonation", "a downward intonation"),
            clauses=("intonation falls", "intonation goes down"),
        ),
    },
    "recording_condition": {
        RecordingCondition.NORMAL: Words(
            adverbs=("in a clean recording", "in an ordinary recording"),
            clauses=("the recording is clean", "the recording is an ordinary one"),
        ),
        RecordingCondition.PHONE: Words(
            adverbs=("over the phone", "on the telephone"),
            clauses=("it sounds like a phone call", "the sound comes over the phone"),
        ),
        RecordingCondition.FAR_FIELD: Words(
            adverbs=("from a distance", "far from the microphone"),
            clauses=("the voice comes from a distance", "the microphone is far away"),
        ),
        RecordingCondition.INTERMITTENT: Words(
            adverbs=("in a broken-up recording", "in a choppy recording"),
            clauses=("the sound keeps dropping out", "the recording breaks up"),
        ),
        RecordingCondition.NOISY: Words(
            adverbs=("in noisy surroundings", "in a noisy recording"),
            clauses=("the surroundings are noisy", "the recording is noisy"),
        ),
        RecordingCondition.INNER_MONOLOGUE: Words(
            adverbs=("as an inner monologue", "as if thinking aloud"),
            clauses=("it is an inner monologue", "it sounds like an inner monologue"),
        ),
    },
    "music": {
        Music.PRESENT: Words(
            adverbs=("against background music", "accompanied by background music"),
            clauses=("there is music in the background", "music plays in the background"),
        ),
        Music.ABSENT: Words(
            adverbs=("without background music", "without any background music"),
            clauses=("there is no music in the background", "no music plays in the background"),
        ),
    },
    "events": {
        VocalEvent.LAUGHTER: Words(nouns=("laughter", "a laugh")),
        VocalEvent.BREATH: Words(nouns=("breathing", "breaths")),
        VocalEvent.COUGH: Words(nouns=("coughing", "a cough")),
        VocalEvent.SNEEZE: Words(nouns=("sneezing", "a sneeze")),
        VocalEvent.CRYING_BABY: Words(nouns=("a crying baby", "a baby crying")),
        VocalEvent.SIGH: Words(nouns=("sighing", "a sigh")),
        VocalEvent.SOB: Words(nouns=("sobbing", "sobs")),
        VocalEvent.SCREAM: Words(nouns=("screaming", "a scream")),
        VocalEvent.THROAT_CLEARING: Words(nouns=("throat-clearing",)),
        VocalEvent.YAWN: Words(nouns=("yawning", "a yawn")),
        VocalEvent.SNIFF: Words(nouns=("sniffing", "a sniff")),
        VocalEvent.SINGING: Words(nouns=("singing", "a sung passage")),
    },
}

# Who speaks, as a noun, and as what stands before "voice". Keys: age band, sex.
Speaker = tuple[AgeBand | None, Sex | None]
PERSONS: Mapping[Speaker, tuple[str, ...]] = {
    (None, None): ("speaker",),
    (None, Sex.FEMALE): ("woman", "female speaker"),
    (None, Sex.MALE): ("man", "male speaker"),
    (AgeBand.CHILD, None): ("child", "young child"),
    (AgeBand.CHILD, Sex.FEMALE): ("little girl", "young girl"),
    (AgeBand.CHILD, Sex.MALE): ("little boy", "young boy"),
    (AgeBand.TEENAGER, None): ("teenager", "teenage speaker"),
    (AgeBand.TEENAGER, Sex.FEMALE): ("teenage girl", "adolescent girl"),
    (AgeBand.TEENAGER, Sex.MALE): ("teenage boy", "adolescent boy"),
    (AgeBand.YOUNG_ADULT, None): ("young adult", "young person"),
    (AgeBand.YOUNG_ADULT, Sex.FEMALE): ("young woman", "young female speaker"),
    (AgeBand.YOUNG_ADULT, Sex.MALE): ("young man", "young male speaker"),
    (AgeBand.MIDDLE_AGED, None): ("middle-aged person", "middle-aged speaker"),
    (AgeBand.MIDDLE_AGED, Sex.FEMALE): ("middle-aged woman", "middle-aged female speaker"),
    (AgeBand.MIDDLE_AGED, Sex.MALE): ("middle-aged man", "middle-aged male speaker"),
    (AgeBand.ELDERLY, None): ("elderly person", "elderly speaker"),
    (AgeBand.ELDERLY, Sex.FEMALE): ("elderly woman", "old woman"),
    (AgeBand.ELDERLY, Sex.MALE): ("elderly man", "old man"),
}
OWNERS: Mapping[Speaker, tuple[str, ...]] = {
    (None, None): ("",),
    (None, Sex.FEMALE): ("female", "woman's"),
    (None, Sex.MALE): ("male", "man's"),
    (AgeBand.CHILD, None): ("child's",),
    (AgeBand.CHILD, Sex.FEMALE): ("little girl's", "young girl's"),
    (AgeBand.CHILD, Sex.MALE): ("little boy's", "young boy's"),
    (AgeBand.TEENAGER, None): ("teenage", "adolescent"),
    (AgeBand.TEENAGER, Sex.FEMALE): ("teenage girl's", "adolescent female"),
    (AgeBand.TEENAGER, Sex.MALE): ("teenage boy's", "adolescent male"),
    (AgeBand.YOUNG_ADULT, None): ("young", "youthful"),
    (AgeBand.YOUNG_ADULT, Sex.FEMALE): ("young female", "young woman's"),
    (AgeBand.YOUNG_ADULT, Sex.MALE): ("young male", "young man's"),
    (AgeBand.MIDDLE_AGED, None): ("middle-aged",),
    (AgeBand.MIDDLE_AGED, Sex.FEMALE): ("middle-aged female", "middle-aged woman's"),
    (AgeBand.MIDDLE_AGED, Sex.MALE): ("middle-aged male", "middle-aged man's"),
    (AgeBand.ELDERLY, None): ("elderly", "aged"),
    (AgeBand.ELDERLY, Sex.FEMALE): ("elderly female", "old woman's"),
    (AgeBand.ELDERLY, Sex.MALE): ("elderly male", "old man's"),
}
PRONOUNS: Mapping[Sex, tuple[str, ...]] = {
    Sex.FEMALE: ("she", "her", "hers", "herself"),
    Sex.MALE: ("he", "his", "him", "himself"),
}

EMOTION_ADJECTIVES: Mapping[Emotion, tuple[str, ...]] = {
    Emotion.NEUTRAL: ("neutral", "unemotional", "matter-of-fact"),
    Emotion.CALM: ("calm", "peaceful", "serene"),
    Emotion.HAPPY: ("happy", "cheerful", "joyful"),
    Emotion.SAD: ("sad", "sorrowful", "unhappy"),
    Emotion.ANGRY: ("angry", "irate"),
    Emotion.FEAR: ("fearful", "frightened", "scared"),
    Emotion.DISGUST: ("disgusted",),
    Emotion.SURPRISE: ("surprised", "astonished"),
    Emotion.BOREDOM: ("bored", "uninterested"),
    Emotion.PLAYFUL: ("playful", "mischievous"),
}
EMOTION_NOUNS: Mapping[Emotion, tuple[str, ...]] = {
    Emotion.NEUTRAL: ("no particular emotion",),
    Emotion.CALM: ("calmness", "serenity"),
    Emotion.HAPPY: ("happiness", "joy"),
    Emotion.SAD: ("sadness", "sorrow"),
    Emotion.ANGRY: ("anger",),
    Emotion.FEAR: ("fear",),
    Emotion.DISGUST: ("disgust",),
    Emotion.SURPRISE: ("surprise", "astonishment"),
    Emotion.BOREDOM: ("boredom",),
    Emotion.PLAYFUL: ("playfulness",),
}
DEGREES: Mapping[Intensity, tuple[str, ...]] = {  # before an adjective
    Intensity.SLIGHT: ("slightly", "mildly", "faintly"),
    Intensity.CLEAR: ("clearly", "plainly", "distinctly"),
    Intensity.STRONG: ("very", "extremely"),
}
AMOUNTS: Mapping[Intensity, tuple[str, ...]] = {  # before a noun
    Intensity.SLIGHT: ("a trace of", "a touch of", "a hint of"),
    Intensity.CLEAR: ("clear", "obvious", "unmistakable"),
    Intensity.STRONG: ("intense",),
}
CALM_DEGREES, CALM_AMOUNTS = ("fairly", "rather"), ("some",)  # nobody is "slightly calm"
GREAT: Mapping[Emotion, str] = {  # where "intense" would be odd before the noun
    Emotion.CALM: "deep",
    Emotion.HAPPY: "great",
    Emotion.SAD: "deep",
    Emotion.SURPRISE: "great",
    Emotion.BOREDOM: "utter",
    Emotion.PLAYFUL: "great",
}
GRADED_ADJECTIVES: Mapping[tuple[Emotion, Intensity], tuple[str, ...]] = {  # one word that holds emotion and intensity
    (Emotion.HAPPY, Intensity.SLIGHT): ("pleased",),
    (Emotion.HAPPY, Intensity.STRONG): ("overjoyed", "elated"),
    (Emotion.SAD, Intensity.SLIGHT): ("wistful", "downcast"),
    (Emotion.SAD, Intensity.STRONG): ("heartbroken", "grief-stricken"),
    (Emotion.ANGRY, Intensity.SLIGHT): ("annoyed", "irritated"),
    (Emotion.ANGRY, Intensity.STRONG): ("furious", "enraged"),
    (Emotion.FEAR, Intensity.SLIGHT): ("uneasy", "apprehensive"),
    (Emotion.FEAR, Intensity.STRONG): ("terrified", "panic-stricken"),
    (Emotion.DISGUST, Intensity.STRONG): ("revolted",),
    (Emotion.SURPRISE, Intensity.STRONG): ("amazed", "stunned"),
}
GRADED_NOUNS: Mapping[tuple[Emotion, Intensity], tuple[str, ...]] = {
    (Emotion.ANGRY, Intensity.SLIGHT): ("annoyance", "irritation"),
    (Emotion.ANGRY, Intensity.STRONG): ("fury", "rage"),
    (Emotion.FEAR, Intensity.SLIGHT): ("unease",),
    (Emotion.FEAR, Intensity.STRONG): ("terror", "panic"),
    (Emotion.SAD, Intensity.STRONG): ("grief", "despair"),
    (Emotion.DISGUST, Intensity.STRONG): ("revulsion",),
    (Emotion.SURPRISE, Intensity.STRONG): ("amazement",),
}


@functools.cache
def emotion_adjectives(emotion: Emotion, intensity: Intensity | None) -> tuple[str, ...]:
    """Adjectives for an emotion of some intensity, the plainest first.

    >>> emotion_adjectives(Emotion.ANGRY, Intensity.SLIGHT)[0]
    'slightly angry'
    """
    plain = EMOTION_ADJECTIVES[emotion]
    if intensity is None or emotion is Emotion.NEUTRAL:
        return plain
    degrees = CALM_DEGREES if (emotion, intensity) == (Emotion.CALM, Intensity.SLIGHT) else DEGREES[intensity]
    graded = tuple(f"{degree} {adjective}" for adjective in plain for degree in degrees)
    return graded + GRADED_ADJECTIVES.get((emotion, intensity), ())


@functools.cache
def emotion_nouns(emotion: Emotion, intensity: Intensity | None) -> tuple[str, ...]:
    """Noun phrases for an emotion of some intensity, to follow "with"; the plainest first.

    >>> emotion_nouns(Emotion.SAD, Intensity.STRONG)
    ('deep sadness', 'deep sorrow', 'grief', 'despair')
    """
    plain = EMOTION_NOUNS[emotion]
    if intensity is None or emotion is Emotion.NEUTRAL:
        return plain
    amounts = AMOUNTS[intensity]
    if intensity is Intensity.STRONG and emotion in GREAT:
        amounts = (GREAT[emotion],)
    elif (emotion, intensity) == (Emotion.CALM, Intensity.SLIGHT):
        amounts = CALM_AMOUNTS
    graded = tuple(f"{amount} {noun}" for noun in plain for amount in amounts)
    return graded + GRADED_NOUNS.get((emotion, intensity), ())
