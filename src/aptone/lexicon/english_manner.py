"""English words that say with what rhythm and intonation a line is spoken, for `aptone.planner.reading.cues`."""

from aptone.lexicon.phrases import CueList
from aptone.types import Intonation, Rhythm

MANNER = (
    CueList(
        Rhythm.LOW_PACED,
        "whisper~, murmur~, mutter~, mumble~, under <the> breath, in a low voice, in a small voice, in a low tone, "
        "in low tones, in an undertone, in a hushed voice, hushed voice, hushed tones, sotto voce, "
        "lower~ <the> voice, drop~ <the> voice, <the> voice dropped, <the> voice sank, <the> voice was low, "
        "<the> voice was barely, voice was scarcely, voice was hardly, barely audible, hardly audible, "
        "scarcely audible, barely above, above a whisper, more than a breath, louder than a sigh, <say> ... softly, "
        "<say> ... quietly, in a whisper, to a whisper, a whisper #, with bated breath, hush~, whispering, "
        "softly ... <say>, quietly ... <say>, soft voice, quiet voice, low voice, breathed #, close to <the> ear, "
        "into <the> ear, in <the> ear #, mouth to <the> ear",
        not_after="<thing>, a",
    ),
    CueList(
        Rhythm.HIGH_ENERGY,
        "shout~, yell~, scream~, roar~, bellow~, cheered, cheering, cry~ out, cried, exclaim~, shriek~, holler~, "
        "howl~, bawl~, thunder~, bark~, whooped, whooping, squeal~, screech~, raged, voice boomed, storm~ at, "
        "snarl~, explode~, cry of triumph, top of <the> lungs, top of <the> voice, at full volume, "
        "raise~ <the> voice, raised <the> voice, <the> voice rose, full throated, full voice, in a loud voice, "
        "in a great voice, loud voice, loudly, <say> ... triumphantly, <say> ... furiously, in a fury, with fury, "
        "burst out, jubilantly, ecstatically, in triumph, rallying, war cry, in a rage, with rage, in a frenzy, "
        "vehemently, with passion, passionately, voice rang out, ringing voice, voice like thunder, exult~, "
        "triumphant, fists clenched, purple with rage, red with rage, shaking <the> fist, battle cry, "
        "fist in the air, wild with joy, wild with rage",
        not_after="<thing>",
    ),
    CueList(
        Rhythm.TENSE,
        "panted, panting, stammer~, stutter~, trembl~, tremble~, gasp~, quaver~, quiver~, falter~, blurt~, hiss~, "
        "splutter~, sputter~, babble~, plead~, gulp~, wheeze~, puffing, shaking voice, shaky voice, voice shook, "
        "voice shaking, voice cracked, voice ... trembl~, voice ... trembling, voice was tight, voice was tense, "
        "voice tightened, tight voice, strained voice, voice was strained, thin voice with fear, out of breath, "
        "short of breath, breathless, catching <the> breath, fighting for breath, between gasps, "
        "<say> ... <hurried>, <hurried> ... <say>, in a panic, panicked, panicking, panic in <the> voice, "
        "fear in <the> voice, urgency in <the> voice, words ... tumbl~, words spilled, words came in a rush, "
        "tripping over <the> words, tripped over <the> words, teeth chattering, shiver~, shudder~, frightened voice, "
        "anxious voice, urgent voice, hurried voice, in haste, out of haste, quick low, breath coming in, "
        "gulping air, rushed in, rushing in, burst in #, burst into the room, running up, came running, "
        "scared voice, edge of panic, rising panic, close to panic, chattering teeth, wringing <the> hands, on edge, "
        "glancing at the door, glancing over <the> shoulder, looking over <the> shoulder, white with fear, "
        "pale with fear, in terror, heart pounding, heart hammering, through clenched teeth",
        not_after="<thing>",
    ),
    CueList(
        Rhythm.LOW_PACED,
        "sob~, sigh~, wept, weeping, crying, whimper~, moaned, moaning, groaned, groaning, croak~, snivel~, rasped, "
        "<say> ... <soft>, <soft> ... <say>, hoarsely, hoarse voice, voice choked, choked voice, choking on, "
        "stifled sob, hollow voice, dull voice, head bowed, broken hearted, grief in <the>, weak voice, "
        "feeble voice, thick with tears, choked with tears, voice broke, breaking voice, broken voice, "
        "voice was thick, voice was hoarse, husky voice, in tears, through <the> tears, through tears, "
        "tears in <the> eyes, tears ... down <the> cheeks, tears in <the> voice, fighting back tears, choking back, "
        "on the verge of tears, with a sigh, heavy sigh, weary voice, tired voice, dejected, disconsolate, "
        "utterly spent, exhausted voice, deathbed, last breath, dying voice",
        not_after="<thing>",
    ),
    CueList(
        Rhythm.HEAVY,
        "<say> ... <weighty>, <weighty> ... <say>, solemnly, gravely, sternly, icily, growled, growling, grim, "
        "intone~, tone was cold, voice was cold, cold voice, icy voice, voice was ice, voice like ice, "
        "voice was like ice, voice was hard, hard voice, voice hardened, voice was stern, stern voice, grave voice, "
        "voice was grave, solemn voice, deep voice, leaden voice, voice was heavy, tone was grave, tone was stern, "
        "tone was serious, tone was solemn, tone was icy, measured voice, cold and measured, weighing each word, "
        "weigh~ ... words, weigh~ each word, choosing <the> words, one word at a time, every word fell, "
        "with great weight, grim faced, stone faced, grave faced, sombre, somber, measured tones, slow and heavy, "
        "heavy with, like a threat, with deliberation, in deadly earnest, deadly serious, with a heavy heart, "
        "heavy voice, steel in <the> voice, voice of steel, no warmth in, without warmth, threat in <the> voice, "
        "menacing, menacingly, ominous, funereal, like a sentence, hat in <the> hands, bowed head, with dignity, "
        "stony, jaw set",
        not_after="<thing>, sat, breathing, leaned",
    ),
    CueList(
        Rhythm.RELAXED,
        "drawl~, coo~, cooed, soothing voice, soothingly, yawn~, croon~, <say> ... <easy>, <easy> ... <say>, "
        "voice was calm, voice was gentle, voice was easy, voice was soft, calm voice, gentle voice, mild voice, "
        "easy voice, warm voice, tender voice, kind voice, lazy voice, voice was warm, voice was level, level voice, "
        "even voice, tone was mild, tone was easy, tone was gentle, tone was calm, in no hurry, without hurry, "
        "without haste, unhurried, unhurriedly, all the time in the world, nonchalant, nonchalantly, sleepy voice, "
        "drowsily, drowsy voice, comfortable voice, lullaby, stroking <the>, strok~ <the> hair, patted <the> hand, "
        "patting <the> hand, without raising <the> voice, took <the> time, taking <the> time, at <the> ease, "
        "leaned back, leaning back, lean~ back in, stretched out <the> legs, feet on the desk, "
        "puffing at <the> pipe, drawing on <the> pipe, pulling at <the> pipe, good humouredly, good naturedly, "
        "as one soothes, as to a child",
        not_after="<thing>",
    ),
    CueList(
        Rhythm.BRISK,
        "laugh~, giggle~, grin~, beamed, beaming, chuckle~, chirp~, pipe~ up, piped up, tittered, twittered, trill~, "
        "gushed, crowed, sang out, chattered, prattle~, <say> ... <lively>, <lively> ... <say>, cheerfully, merrily, "
        "gleefully, brightly, gaily, cheerful voice, bright voice, merry voice, lively voice, laugh in <the> voice, "
        "laughter in <the> voice, smile in <the> voice, voice was bright, voice was light, eyes sparkl~, eyes danc~, "
        "eyes twinkl~, eyes shining, eyes shone, rubbing <the> hands, clapp~ <the> hands, clapped <the> hands, "
        "clapping <the> hands, skipped into, bounced into, danced into, bounded into, in high spirits, "
        "in great spirits, full of glee, with glee, with delight, delighted, overjoyed, wink~, playful, playfully, "
        "high good humour",
        not_after="<thing>",
    ),
    CueList(
        Rhythm.BRISK,
        "with a laugh, with a grin, with a chuckle, with a broad smile, smiling broadly, smiled broadly, all smiles, "
        "humming, whistling a, mischievous, mischievously, excited voice, in excitement, light hearted, "
        "lightheartedly, full of fun, full of excitement, bursting with",
        not_after="<thing>",
    ),
    CueList(
        Intonation.FLAT,
        "<say> ... <dull>, <dull> ... <say>, tonelessly, monotone, monotonous, flat voice, toneless voice, "
        "expressionless voice, voice was flat, voice was expressionless, voice was toneless, voice was empty, "
        "voice was dead, dead voice, empty voice, voice had no expression, voice had gone flat, "
        "voice betrayed nothing, tone was flat, tone never varied, voice never varied, no expression, no inflection, "
        "no emotion in <the> voice, without expression, without inflection, without any expression, "
        "as if reading from, as though reading from, by rote, like a robot, like a machine, like a sleepwalker, "
        "deadpan, matter of fact",
    ),
    CueList(
        Intonation.CURVED,
        "<say> ... <ironic>, <ironic> ... <say>, sing song, singsong, sarcasm, sarcastic, sarcastically, irony, "
        "ironic, mockery, mocking, mockingly, mimicking, mimicked, imitating <the>, tease~, taunted, taunting, "
        "jeered at, sneer~, scoff~, simper~, coax~, wheedled, purred, purring, drawing out <the> vowels, "
        "drawing out the word, drawing out each, stretching the word, stretched the word, long drawn, lilt, lilting, "
        "rise and fall, rose and fell, mock innocence, mock solemnity, mock horror, feigned innocence, incredulous, "
        "incredulously, in disbelief, disbelief in, archly, tongue in cheek, rolled <the> eyes, rolling <the> eyes",
        not_after="<thing>",
    ),
    CueList(
        Intonation.FALLING,
        "trail~ off, trail~ away, voice trailed, voice died, voice dying, voice tailed, tailed off, voice fell, "
        "voice sank, voice dropped, voice faded #, voice faded away, sentence ... died, sentence hang unfinished, "
        "let the sentence, left the sentence, words died, <say> ... <final>, <final> ... <say>, with finality, "
        "snapped #, commanded #, demanded #, ordered #, decreed, that was that, end of the matter, brooked no, "
        "allowed no, no room for argument, in a tone of command, with resignation, with authority, "
        "like a door closing, firm voice, final tone",
        not_after="fingers, twig, twigs, rope, branch",
    ),
    CueList(
        Intonation.RISING,
        "asked #, asks #, asked <whom> #, asked again, asked aloud, inquired #, enquired #, queried #",
        not_after="was, were, been, had, be, as, you",
    ),
    CueList(
        Intonation.RISING,
        "wondered aloud, wonders aloud, <say> ... <doubtful>, <doubtful> ... <say>, question in <the> voice, "
        "question in <the> eyes, quizzical, raised <the> eyebrows, raising <the> eyebrows, raised an eyebrow, "
        "lifted an eyebrow, rising note, rising tone, rising inflection, on a rising, voice rose at the end, "
        "voice went up, voice lifting, voice lifted, upward inflection, tilting <the> head, tilted <the> head, "
        "cocked <the> head, cocking <the> head, head to one side, head on one side",
    ),
)
