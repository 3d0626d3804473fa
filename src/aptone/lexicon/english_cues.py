"""English words that say how a line is recorded, for `aptone.planner.reading.cues`.

`aptone.lexicon.phrases` says how a phrase is written: ``shout~`` with its endings, ``<device>`` any word of a
family, ``...`` up to four words, ``#`` the end of a clause. Add a phrase to a list, or a word to a family in
`FAMILIES`, and it is known. Where a text holds several recording conditions, or several rhythms, that of the
earlier list decides.
"""

from aptone.lexicon.english_manner import MANNER
from aptone.lexicon.phrases import CueList
from aptone.types import Intonation, RecordingCondition, Rhythm

FAMILIES = {
    "phone": "phone, telephone, cellphone, cell phone, mobile, receiver, handset, mouthpiece, payphone, landline",
    "device": "phone, telephone, cellphone, mobile, receiver, handset, mouthpiece, payphone, landline, earpiece, "
    "headset, headphones, earphones, earbuds, earbud, intercom, radio, walkie talkie, speakerphone, loudspeaker, "
    "loudspeakers, loud speaker, speaker, speakers, tannoy, megaphone, bullhorn, microphone, mike, mic, comm, comms, "
    "comlink, communicator, entryphone, answering machine, voicemail, voice mail, pa system, address system, "
    "wireless, speaking tube, transmitter, video call, video link, zoom, skype",
    "the": "the, a, an, his, her, my, their, our, your, this, that, one",
    "self": "himself, herself, myself, themselves, itself, ourselves, oneself",
    "whom": "him, her, them, me, us",
    "someone": "he, she, i, they, we, someone, somebody",
    "sound": "voice, voices, cry, cries, shout, shouts, call, calls, answer, reply, scream, screams, yell, words, "
    "shouting, calling, singing, laughter",
    "speak": "call~, shout~, yell~, cried, crying, holler~, bellow~, scream~, hail~, answer~, reply~, bawl~, roar~, "
    "sang, singing, sing out, shriek~, howl~, echoed",
    "say": "say~, said, ask~, answer~, reply~, spoke, speak, speaks, speaking, spoken, told, tell, add~, repeat~, "
    "remark~, explain~, announce~, murmur~, whisper~, call~, voice, voices, tone, tones, words, answer, declare~, "
    "admit~, suggest~, warn~, beg~, beg, begged, utter~, pronounce~, respond~, protest~, breathed, demanded",
    "place": "afar, downstairs, upstairs, below, outside, next room, another room, other room, next door, kitchen, "
    "hallway, hall, corridor, passage, cellar, basement, attic, loft, garden, yard, courtyard, street, porch, "
    "veranda, terrace, balcony, rooftop, roof, tower, landing, bathroom, shower, bedroom, pantry, barn, stable, "
    "shed, deck, masthead, shore, bank, hill, hilltop, hillside, ridge, cliff, woods, wood, forest, trees, fog, "
    "mist, dark, darkness, depths, well, shaft, pit, cave, tunnel, valley, gallery, back row, wings, cell, dungeon, "
    "stairs, staircase, bottom of, top of, foot of, far end, far side, other side, other end of the hall, back of, "
    "beyond, across, behind, somewhere, a distance, the distance, a long way, far away, far off, far below, "
    "far above, the house, the shadows, the window, a window",
    "wide": "lake, water, river, valley, street, field, fields, yard, courtyard, square, hall, bay, harbour, harbor, "
    "canyon, ice, snow, rooftops, meadow, garden, plaza, park, lawn, canal, marsh, moor, quay, room, playground, "
    "desert, sea",
    "way": "corridor, hall, hallway, stairs, stairwell, staircase, stairway, passage, shaft, tunnel, well, street, "
    "lane, chimney, hill, slope, road, beach, platform, garden",
    "barrier": "door, doors, wall, walls, window, pane, glass, keyhole, partition, ceiling, floor, floorboards, "
    "hatch, letterbox, letter box, grille, fence, hedge, curtain, bulkhead, shutters",
    "hollow": "hall, halls, church, cathedral, cave, cavern, vault, vaults, corridor, corridors, canyon, tunnel, "
    "dome, nave, stairwell, chamber, arches, walls, empty, deserted, valley, mountains, chapel, temple, warehouse, "
    "stone",
    "link": "line, signal, connection, reception, transmission, call, feed, link, picture, video, image, stream, "
    "wifi, network, broadcast, audio, sound, screen, radio",
    "bad": "bad, poor, terrible, awful, dreadful, weak, patchy, lousy, spotty, faulty, crackling, crackly, choppy, "
    "failing, broken, unstable, shaky, rotten, horrible, faint, unreliable",
    "pieces": "fragments, snatches, scraps, pieces, bits, bursts, shreds, syllables, snippets",
    "racket": "noise, din, roar, racket, clamour, clamor, music, hubbub, uproar, clatter, gunfire, cannon, guns, "
    "sirens, siren, applause, chatter, cheering, cheers, howling, hammering, shouting, screaming, clanging, "
    "machinery, machine, machines, engine, engines, motor, motors, rotors, rotor, propellers, shelling, explosions, "
    "alarm, alarms, thunder, roaring, rumble, drums, tumult, commotion, hum of the crowd, babble, bedlam, pounding, "
    "rattle, throb, bass, traffic, crash of, barrage, wail of",
    "weather": "wind, storm, gale, rain, crowd, waves, surf, sea, waterfall, river, hail, blizzard, tempest, fire, "
    "mob, hurricane, train, water",
    "noisy": "engine, engines, motor, motors, crowd, crowds, mob, stadium, audience, wind, winds, gale, storm, sea, "
    "waves, surf, rain, hail, thunder, siren, sirens, horn, horns, alarm, alarms, gun, guns, cannon, cannons, "
    "artillery, mortars, mortar, shells, bombs, machine, machines, machinery, loom, looms, band, music, bass, drum, "
    "drums, orchestra, jukebox, speakers, bells, train, trains, helicopter, rotors, propeller, propellers, blades, "
    "traffic, lorries, trucks, hammers, saw, saws, drill, drills, waterfall, blizzard, explosions, fireworks, "
    "bullets, battle, market",
    "resound": "roar~, howl~, thunder~, pound~, blare~, wail~, shriek~, scream~, chant~, cheer~, jeer~, boo~, drum~, "
    "hammer~, lash~, crashed, crashing, boom~, clatter~, rattle~, burst, bursting, exploded, exploding, honk~, "
    "clang~, peal~, rumble~, thump~, bellow~, batter~, beat down, screech~, whistle~, crack~, rag~, raged, raging, "
    "deafening, so loud, too loud, yell~, shout~, applaud~, sang, singing, stamp~, surged, whine~, throb~, blast~, "
    "thud~",
    "thing": "wind, winds, engine, engines, motor, sea, waves, surf, rain, storm, gale, thunder, leaves, trees, "
    "poplars, fire, flames, guns, gun, cannon, train, trains, traffic, machine, machines, brakes, tyres, tires, "
    "kettle, siren, sirens, crowd, crowds, river, brook, stream, grass, silk, skirts, floorboards, hinges, door, "
    "music, radio, breeze, waterfall, bullet, bullets, plane, planes, water, gulls, dog, dogs, bird, birds, sparrow, "
    "sparrows, crickets",
    "soft": "softly, quietly, faintly, weakly, hoarsely, sadly, mournfully, dully, wearily, tiredly, huskily, "
    "brokenly, miserably, feebly, timidly, shyly, low, huskily, tearfully, sorrowfully, wretchedly, glumly, "
    "listlessly",
    "hurried": "hurriedly, breathlessly, urgently, nervously, anxiously, frantically, quickly, hastily, rapidly, "
    "fast, shakily, tremulously, fearfully, desperately, uneasily, tensely, agitatedly, sharply, shrilly, "
    "hysterically, impatiently, in a rush, in a panic, through chattering teeth, in alarm, with a start",
    "weighty": "solemnly, gravely, sternly, heavily, coldly, grimly, icily, sombrely, somberly, bitterly, darkly, "
    "gruffly, severely, seriously, earnestly, ominously, harshly, frostily, stiffly, ponderously, deliberately, "
    "bleakly, curtly",
    "easy": "calmly, gently, slowly, lazily, unhurriedly, tenderly, soothingly, mildly, peacefully, evenly, kindly, "
    "warmly, dreamily, placidly, serenely, comfortably, leisurely, languidly, idly, lovingly, casually, sleepily, "
    "patiently, reassuringly, fondly, amiably, at leisure, equably",
    "lively": "cheerfully, brightly, merrily, happily, gaily, gleefully, joyfully, joyously, breezily, brightly, "
    "lightly, playfully, jauntily, eagerly, enthusiastically, excitedly, briskly, perkily, delightedly, cheerily, "
    "jovially",
    "ironic": "sarcastically, ironically, mockingly, sardonically, drily, dryly, wryly, teasingly, archly, snidely, "
    "sneeringly, sweetly, coyly, scornfully, incredulously, derisively, flirtatiously",
    "final": "firmly, decisively, resolutely, flatly refused, bluntly, emphatically, with finality, resignedly",
    "dull": "flatly, tonelessly, expressionlessly, mechanically, monotonously, impassively, indifferently, "
    "matter of factly, robotically, woodenly, deadpan, dispassionately, emotionlessly, without expression, "
    "without inflection, without emotion",
    "doubtful": "doubtfully, questioningly, inquiringly, enquiringly, curiously, uncertainly, hopefully, quizzically, "
    "interrogatively, dubiously, tentatively",
}


