"""A line in its story, how it should sound, the clip in which it is said, and what annotators say of the clip.

An `Annotation` holds the fifteen dimensions of CEAEval-D.
"""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from aptone.messages import Language
from aptone.types.audio import Audio, AudioRef, Segment
from aptone.types.closed_sets import AgeBand, Emotion, Intonation, Rhythm, Sex
from aptone.types.display import Displayed


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a story: speech or narration.

    Args:
        role: speaker; empty for narration, and where the speaker is not known.
        speech: whether somebody says it although the speaker is not known. A line with a role is speech anyway.
        continues: whether it goes on in the paragraph of the line before it, as a tag behind its quotation does.
        direction: stage direction in brackets in a script, for instance "whispering".
    """

    text: str
    role: str = ""
    speech: bool = False
    continues: bool = False
    direction: str = ""

    @property
    def is_speech(self) -> bool:
        """Check that the line is speech, by a known speaker or not."""
        return self.speech or bool(self.role)


@dataclass(frozen=True, slots=True)
class Dimension:
    """Name of an annotation dimension in both languages, and how it is answered.

    Args:
        number: number in the paper's Table 7.
        kind: ``score`` (0 to 5), ``closed`` (one of a list), ``text`` (free) or ``time`` (start and end).
        choices: values of a closed dimension, English name to Mandarin name.
    """

    number: int
    en: str
    zh: str
    kind: str
    choices: Mapping[str, str] = field(default_factory=dict)


def _choices(closed: type[Intonation] | type[Rhythm] | type[Sex] | type[AgeBand]) -> dict[str, str]:
    return {member.value: member.zh for member in closed}


DIMENSIONS: Mapping[str, Dimension] = {
    "overall_score": Dimension(1, "Overall expressive score", "整体表现力评分", "score"),
    "tts_difficulty": Dimension(2, "TTS difficulty", "语音合成难度", "score"),
    "intonation": Dimension(3, "Intonation", "语调", "closed", _choices(Intonation)),
    "rhythm": Dimension(4, "Rhythm", "节奏", "closed", _choices(Rhythm)),
    "emotion": Dimension(5, "Emotion", "情感", "text"),
    "vocalisations": Dimension(6, "Paralinguistic vocalisations", "副语言发声", "text"),
    "refined_context": Dimension(7, "Refined textual context", "校正后的上下文", "text"),
    "refined_content": Dimension(8, "Refined textual content", "校正后的台词", "text"),
    "boundaries": Dimension(9, "Utterance boundaries", "语句边界", "time"),
    "role": Dimension(10, "Speaker role name", "角色名", "text"),
    "age": Dimension(11, "Speaker age", "年龄", "closed", _choices(AgeBand)),
    "gender": Dimension(12, "Speaker gender", "性别", "closed", _choices(Sex)),
    "recording_condition": Dimension(13, "Recording condition", "录音状态", "text"),
    "background_music": Dimension(14, "Background music presence", "背景音乐", "closed", {"yes": "有", "no": "无"}),
    "sound_events": Dimension(15, "Sound events", "声音事件", "text"),
}
"""The fifteen dimensions, by the name of their field in `Annotation`."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """The fifteen dimensions, as one annotator filled them in. ``None``, NaN and empty text mean: not answered.

    An annotator who heard no vocalisation or event answers with a word for that, so that it differs from no answer.

    Raises:
        ValueError: if a score lies outside 0 to 5.
    """

    overall_score: float = math.nan
    tts_difficulty: float = math.nan
    intonation: Intonation | None = None
    rhythm: Rhythm | None = None
    emotion: str = ""
    vocalisations: str = ""
    refined_context: tuple[Line, ...] = ()
    refined_content: str = ""
    boundaries: Segment | None = None
    role: str = ""
    age: AgeBand | None = None
    gender: Sex | None = None
    recording_condition: str = ""
    background_music: bool | None = None
    sound_events: str = ""

    def __post_init__(self) -> None:
        for name in ("overall_score", "tts_difficulty"):
            value = getattr(self, name)
            if not math.isnan(value) and not 0 <= value <= 5:
                raise ValueError(f"{name} lies between 0 and 5, got {value}.")

    @property
    def unanswered(self) -> tuple[str, ...]:
        """Names of the dimensions that were left open, in the paper's order."""
        return tuple(
            entry.name
            for entry in fields(self)
            if (value := getattr(self, entry.name)) in (None, "", ()) or value != value  # NaN
        )


