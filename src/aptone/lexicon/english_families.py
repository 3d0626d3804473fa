"""Families of English words that stand for each other in the phrases of `english_cues`."""

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