__all__ = ["DIRECTIONS", "ENDED", "FAMILIES", "LISTS", "NEGATIONS", "NEXT_NEGATIONS", "NO_NEGATIONS"]

LISTS = (
    CueList(
        RecordingCondition.INTERMITTENT,
        "<link> break~ up, <link> broke up, <link> was breaking up, <link> is breaking up, <link> kept breaking up, "
        "<link> ... cut~ out, <link> ... cut in and out, <link> ... cutting in and out, <link> ... dropping out, "
        "<link> ... dropped out, <link> kept dropping, <link> ... kept cutting, <link> ... kept breaking, "
        "<link> ... stutter~, <link> ... falter~, <link> ... glitch~, <link> ... lag~, <link> ... froze, "
        "<link> ... frozen, <link> ... freez~, <link> ... freezing, <link> ... flickered, line crackl~, "
        "line ... crackled, line ... crackling, connection ... crackled, signal ... crackled, <link> faded, "
        "<link> ... fading, <link> ... began to fail, <link> ... failing, <link> went and came, "
        "<link> came and went, line was <bad>, connection was <bad>, connection was so <bad>, signal was <bad>, "
        "signal was so <bad>, reception was <bad>, line was so <bad>, line is <bad>, signal is <bad>, "
        "connection is <bad>, <bad> line #, <bad> connection, <bad> signal, <bad> reception, voice ... broke up, "
        "voice ... breaking up, voice ... cut~ out, voice ... cut in and out, voice ... cutting in and out, "
        "voice ... dropped out, voice ... in and out, voice came and went, voice kept fading, voice faded in, "
        "voice faded out, in broken <pieces>, in fragments, in snatches, in scraps, in bits and pieces, "
        "only <pieces>, only ... snatches, only ... fragments, every other word, every second word, "
        "every third word, every few words, half the words, half her words, half his words, half of ... lost, "
        "words ... lost in, words ... missing, words ... dropped out, syllables ... missing, syllables ... lost, "
        "seconds missing, garbled, interference, static blasted, static hissed, static crackled, static filled, "
        "burst into static, dissolved into static, words came and went, voice came in and, fade~ in and out, "
        "fading in and out, kept cutting out, kept fading, kept freezing, kept dropping, cut off mid, "
        "swallowed half, half the sentence, half a sentence, word here and there, here and there a word, "
        "a word here, lost every, missed every, losing words, dropping words, buffering, buffered, "
        "delay on the line, between dropouts, dropouts, fitful~, in jerks, jerkily, with gaps, burst~ of static, "
        "burst of static, hiss of static, through the static, through static, in static, static swallowed, "
        "static drowned, static ate, between the hisses, wash of static, crackle of static, one bar of, pixelated, "
        "choppy, intermittent, intermittently, breaking up on, fragments of <the> ... sentence, fragments of speech, "
        "disjointed words, broken transmission",
    ),
    CueList(
        RecordingCondition.INNER_MONOLOGUE,
        "thought #, wondered #, mused #, reasoned #, pondered #, reflected #",
        not_after="<the>, in, of, no, second, with, any, every, and, deep, free, had, is, are, be, than, of",
    ),
    CueList(
        RecordingCondition.INNER_MONOLOGUE,
        "thought to <self>, thinks to <self>, think to <self>, told <self>, tell~ <self>, telling <self>, "
        "tells <self>, said to <self>, to <self> <someone> said, ask~ <self>, remind~ <self>, promise~ <self>, "
        "assure~ <self>, order~ <self>, cursed <self>, curse~ <self>, scold~ <self>, warn~ <self>, "
        "argued with <self>, in <the> mind #, in <the> mind <someone>, in <the> head #, in <the> own mind, "
        "in <the> own head, inside <the> head, inside <the> skull, inside <the> mind, back of <the> mind, "
        "back of <the> head, cross~ <the> mind, flash~ through <the> mind, ran through <the> mind, "
        "went through <the> mind, went through <the> head, ran through <the> head, passed through <the> mind, "
        "came into <the> mind, thought came to, thought struck, thought was, thought ran, thought flashed, "
        "the thought that came, first thought, only thought, inwardly, inner voice, voice within, voice inside, "
        "small voice ... mind, silently pray~, silently ask~, silently curse~, silently beg~, prayed silently, "
        "pray~ silently, begged silently, cursed silently, silently counted, silently told, silently rehears~, "
        "only in thought, thought <soft> #, thought <weighty> #, thought <hurried> #, thought <easy> #, "
        "thought <lively> #, thought <ironic> #, thought <dull> #, thought again #, thought suddenly, "
        "thought then #, thought now #, thought with <the>, thought as <someone>, realised #, realized #, prayed #, "
        "resolved #, vowed to <self>, swore to <self>, vowed silently, swore silently, in <the> heart <someone>, "
        "in <the> heart of hearts, <the> heart whispered, <the> heart cried, <the> conscience, <the> mind screamed, "
        "<the> mind raced, <the> mind was racing, kept it to <self>, kept that to <self>, not out loud, left unsaid, "
        "unsaid, to <self> alone, spoke only to <self>, mouthed no, speculated #, kept the thought, "
        "kept that thought, said nothing aloud, not say it aloud, didn't say it aloud, not say so aloud, "
        "not speak it aloud, never said it aloud, not aloud, without saying it aloud, words ... unspoken, "
        "unspoken words, rehears~ ... in <the> head, it occurred to, occurred to <whom>, said mentally, "
        "was thinking #, private thoughts, <the> thoughts ran, <the> thoughts raced, wondered silently, "
        "wondered to <self>, mused to <self>, reflected to <self>, talking to <self> in <the> head",
    ),
    CueList(
        RecordingCondition.PHONE,
        "over <the> <device>, over <the> ... <device>, into <the> <device>, into <the> ... <device>, "
        "down <the> <phone>, down <the> ... <phone>, down the wire, over the wire, down the line, along the wire, "
        "over the line, over the air, through <the> <device>, through <the> ... <device>, via <device>, "
        "via <the> <device>, on <the> <phone>, on <the> ... <phone> #, by telephone, by phone, by radio, "
        "on the radio, on the intercom, on the tannoy, on <the> headset, on the speaker, on speaker, "
        "on speakerphone, on the loudspeaker, on the walkie talkie, on loudspeaker, on the wireless, "
        "on a video call, on a call, on the answering, on the voicemail, in <the> earpiece, in <the> headset, "
        "in <the> headphones, in <the> earphones, in <the> earbuds, <the> earbuds in, <the> headset on, "
        "<sound> ... from <the> ... <device>, <sound> ... out of <the> ... <device>, <sound> on the line, "
        "<sound> on the screen, <device> ... crackle~, <device> ... squawk~, <device> said, <device> announced, "
        "<device> click~ on, dial tone, phone call, telephone call, telephone conversation, phone conversation, "
        "<phone> pressed, <phone> clamped, <phone> wedged, <phone> between, <phone> jammed, "
        "spoke on the ... <phone>, speaking on the ... <phone>, a click on the line, voice on the line, "
        "came on the line, on the line #, on the line from, in <the> ear a voice, crackled in <the> ear, "
        "crackl~ through the, air waves, airwaves, voice message, voice note, voice memo, on the tape, "
        "tape recorder, the recording, recorded announcement, gramophone, mission control, radio operator, "
        "radio room, face on the ... screen, face on the monitor, face filled the screen, face ... the monitor, "
        "voice from the ... radio, <device> came on, <device> came alive, <device> ... to life, intercom, tannoy, "
        "loudspeaker, loudspeakers, megaphone, bullhorn, machine clicked on, machine beeped, machine picked up, "
        "after the beep, after the tone, at the beep, answering machine, answerphone, voicemail, voice mail, "
        "left a message, leave a message, recorded message, recorded voice, pick~ up <the> ... <phone>, picked up #, "
        "picked up on the, snatch~ up <the> ... <phone>, snatch~ <the> ... <phone>, grab~ <the> ... <phone>, "
        "lift~ <the> ... <phone>, took up <the> ... <phone>, reach~ for <the> ... <phone>, seiz~ <the> ... <phone>, "
        "took <the> ... <phone> from, <phone> off <the> hook, <phone> from <the> hook, wind in the wire, "
        "wind in the wires, hum~ in the wire, crackl~ in the wire, <sound> in the wire, silence in the wire, "
        "unhook~ <the> ... <device>, answer~ <the> ... <phone>, answer~ on the ... ring, on the first ring, "
        "on the second ring, on the third ring, on the fourth ring, on the fifth ring, took the call, "
        "take~ the call, accept~ the call, made a call, made the call, place~ a call, placed the call, "
        "return~ the call, answered the call, returned ... call, dial~ ... number, dialed, dialled, phoned, "
        "telephoned, phoning, telephoning, radioed, radioing, rang <whom>, rang his, rang her sister, "
        "rang her mother, rang her, rang up, rang home, rang the office, rang the police, rang back, "
        "ring~ <whom> up, called <whom> up, called home from, called in from, calling from, called long distance, "
        "press~ <the> ... talk, press~ <the> ... intercom, key~ <the> ... mike, keyed <the> ... mic, "
        "thumb~ <the> ... <device>, press~ <the> transmit, push~ to talk, <phone> to <the> ear, "
        "<phone> ... <the> ear, <phone> ... ear #, <phone> ... shoulder, receiver ... ear, other end of the line, "
        "other end of the phone, other end of the call, end of the line, on the other end, at the other end #, "
        "far end of the line, video call, video link, video chat, video conference, conference call, "
        "face ... on the screen, face appeared on, face ... on <the> laptop, face ... on <the> phone, webcam, "
        "facetime, skype, skyped, patched through, put ... through to, public address, ship's speaker, "
        "cabin speakers, dispatcher, tinny voice, tinny, voice ... tinny, call connected, call went through, "
        "call came through",
    ),
    CueList(
        RecordingCondition.NOISY,
        "over the <racket>, over the ... <racket>, above the <racket>, above the ... <racket>, against the <racket>, "
        "against the ... <racket>, amid the <racket>, amid the ... <racket>, amidst the ... <racket>, "
        "beneath the ... <racket>, through the <racket>, through the ... <racket>, in the din, in the uproar, "
        "in the tumult, in the hubbub, in all that noise, in the racket, in the noise, with all that noise, "
        "over all that noise, <speak> ... over the ... <weather>, <speak> ... above the ... <weather>, "
        "<speak> ... through the ... <weather>, <speak> ... against the ... <weather>, "
        "<speak> ... into the ... wind, voice ... over the ... <weather>, voice ... above the ... <weather>, "
        "voice ... through the ... <weather>, voice ... against the ... <weather>, heard ... over the ... <weather>, "
        "heard ... above the ... <weather>, raised <the> voice against, raising <the> voice over, "
        "raised <the> voice over, raised <the> voice above, raised <the> voice to be heard, to be heard, "
        "make <self> heard, made <self> heard, making <self> heard, hardly be heard, barely be heard, "
        "scarcely be heard, could hardly hear, could barely hear, could scarcely hear, hear <self> speak, "
        "hear <self> think, drown~ ... voice, drowned out, drowning out, drowned by, drowned in, drown~ ... words, "
        "drowned his, drowned her, conversation ... impossible, impossible to hear, impossible to talk, "
        "<noisy> <resound>, <noisy> ... <resound>, deafening, ear splitting, bombardment, barrage, artillery, "
        "shellfire, grenades, explosions, bullets flew, bullets whined, bullets whistled, battle raged, "
        "in the thick of battle, in the heat of battle, in the midst of battle, people were shouting, "
        "people shouting, people were screaming, people screaming, children screaming, children were screaming, "
        "all around <whom> ... shouting, all around ... shouted, all around ... yelling, stamped <the> feet, "
        "stamping <the> feet, stamping feet, machines were running, machines running, engines were running, "
        "engines running, engine running, engine was running, motor running, rotors turning, music was pounding, "
        "music pounded, music blasted, music thudded, music thundered, wind tore, wind whipped, wind snatched, "
        "wind tugged, gale tore, storm raged, storm was at its, waves crashed, waves broke, waves pounded, "
        "surf pounded, crowded bar, crowded pub, packed hall, packed bar, dance floor, nightclub, factory floor, "
        "cup~ <the> ear, hand to <the> ear, lean~ close to be heard, mouth to <the> ear to, so much noise, "
        "such a noise, such a racket, terrible noise, infernal noise, the noise of <the> ..., brass band, "
        "marching band, steam hammer, jackhammer, pneumatic drill, chainsaw, vacuum cleaner, hair dryer, "
        "applause broke, applause filled, laughter and shouting, noisy, clamorous, thunderous, cacophony, "
        "pandemonium, bedlam, uproar, hubbub, full blast, at full volume, music was loud, music was so loud, "
        "full of noise, crack of rifles, crash of guns, roar of <the>, roar of ..., rattle of ... fire, "
        "rattle of ... guns, gunfire, machine gun fire, under fire, bursting shells, clash of steel, "
        "clash of swords, thunder of, everyone ... yelling, everyone ... shouting, everybody ... shouting, "
        "everybody ... talking at once, everyone ... talking at once, all talking at once, all shouting at once, "
        "the crowd ... wild, wolf whistles, <the> pub was loud, <the> bar was loud, loud music, blaring",
        not_after="quiet, distant, soft, faint",
    ),
    CueList(
        # How it sounded: heard from afar, through something, or with an echo. Where somebody calls from is no sound.
        RecordingCondition.FAR_FIELD,
        "<sound> ... from far, <sound> ... up from, <sound> ... in from, <sound> ... down from, from far ... <sound>, "
        "from somewhere ... <sound>, <sound> ... across <the> <wide>, <sound> ... across <the> ... <wide>, "
        "<say> ... through <the> <barrier>, <say> ... through <the> ... <barrier>, "
        "<speak> ... through <the> ... <barrier>, <sound> ... through <the> ... <barrier>, "
        "<sound> ... behind <the> ... <barrier>, <sound> ... beyond <the> ... <barrier>, "
        "through <the> ... <barrier> ... hear, through <the> ... <barrier> ... heard, "
        "through <the> ... <barrier> ... <sound>, through <the> ... <barrier> ... <speak>, "
        "through <the> ... <barrier> came, behind <the> ... <barrier> ... <sound>, "
        "behind <the> ... <barrier> ... argu~, behind <the> ... <barrier> ... quarrel~, "
        "behind <the> ... <barrier> ... talking, behind <the> ... door of ... arguing, behind the closed door, "
        "other side of <the> ... <barrier> ... <sound>, <sound> on the other side of <the> ... <barrier>, "
        "<sound> ... echo~, <say> ... echo~, <sound> ... reverberat~, <sound> ... resound~, <sound> rang through, "
        "<sound> rang out across, <sound> boomed through, <sound> rang ... <hollow>, echo~ through, echo~ off, "
        "echo~ in the ... <hollow>, echo~ under the ... <hollow>, echo~ around the ... <hollow>, echo~ down, "
        "echo~ from, echo~ across, in the distance ... <sound>, in the distance ... <speak>, "
        "<sound> ... in the distance, <speak> ... in the distance, far off ... <sound>, far away ... <sound>, "
        "far below ... <sound>, <sound> ... far away, distant voice, distant voices, distant shout, distant cry, "
        "distant call, far off voice, far off shout, far away voice, faraway voice, faint voice, faint cry, "
        "faint shout, faint call, faint answer, voice was faint, voice came faintly, voice ... faint with distance, "
        "thin with distance, faintly ... <speak>, faintly ... <say>, faintly from, faintly #, muffle~, "
        "voice from <the> next, "
        "voice from upstairs, voice from downstairs, voice from below, voice from above, voice from outside, "
        "voice from somewhere, voice from within, out of the dark ... voice, out of the darkness ... voice, "
        "out of the fog ... voice, somewhere above ... voice, somewhere below ... voice, "
        "through the floorboards, through the ceiling, <sound> ... in the next room, in the next room ... <sound>, "
        "<sound> ... drifted up, <sound> drifted, <sound> ... carried across, <sound> ... carried over, "
        "<sound> floated",
        not_after="<device>",
    ),
    *MANNER,
)