@dataclass(frozen=True, slots=True)
class WeakAnnotation:
    """Annotation of a clip by machines: material to train with and to start from, never a substitute for people's.

    Args:
        heard: the fifteen dimensions as far as a machine fills them in; scores stay open.
        caption: description of the clip's sound, in a sentence or more; empty where nothing could be said.
        transcript: text from a transcriber, as words are compared.
        confidence: share of the line's words that were heard as they stand, from 0 to 1; NaN when nobody transcribed.
        transcribed_by: signature of the transcriber, or the name of a file.

    Raises:
        ValueError: if the confidence lies outside 0 to 1.
    """

    heard: Annotation = field(default_factory=Annotation)
    caption: str = ""
    transcript: str = ""
    confidence: float = math.nan
    heard_by: str = ""
    captioned_by: str = ""
    transcribed_by: str = ""

    def __post_init__(self) -> None:
        if not math.isnan(self.confidence) and not 0 <= self.confidence <= 1:
            raise ValueError(f"a confidence lies between 0 and 1, got {self.confidence}.")


@dataclass(frozen=True, slots=True)
class Vad:
    """Valence, arousal and dominance, each from -1 to 1; NaN where one is not known."""

    valence: float
    arousal: float
    dominance: float

    def __post_init__(self) -> None:
        for name in ("valence", "arousal", "dominance"):
            value = getattr(self, name)
            if not math.isnan(value) and not -1 <= value <= 1:
                raise ValueError(f"{name} lies between -1 and 1, got {value}.")


@dataclass(frozen=True, slots=True)
class Vote:
    """The plan that one context window, of so many lines that the planner saw, gave."""

    window: int
    emotion: str
    rhythm: Rhythm
    intonation: Intonation
    recording_condition: str = "normal"

    @property
    def choice(self) -> tuple[str, Rhythm, Intonation, str]:
        """The four fields that are voted on together."""
        return self.emotion, self.rhythm, self.intonation, self.recording_condition


@dataclass(frozen=True, slots=True)
class NoVote:
    """A context window, of so many lines that the planner saw, that gave no plan, and the reason."""

    window: int
    reason: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """Words of the story that a plan rests on.

    Args:
        says: meaning for the line, for instance "angry", "whisper" or "phone".
        line: line of the words, counted from the target: 0 is the target itself, -1 the line before it.
        start, end: their characters in that line.
        kind: "tag", "direction", "narration" or "line" where the text says it outright; "context" where it is inferred.
        paragraph: the same as `line`, in paragraphs: a paragraph with speech and narration is several lines.
    """

    words: str
    says: str
    line: int
    start: int
    end: int
    kind: str
    paragraph: int = 0


