"""English words that other people use for the same values: understood when read, never said by our grammar.

Words that can mean several things are in `aptone.ear.describe.lexicon`.
"""

from aptone.ear.describe.attributes import Intensity, Music, Pitch, PitchVariation, Rate, Texture, VocalEvent, Volume
from aptone.types import AgeBand, ClosedSet, Emotion, Intonation, RecordingCondition, Rhythm, Sex

# Each line: values that all hold, and the words, separated by commas.
ALSO: tuple[tuple[tuple[ClosedSet, ...], str], ...] = (
    ((Sex.FEMALE,), "female, woman, women, lady, girl, actress, girls, females"),
    ((Sex.MALE,), "male, man, men, gentleman, guy, boy, lad, fellow, chap, boys, males"),
    ((AgeBand.CHILD,), "child, children, kid, childlike, childish, kids, toddler"),
    ((AgeBand.TEENAGER,), "teen, teenage, teenager, adolescent, in his teens, in her teens"),
    ((AgeBand.YOUNG_ADULT,), "young, youthful, young adult, young-sounding, in her twenties, in his twenties"),
    (
        (AgeBand.MIDDLE_AGED,),
        "middle-aged, mature, middle age, in her forties, in his forties, in her fifties, in his fifties",
    ),
    ((AgeBand.ELDERLY,), "elderly, old, aged, senior, elder, ageing, aging"),
    ((Pitch.VERY_LOW,), "very low voice, very low tone, very low in pitch, extremely low-pitched, very deep voice"),
    (
        (Pitch.LOW,),
        "low voice, low tone, lower pitch, low in pitch, rumbling, bass, baritone, low register, lower register, "
        "lower-pitched, deep-voiced, deepened, bassy, lowered pitch",
    ),
    ((Pitch.MEDIUM,), "moderate pitch, normal pitch, mid-range pitch, moderately pitched"),
    (
        (Pitch.HIGH,),
        "high voice, high tone, higher pitch, high in pitch, high register, higher register, upper register, "
        "higher-pitched, elevated pitch, raised pitch",
    ),
    ((Pitch.VERY_HIGH,), "very high voice, very high in pitch, shrill, squeaky, piercing, falsetto, shrilly"),
    (
        (PitchVariation.MONOTONE,),
        "little pitch variation, little variation in pitch, uninflected, flat delivery, monotonously, monotonic, "
        "droning, little inflection, minimal inflection, without inflection, minimal pitch variation, "
        "minimal variation in pitch, narrow pitch range, unvarying, little variation, lacks variation",
    ),
    ((PitchVariation.MODERATE,), "moderate pitch variation, some variation in pitch"),
    (
        (PitchVariation.LIVELY,),
        "expressive, animated, dynamic, sing-song, wide pitch range, much pitch variation, "
        "much variation in pitch, expressively, animatedly, dynamically, lilting, lilt, musical, varied pitch, "
        "varied intonation, wide pitch variation, well-modulated, pitch swings, wide pitch swings, "
        "large pitch range",
    ),
    (
        (Rate.VERY_SLOW,),
        "very slow pace, very slow tempo, very slow rate, sluggish, dragging, sluggishly, painfully slow",
    ),
    (
        (Rate.SLOW,),
        "slow pace, slow tempo, slow rate, slower, drawn-out, deliberate, measured, slow-paced, slow speech, "
        "unhurriedly, measured pace, deliberately, leisurely pace, drawl, drawling, lingering, "
        "moderately slow",
    ),
    (
        (Rate.MODERATE,),
        "moderate pace, moderate tempo, moderate speed, normal pace, normal speed, steady pace, even pace, "
        "steady tempo, natural pace, conversational pace, average pace, medium pace, normal rate, moderate rate, "
        "regular pace, average speed",
    ),
    (
        (Rate.FAST,),
        "fast pace, fast tempo, fast rate, fast-paced, faster, rushed, hurried, hasty, swift, swiftly, "
        "quick pace, rapid pace, quickened, hurriedly, hastily, rushing, in a hurry, speedy, quick-paced, "
        "accelerated, fast-talking, moderately fast, moderately quick",
    ),
    (
        (Rate.VERY_FAST,),
        "very fast pace, very fast tempo, very rapidly, very quick, frantic, breakneck, rapid-fire, frantically, "
        "very quick pace",
    ),
    (
        (Volume.VERY_SOFT,),
        "barely audible, very low in volume, very faint, hardly audible, barely above a whisper, inaudibly, "
        "almost inaudible, nearly inaudible",
    ),
    (
        (Volume.SOFT,),
        "hushed, low volume, murmurs, murmuring, mutters, muttering, subdued volume, faint, soft-spoken, softer, "
        "quieter, muted, lowered voice, under her breath, under his breath, weak voice, reduced volume, softened",
    ),
    (
        (Volume.MEDIUM,),
        "moderate volume, normal volume, normal loudness, moderate loudness, conversational volume, "
        "average volume, medium volume, comfortable volume, moderate in volume, even volume",
    ),
    (
        (Volume.LOUD,),
        "high volume, forceful, booming, raised voice, projecting loudly, louder, powerful, powerfully, "
        "strong voice, raised volume, raises her voice, raises his voice, loudness is high, forcefully, "
        "elevated volume, increased volume",
    ),
    (
        (Volume.VERY_LOUD,),
        "very high volume, shouts, shouting, yells, yelling, bellows, bellowing, deafening, shout, shouted, yell, "
        "yelled, bellow, bellowed, thunderous, roar, roars, roaring, hollering, blaring, at the top of her lungs, "
        "at the top of his lungs",
    ),
    (
        (Texture.CLEAR,),
        "crisp, clean voice, clear voice, silky, clean, clarity, velvety, mellow, smoothly, polished, smoothness",
    ),
    ((Texture.BREATHY,), "breathiness, breathily, airiness, aspirated, wispy"),
    (
        (Texture.ROUGH,),
        "roughness, hoarseness, gruff, croaky, harsh, scratchy, coarse, grating, gravel, growl, growls, growling, "
        "guttural, gritty, grainy, raspiness, rasp, rasping, throaty, hoarsely, gruffly, harshly, harshness",
    ),
    (
        (Texture.PRESSED,),
        "tense voice, constricted, squeezed, strain, tightness, tightened, pinched, clenched, strangled",
    ),
    ((Texture.WHISPERED,), "whisper, whispers, whispering, in a whisper"),
    ((Rhythm.BRISK,), "brisk delivery, lively rhythm, brisk type, peppy, sprightly, snappy"),
    ((Rhythm.HEAVY,), "solemn, solemn rhythm, heavy delivery, ponderous, weighty, solemnly, gravely"),
    ((Rhythm.LOW_PACED,), "low-paced, low-paced delivery, lethargic, low-energy"),
    (
        (Rhythm.HIGH_ENERGY,),
        "high-energy, energetic, vigorous, energetically, high energy, vigorously, passionate, passionately, "
        "impassioned, fiery, boisterous, full of energy",
    ),
    (
        (Rhythm.RELAXED,),
        "relaxed, laid-back, relaxed delivery, soothing rhythm, easygoing, easy-going, at ease, casual, casually",
    ),
    ((Rhythm.TENSE,), "nervous rhythm, tense delivery, tense rhythm, staccato, on edge"),
    ((Intonation.FLAT,), "flat tone, level tone, intonation is flat"),
    (
        (Intonation.RISING,),
        "rising tone, upward inflection, rising inflection, intonation is rising, rising pitch, rises at the end, "
        "question-like, pitch rises, pitch goes up, rise in pitch, rises in pitch, rising in pitch, "
        "rising at the end, rising note",
    ),
    (
        (Intonation.CURVED,),
        "curved tone, undulating intonation, intonation is curved, rise and fall, rises and falls, "
        "pitch rises and falls, rises and falls in pitch",
    ),
    (
        (Intonation.FALLING,),
        "falling tone, downward inflection, falling inflection, intonation is falling, falling pitch, "
        "falls at the end, trails off, trailing off, descending, pitch falls, pitch drops, pitch goes down, "
        "drop in pitch, drops in pitch, fall in pitch, falls in pitch, dropping in pitch, falling in pitch, "
        "drops at the end, dropping at the end, falling at the end, falling note",
    ),
    (
        (RecordingCondition.NORMAL,),
        "clean recording, clear recording, studio recording, good recording, clean audio, clear audio, "
        "high-quality recording, studio-quality",
    ),
    (
        (RecordingCondition.PHONE,),
        "phone, telephone, phone call, phone line, telephone-like, telephonic, crackling phone, "
        "crackling phone line, crackling telephone line, crackling line",
    ),
    (
        (RecordingCondition.FAR_FIELD,),
        "far-field, distant, far away, faraway, reverberant, echoing, echo, echoey, reverb, reverberation",
    ),
    ((RecordingCondition.INTERMITTENT,), "intermittent, drop-outs, dropouts, choppy, cuts in and out, cutting out"),
    (
        (RecordingCondition.NOISY,),
        "noisy, background noise, noise, static, hiss, crackling, background chatter, background hum, "
        "faint background noise, faint background hum, faint noise, faint hum, faint hiss, faint static, "
        "soft background noise, loud background noise, low background noise, low hum, electrical hum",
    ),
    ((RecordingCondition.INNER_MONOLOGUE,), "inner monologue, inner voice, thinking to herself, thinking to himself"),
    (
        (Music.PRESENT,),
        "background music, over background music, music, music in the background, musical accompaniment, "
        "soundtrack, soft music, soft background music, faint music, faint background music, gentle music, "
        "gentle background music, quiet music, quiet background music, loud music, loud background music, "
        "calm music, calm background music, sad music, slow music, upbeat music, upbeat background music",
    ),
    ((Music.ABSENT,), "no music, without music, no background music, no music in the background"),
    (
        (VocalEvent.LAUGHTER,),
        "laugh, laughs, laughed, chuckle, chuckles, chuckling, giggle, giggles, giggling, chuckled, giggled, "
        "laughing voice, laughingly, snickers, snickering",
    ),
    (
        (VocalEvent.BREATH,),
        "breath, breaths, breathing, breathes, panting, pants, inhales, exhales, gasp, gasps, deep breath, "
        "deep breaths, heavy breathing, heavy breath, audible breath, audible breaths, inhale, exhale, gasping, "
        "gasped, breathless, breathlessly, breathing is heavy, breathing heavy, heavy breaths, rapid breathing, "
        "rapid breaths, quick breath, quick breaths, breathing is rapid, breathing is fast, breathing is quick, "
        "fast breathing, slow breath, slow breathing",
    ),
    ((VocalEvent.COUGH,), "coughs, coughed"),
    ((VocalEvent.SNEEZE,), "sneezes, sneezed"),
    ((VocalEvent.CRYING_BABY,), "baby's cry, baby cries, infant crying, crying infant"),
    ((VocalEvent.SIGH,), "sighs, sighed, heavy sigh, deep sigh"),
    (
        (VocalEvent.SOB,),
        "sob, cry, cries, crying, weeps, weeping, sobbed, cried, weep, wept, whimper, whimpers, whimpering, wail, "
        "wails, wailing, in tears",
    ),
    ((VocalEvent.SCREAM,), "screams, screamed, shriek, shrieks, shrieking, shrieked, screech, screeches, screeching"),
    (
        (VocalEvent.THROAT_CLEARING,),
        "clears her throat, clears his throat, clears their throat, clears the throat, clearing her throat, "
        "clearing his throat",
    ),
    ((VocalEvent.YAWN,), "yawns, yawned"),
    ((VocalEvent.SNIFF,), "sniffs, sniffed, sniffle, sniffles, sniffling"),
    (
        (VocalEvent.SINGING,),
        "sings, sung, song, humming, hums, operatic, sing, sang, song-like, hum, croons, crooning, chants, chanting",
    ),
    (
        (Emotion.NEUTRAL,),
        "emotionless, no emotion, without emotion, neutrally, neutrality, matter-of-factly, neutral tone, "
        "dispassionate, detached, impassive, deadpan, expressionless, stoic, no strong emotion, "
        "no clear emotion, little emotion, lack of emotion, devoid of emotion, without any emotion, "
        "lacking emotion, without strong emotion",
    ),
    (
        (Emotion.CALM,),
        "calmly, calm tone, composed, composure, tranquil, peacefully, placid, calming, serenely, tranquility, "
        "collected, unruffled, reassuring, comforting",
    ),
    (
        (Emotion.HAPPY,),
        "happily, cheerfully, cheery, joyfully, joyous, glad, upbeat, delighted, delight, merry, bright mood, "
        "positivity, enthusiastic, enthusiasm, excited, excitement, cheerfulness, gleeful, glee, exuberant, "
        "exuberance, bubbly, light-hearted, lighthearted, optimistic, optimism, jovial, jolly, excitedly, "
        "enthusiastically, cheer, pleasure, contentment",
    ),
    (
        (Emotion.SAD,),
        "sadly, sorrowfully, mournful, melancholy, melancholic, gloomy, depressed, dejected, tearful, "
        "unhappiness, mournfully, mourning, grieving, despondent, despondency, disheartened, dejection, gloom, "
        "glum, forlorn, disappointed, disappointment, regretful, regret, crestfallen, hopeless, hopelessness, "
        "plaintive, miserable, misery, heartache, resigned, resignation, on the verge of tears, "
        "close to tears, near tears",
    ),
    (
        (Emotion.ANGRY,),
        "angrily, mad, hostile, aggressive, hostility, aggression, wrath, resentful, indignant, angered, "
        "aggressively, threatening, menacing, irritable, frustrated, frustration, exasperated, exasperation, "
        "resentment, indignation, belligerent, confrontational, fierce, fiercely, scolding, accusatory",
    ),
    (
        (Emotion.FEAR,),
        "afraid, fearfully, anxious, anxiety, dread, worried, worry, fright, anxiously, nervousness, nervously, "
        "timid, timidly, alarm, alarmed, apprehension, worriedly, vulnerable, vulnerability, trepidation",
    ),
    (
        (Emotion.DISGUST,),
        "disgustedly, repulsed, repulsion, contemptuous, contempt, loathing, distaste, contemptuously, disdain, "
        "disdainful, disdainfully, scorn, scornful, sneer, sneering, repugnance, nauseated",
    ),
    (
        (Emotion.SURPRISE,),
        "startled, taken aback, in disbelief, surprisedly, incredulous, incredulity, disbelief, bewildered, "
        "bewilderment, awe, awestruck",
    ),
    (
        (Emotion.BOREDOM,),
        "boredly, listless, weary of it, disinterested, apathetic, apathy, dull, tedium, lackluster, lacklustre, "
        "unenthusiastic, disengaged, ennui",
    ),
    (
        (Emotion.PLAYFUL,),
        "playfully, teasing, teasingly, jokingly, mischievously, impish, cheeky, whimsical, humorous, joking, "
        "amused, amusement, flirtatious, banter, cheekily",
    ),
    ((Emotion.HAPPY, Intensity.STRONG), "ecstatic, jubilant, thrilled, exhilarated, euphoric, euphoria, ecstatically"),
    (
        (Emotion.SAD, Intensity.STRONG),
        "devastated, despairing, deeply sad, desolate, anguish, anguished, inconsolable, heart-wrenching, "
        "heartbreaking",
    ),
    (
        (Emotion.ANGRY, Intensity.STRONG),
        "outraged, raging, livid, seething, intensely angry, furiously, fuming, infuriated",
    ),
    ((Emotion.FEAR, Intensity.STRONG), "horrified, panicked, panicky, petrified, panicking, horror"),
    ((Emotion.SURPRISE, Intensity.STRONG), "shocked, shock, astounded, flabbergasted, dumbfounded"),
)