DIRECTIONS = (
    CueList(
        RecordingCondition.INTERMITTENT,
        "breaking up, broken up, cutting out, static, bad connection, bad line, glitching, patchy",
    ),
    CueList(RecordingCondition.INNER_MONOLOGUE, "thinking, thought, thoughts, internal, inner monologue, to <self>"),
    CueList(RecordingCondition.PHONE, "<device>, filtered, on screen, on video, over comms, voice message"),
    CueList(RecordingCondition.NOISY, "over the noise, over the music, over the crowd, over the engine, over noise"),
    CueList(
        RecordingCondition.FAR_FIELD,
        "off #, o s, o . s, os, off screen, offscreen, off stage, offstage, off camera, distant, far off, from afar, "
        "far away, in the distance, from the next room, behind the door, through the door, muffled, echoing",
    ),
    CueList(Rhythm.LOW_PACED, "<soft>, sotto, quiet, hushed, weak, hoarse, sad, tired, weary, broken, tearful"),
    CueList(Rhythm.HIGH_ENERGY, "furious, enraged, loud, angrily, triumphant, ecstatic, ranting"),
    CueList(
        Rhythm.TENSE, "<hurried>, nervous, anxious, panicky, scared, frightened, worried, urgent, tense, hysterical"
    ),
    CueList(Rhythm.HEAVY, "<weighty>, cold, stern, grave, solemn, serious, bitter, threatening"),
    CueList(Rhythm.RELAXED, "<easy>, calm, gentle, tender, soothing, slow, lazy, relaxed, warm"),
    CueList(Rhythm.BRISK, "<lively>, cheerful, happy, excited, bright, eager, delighted, amused"),
    CueList(Intonation.FLAT, "<dull>, flat, toneless, bored, expressionless"),
    CueList(Intonation.CURVED, "<ironic>, teasing, mock, incredulous, scornful"),
    CueList(Intonation.FALLING, "<final>, firm, final, resigned"),
    CueList(Intonation.RISING, "<doubtful>, puzzled, curious, doubtful"),
)
"""Further cues of stage directions."""