@dataclass(frozen=True, slots=True)
class Plan(Displayed):
    """Plan of how a line should sound in its context.

    Args:
        emotion: free text, for instance "calm turning into joy"; empty when the plan leaves it open.
        rhythm, intonation: ``None`` when the plan leaves it open.
        recording_condition: free text, for instance "phone"; empty when the plan leaves it open.
        vad: the emotion as a point, when the planner gives one.
        votes: the plan of every window that was asked, when it was voted on, the shortest window first.
        no_votes: windows that were asked and gave no plan.
        windows: number of windows; those that were not asked could not have changed the outcome.
        source: author: "by hand", or a planner's name.
        emotions: probabilities of emotions by name, which sum to 1, when the planner gives them: what the emotion is if
            the story asks for one.
        unsaid: probability that the story does not say how the line feels; NaN when the planner gives none.
        intensity: strength of the feeling, from 0 to 1; NaN when it is open.
        voice: voice quality, for instance "whisper" or "trembling".
        sounds: sounds besides words, for instance "laughter".
        evidence: the words of the story that it rests on, the most telling first.
    """

    emotion: str
    rhythm: Rhythm | None = None
    intonation: Intonation | None = None
    recording_condition: str = ""
    vad: Vad | None = None
    votes: tuple[Vote, ...] = ()
    no_votes: tuple[NoVote, ...] = ()
    windows: int = 0
    source: str = "by hand"
    signature: str = ""
    emotions: Mapping[str, float] = field(default_factory=dict)
    unsaid: float = math.nan
    intensity: float = math.nan
    voice: tuple[str, ...] = ()
    sounds: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()

    def __post_init__(self) -> None:
        for name, value in (("unsaid", self.unsaid), ("intensity", self.intensity), *self.emotions.items()):
            if not math.isnan(value) and not 0.0 <= value <= 1.0:
                raise ValueError(f"{name} lies between 0 and 1, got {value}.")
        if self.emotions and abs(math.fsum(self.emotions.values()) - 1.0) > 1e-3:
            raise ValueError(f"probabilities of emotions sum to 1, got {math.fsum(self.emotions.values()):.3f}.")

    @property
    def says_emotion(self) -> bool:
        """Check that it asks for an emotion; a planner that read the story may find that the story does not say."""
        return bool(self.emotion.strip())

    @property
    def is_unsaid(self) -> bool:
        """Check that the planner found an unsaid feeling likelier than any emotion."""
        if self.says_emotion or math.isnan(self.unsaid):
            return False
        return self.unsaid >= (1.0 - self.unsaid) * max(self.emotions.values(), default=0.0)

    @property
    def is_unsure(self) -> bool:
        """Check that the planner gives probabilities of emotions, but none that it is sure enough of to name it."""
        return not self.says_emotion and not math.isnan(self.unsaid) and not self.is_unsaid

    @property
    def confidence(self) -> float:
        """Probability of the likeliest emotion, or that the story does not say; NaN when the planner gives none."""
        if math.isnan(self.unsaid):
            return math.nan
        return self.unsaid if self.is_unsaid else (1.0 - self.unsaid) * max(self.emotions.values())

    @property
    def vote_share(self) -> float:
        """Share of the votes for this very plan; NaN when nothing was voted on."""
        if not self.votes:
            return math.nan
        choice = (self.emotion, self.rhythm, self.intonation, self.recording_condition)
        return sum(vote.choice == choice for vote in self.votes) / len(self.votes)

    @property
    def vote_entropy(self) -> float:
        """Entropy of the votes in bits: 0 when all windows agree; NaN when nothing was voted on."""
        if not self.votes:
            return math.nan
        counts = Counter(vote.choice for vote in self.votes)
        shares = [count / len(self.votes) for count in counts.values()]
        return -sum(share * math.log2(share) for share in shares) + 0.0


@dataclass(frozen=True, slots=True)
class Sample:
    """One spoken line to be judged.

    Args:
        id: unique within its manifest.
        context, following: the lines before and after it; the latter for a target near the beginning of a story.
        language: language of the story: it selects the prompts and the words of the rationale.
        plan: plan of how it should sound, when that is known beforehand.
        human_score: rating by people; NaN when nobody was asked.
        ratings: the ratings of the single raters behind `human_score`, rater to rating.
        proxy_score: score by a formula that stands in for people; NaN for none. Never taken for theirs.
        ids: further identifiers, such as story, chapter, take or system; a "kind" of "narration" marks what a
            narrator tells.
        weak: annotation by machines; never taken for what people say. ``None`` when none was asked.
    """

    id: str
    audio: Audio | AudioRef
    target: Line
    context: tuple[Line, ...] = ()
    following: tuple[Line, ...] = ()
    language: Language = "en"
    plan: Plan | None = None
    human_score: float = math.nan
    ratings: Mapping[str, float] = field(default_factory=dict)
    proxy_score: float = math.nan
    ids: Mapping[str, str] = field(default_factory=dict)
    weak: WeakAnnotation | None = None

    @property
    def is_narration(self) -> bool:
        """Check that a narrator tells it: its `ids` say so, since a line without a role may also be speech."""
        return self.ids.get("kind") == "narration" and not self.target.is_speech


TYPICAL_VAD = {
    Emotion.NEUTRAL: Vad(0.0, 0.0, 0.0),
    Emotion.CALM: Vad(0.50, -0.40, 0.05),
    Emotion.HAPPY: Vad(0.81, 0.51, 0.46),
    Emotion.SAD: Vad(-0.63, -0.27, -0.33),
    Emotion.ANGRY: Vad(-0.51, 0.59, 0.25),
    Emotion.FEAR: Vad(-0.64, 0.60, -0.43),
    Emotion.DISGUST: Vad(-0.60, 0.35, 0.11),
    Emotion.SURPRISE: Vad(0.40, 0.67, -0.13),
    Emotion.BOREDOM: Vad(-0.65, -0.62, -0.33),
    Emotion.PLAYFUL: Vad(0.65, 0.43, 0.30),
}
"""In the order of `Emotion`; means of Russell & Mehrabian (1977, *Evidence for a three-factor theory of emotions*).

Calm and playful are not on their list: they are put near "relaxed" and "happy".
"""
