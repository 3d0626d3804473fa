"""A line in its story, how it should sound, and the clip in which it is said."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from aptone.messages import Language
from aptone.types.annotation import WeakAnnotation
from aptone.types.audio import Audio, AudioRef
from aptone.types.closed_sets import Intonation, Rhythm
from aptone.types.line import Line


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
    """The plan that one context window gave.

    Args:
        window: how many lines of context the planner saw.
        emotion: free text.
        rhythm: one of six.
        intonation: one of four.
        recording_condition: free text.
    """

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
    """A context window that gave no plan.

    Args:
        window: how many lines of context the planner saw.
        reason: reason why its answer is no vote.
    """

    window: int
    reason: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """Words of the story that a plan rests on.

    Args:
        words: words as they stand in the story.
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
class Plan:
    """Plan of how a line should sound in its context.

    Args:
        emotion: free text, for instance "calm turning into joy"; empty when the plan leaves it open.
        rhythm: one of six; ``None`` when the plan leaves it open.
        intonation: one of four; ``None`` when the plan leaves it open.
        recording_condition: free text, for instance "phone"; empty when the plan leaves it open.
        vad: the emotion as a point, when the planner gives one.
        votes: the plan of every window that was asked, when it was voted on, the shortest window first.
        no_votes: windows that were asked and gave no plan.
        windows: how many windows there are; those that were not asked could not have changed the outcome.
        source: author: "by hand", or a planner's name.
        signature: full signature of the author.
        emotions: probabilities of emotions by name, which sum to 1, when the planner gives them: what the emotion is if
            the story asks for one.
        unsaid: probability that the story does not say how the line feels; NaN when the planner gives none.
        intensity: how strong the feeling is, from 0 to 1; NaN when it is open.
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
        audio: the clip, or where it is.
        target: the line that is spoken.
        context: the lines before it, in order.
        following: the lines after it, in order; used when the target stands near the beginning of a story.
        language: language of the story: it selects the prompts and the words of the rationale.
        plan: how it should sound, when that is known beforehand.
        human_score: rating by people; NaN when nobody was asked.
        ratings: the ratings of the single raters behind `human_score`, rater to rating.
        proxy_score: score by a formula that stands in for people; NaN for none. Never taken for theirs.
        ids: further identifiers, such as story, chapter, take or system.
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