ENDED = (
    (
        (RecordingCondition.PHONE, RecordingCondition.INTERMITTENT),
        "hung up, hang up, hangs up, hanging up, rang off, rings off, put down <the> <device>, put the <phone> down, "
        "put <the> <phone> away, replace~ <the> <phone>, set down <the> <phone>, laid down <the> <phone>, "
        "slam~ down <the> <phone>, slammed <the> <phone>, slamming down <the> <phone>, end~ the call, call ended, "
        "call had ended, call was over, line went dead, line had gone dead, line was dead, cut the connection, "
        "switch~ off <the> <device>, turn~ off <the> <device>, turned <the> <device> off, pocket~ <the> <phone>, "
        "the <phone> back in, disconnected, took off <the> headset, pulled off <the> headset, closed the laptop, "
        "line was clear, signal was clear",
    ),
    (
        (RecordingCondition.NOISY,),
        "noise stopped, noise had stopped, noise died, noise ceased, din died, music stopped, music had stopped, "
        "music ended, turn~ down the music, turned down the ..., turn~ off the music, engine died, engine stopped, "
        "engine cut out, cut the engine, storm was over, storm had passed, rain stopped, rain had stopped, "
        "firing stopped, guns fell silent, crowd fell silent, crowd went quiet, silence fell, fell silent, "
        "then silence, applause died, hubbub died, all was quiet, shut the window",
    ),
)
"""Recording conditions that these phrases end."""

