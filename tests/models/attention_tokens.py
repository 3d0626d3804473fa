"""Token ids and markers that the tests of the attention bias share."""

from hypothesis import HealthCheck, settings

from aptone.models.omni.attention_layout import paper_markers, release_markers

AUDIO, SCORE, SCORE_END, FOCUS, FOCUS_END, WORD = 1, 2, 3, 4, 5, 6
BEGIN, END, THINK, THINK_END = 7, 8, 9, 10
MARKERS = release_markers(audio=AUDIO, score=(SCORE, SCORE_END), focus=(FOCUS, FOCUS_END))
PAPER = paper_markers(audio=AUDIO, audio_ends=(BEGIN, END), reasoning=(THINK, THINK_END), focus=(FOCUS, FOCUS_END))
patiently = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""As many examples as ever, however busy the machine is."""
