"""English sentences of the grammar of reasonings; see `aptone.train.cot.case`."""

from aptone.train.cot.case import Relation, Sentences

ENGLISH = Sentences(
    openings=(
        "",
        "I go through the aspects one after the other.",
        "I set what the plan asks for against what can be heard.",
        "First the plan, then the voice, aspect by aspect.",
        "I listen to the voice and hold it against the plan.",
        "What matters is what the voice does, not what the words say.",
        "Here is how the recording carries out the plan.",
    ),
    contrasts={
        "emotion": {
            "both": (
                "The feeling asked for is “{planned}”; [the voice carries “{heard}”].",
                "The plan wants “{planned}”, and [what comes through is “{heard}”].",
                "Asked for: “{planned}”. [The speaker sounds “{heard}”.]",
                "As to feeling, “{planned}” is called for, while [the delivery is “{heard}”].",
                "With “{planned}” in mind, [I hear “{heard}”].",
                "[The tone of the voice is “{heard}”], where the plan has “{planned}”.",
            ),
            "planned": (
                "The feeling asked for is “{planned}”.",
                "The plan wants “{planned}” in the voice.",
                "As to feeling, “{planned}” is called for.",
            ),
            "heard": (
                "The plan leaves the feeling open; [the voice carries “{heard}”].",
                "No feeling is laid down, and [what comes through is “{heard}”].",
                "[The speaker sounds “{heard}”], with nothing in the plan to hold it against.",
            ),
            "neither": (
                "The plan leaves the feeling open.",
                "Nothing is laid down about the feeling.",
                "As to feeling, the line is free.",
            ),
        },
        "rhythm": {
            "both": (
                "The rhythm should be {planned}; [the line is spoken in a {heard} rhythm].",
                "In pace and stress the plan is {planned}, and [what is heard is {heard}].",
                "[Pace and stress are {heard}]; the plan has {planned}.",
                "For the rhythm the plan says {planned}, while [the speaker keeps a {heard} one].",
                "Planned rhythm: {planned}. [Heard rhythm: {heard}.]",
            ),
            "planned": (
                "The rhythm should be {planned}.",
                "In pace and stress the plan is {planned}.",
                "For the rhythm the plan says {planned}.",
            ),
            "heard": (
                "The rhythm is left open; [the line is spoken in a {heard} one].",
                "[Pace and stress are {heard}], and the plan asks for none in particular.",
            ),
            "neither": ("The rhythm is left open.", "The plan says nothing about pace and stress."),
        },
        "intonation": {
            "both": (
                "The melody should be {planned}; [the pitch is {heard}].",
                "The plan has a {planned} intonation, and [the voice makes a {heard} one].",
                "[Over the line the pitch is {heard}], where {planned} was wanted.",
                "A {planned} contour is planned; [the contour heard is {heard}].",
                "Planned intonation: {planned}. [Heard intonation: {heard}.]",
            ),
            "planned": (
                "The melody should be {planned}.",
                "The plan has a {planned} intonation.",
                "A {planned} contour is planned.",
            ),
            "heard": (
                "The melody is left open; [the pitch is {heard}].",
                "[Over the line the pitch is {heard}], which the plan neither asks for nor rules out.",
            ),
            "neither": ("The melody is left open.", "The plan says nothing about how the pitch moves."),
        },
        "recording_condition": {
            "both": (
                "It should sound like this: {planned}; [it sounds like this: {heard}].",
                "The plan places the voice as “{planned}”, and [the recording is “{heard}”].",
                "[The recording gives “{heard}”]; “{planned}” is what the scene needs.",
                "Planned condition: {planned}. [Heard condition: {heard}.]",
            ),
            "planned": (
                "It should sound like this: {planned}.",
                "The plan places the voice as “{planned}”.",
                "“{planned}” is what the scene needs.",
            ),
            "heard": (
                "Nothing is said about place or channel; [it sounds like this: {heard}].",
                "[The recording gives “{heard}”], and the plan does not mind.",
            ),
            "neither": ("Nothing is said about place or channel.", "The plan leaves place and channel open."),
        },
        "paralinguistics": {
            "both": (
                "Besides the words this is asked for: {planned}; [this can be heard: {heard}].",
                "Wanted besides the words: {planned}; [brought: {heard}].",
                "[Heard besides the words: {heard}.] Wanted: {planned}.",
            ),
            "planned": ("Besides the words this is asked for: {planned}.", "Wanted besides the words: {planned}."),
            "missed": (
                "Besides the words this is asked for: {planned}, but [there are only words].",
                "Wanted besides the words: {planned}; [none of it is heard].",
                "[Nothing but words is heard], although this is wanted: {planned}.",
            ),
            "heard": (
                "No sound besides the words is asked for; [this can be heard: {heard}].",
                "[The speaker adds something: {heard}], which the plan does not mention.",
                "[Heard between the words: {heard}.] Nobody asked for it.",
            ),
            "silent": (
                "No sound besides the words is asked for, and [none is heard].",
                "[There are only words], and nothing else is wanted.",
                "Breaths, sighs or laughter are not called for; [there are none].",
            ),
            "neither": (
                "No sound besides the words is asked for.",
                "The line calls for words only.",
                "Nothing besides the words is planned.",
            ),
        },
    },
    evaluate_judge={
        Relation.SAME: {
            "full": (
                "That is just what was wanted.",
                "The two are one, in kind and in strength.",
                "Nothing to wish for.",
            ),
            "good": (
                "That agrees, if not to the last shade.",
                "The kind is right and the strength nearly so.",
                "It does what was wanted, with small lapses.",
            ),
            "half": (
                "The kind is right, but it stays faint.",
                "It goes the right way and stops half-way.",
                "On paper they agree; in the ear it is only half convincing.",
            ),
            "poor": (
                "The kind is right, yet hardly anything of it arrives.",
                "It agrees in name and is too weak to work.",
                "The intention can be guessed rather than felt.",
            ),
            "none": (
                "It agrees in name only.",
                "What is there is so lifeless that it does not count.",
                "The right label, with nothing behind it.",
            ),
        },
        Relation.NEAR: {
            "full": (
                "A neighbour of what was asked for, and it serves the line fully.",
                "Not the same word, but the same effect.",
                "The difference does the line no harm.",
            ),
            "good": (
                "Close enough to work.",
                "The two are akin, and the line is served well.",
                "A small shift that most listeners would accept.",
            ),
            "half": (
                "Related, but the difference is noticeable.",
                "It comes near and does not arrive.",
                "Half of what was wanted is there.",
            ),
            "poor": (
                "Related at best; little of what was wanted is left.",
                "It leans the right way and no more.",
                "The kinship does not carry far here.",
            ),
            "none": (
                "The kinship does not help: it works against the line.",
                "Near in kind, far in effect.",
                "What was wanted is not to be heard.",
            ),
        },
        Relation.OTHER: {
            "full": (
                "That is something else, and yet it suits the line entirely.",
                "A different choice, and a convincing one.",
                "The plan is not followed here, but the line gains by it.",
            ),
            "good": (
                "That differs from the plan, but it still suits the line.",
                "Another choice than planned, and on the whole a fitting one.",
                "The two differ; the line bears it well.",
            ),
            "half": (
                "The two differ, and it shows.",
                "That departs from the plan and works only in part.",
                "A mismatch that anybody would notice, though not a fatal one.",
            ),
            "poor": (
                "The two hardly go together.",
                "That misses what the line needs.",
                "The departure from the plan is plain and costs a lot.",
            ),
            "none": (
                "The two contradict each other.",
                "That is the opposite of what the line needs.",
                "The plan is ignored, and the line suffers for it.",
            ),
        },
        Relation.OPEN: {
            "full": (
                "It suits the line in every way.",
                "There is nothing to object to.",
                "For this line it is just right.",
            ),
            "good": (
                "It suits the line, with small reservations.",
                "On the whole that serves the line.",
                "Little is amiss here.",
            ),
            "half": (
                "It serves the line only in part.",
                "Some of it suits the line and some does not.",
                "It is neither right nor quite wrong.",
            ),
            "poor": (
                "It does the line little good.",
                "Most of what the line needs is missing.",
                "It hardly suits the line.",
            ),
            "none": (
                "It does not suit the line at all.",
                "It works against the line.",
                "Nothing of what the line needs is there.",
            ),
        },
    },
    naturalness={
        "full": (
            "[The delivery is alive and unforced]: a person who means it.",
            "[The voice sounds natural throughout.]",
            "[Every turn of the voice sounds meant.]",
        ),
        "good": (
            "[The voice sounds natural for the most part], with a stiff moment here and there.",
            "[This sounds like a person], if a slightly careful one.",
            "[The delivery flows], and little sounds made.",
        ),
        "half": (
            "[The delivery is half natural and half recited.]",
            "[Some of it sounds meant, some of it read off.]",
            "[The voice is plain and a little mechanical.]",
        ),
        "poor": (
            "[The voice sounds read off rather than meant.]",
            "[The delivery is stiff, with hardly any life in it.]",
            "[Little of this sounds like a person in that moment.]",
        ),
        "none": (
            "[The voice sounds artificial.]",
            "[Nothing in the delivery sounds meant.]",
            "[This is recited without any life.]",
        ),
    },
    closings={
        "full": (
            "",
            "Taken together, the line is said as its place asks.",
            "The parts support each other, and the line lives.",
        ),
        "good": (
            "",
            "Taken together, the line works, with small faults.",
            "What is amiss does not hurt the line much.",
        ),
        "half": (
            "",
            "Taken together, the direction is right and the faults are audible.",
            "The line is recognisable, and no more than that.",
        ),
        "poor": ("", "Taken together, little of what was planned comes across.", "The faults outweigh what is right."),
        "none": ("", "Taken together, this is not the line that was planned.", "Hardly anything here serves the line."),
    },
)