NEGATIONS = (
    "didn't, doesn't, don't, wasn't, weren't, isn't, aren't, won't, wouldn't, couldn't, can't, hadn't, haven't, "
    "hasn't, shouldn't, needn't, mustn't, not, never, no, nor, neither, without, cannot, nothing, nobody, none, "
    "instead of, rather than, unable to, refus~ to, refuse~ to, fail~ to, stop~, stopped, wish~, if, as if, "
    "as though, would have, could have, might, may, want~ to, long~ to, tempted to, meant to, mean to, about to, "
    "going to, try~ to, tried to, threaten~ to, promise~ to, plan~ to, urge to, hate~ to, used to, ought to, should, "
    "unless, whether, remember~, like to, need to, needed to, afraid to, hop~ to, hoped to, wished, imagine~, "
    "recall~, dare~, dared, forgot to, forgotten how, resist~, suppress~, swallow~, bit back, fought back, stifle~, "
    "hardly, too tired to, too proud to, decided against, almost, nearly, would, suppos~, supposed, years ago, "
    "last night, yesterday, once upon, before <someone> could, far from"
)
"""After these, as far as the end of the clause, a phrase says what is not so."""

NEXT_NEGATIONS = "less"
"""Right after these, and no farther, a phrase says what is not so."""

NO_NEGATIONS = (
    "not only, could not help, couldn't help, cannot help, can't help, nothing but, no more than, little more than, "
    "not above, hardly above, never rose above, not stop, couldn't stop, could not stop, no sooner, not without, "
    "never stopped, would not stop, no one could hear, not hear, couldn't hear, could not hear, hardly hear, "
    "could hardly, could scarcely, hardly be heard, so that, no doubt, not to be, try to make, why not, "
    "tried to make, need to shout, needed to shout"
)
"""These look like a negation and are none."""
