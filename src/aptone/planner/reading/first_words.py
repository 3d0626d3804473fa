"""Words with a capital that stand where a name may, at the beginning of a sentence or of a call, and are none."""

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FIRST_WORDS = _words(
    "rain snow wind fog mist smoke dust sunlight moonlight daylight darkness night morning evening afternoon noon "
    "midnight dawn dusk spring summer autumn winter thunder lightning silence laughter music traffic water blood "
    "tears sweat steam light lights lamps candles flames fire shadows footsteps voices hands eyes heads faces lips "
    "shoulders fingers knees feet tyres tires brakes wheels engines doors windows curtains chairs tables glasses "
    "plates cups bottles papers pages letters photographs pictures cameras phones bells sirens alarms horns drums "
    "trumpets birds gulls crows pigeons sparrows dogs cats horses cows sheep bees flies wasps leaves trees branches "
    "flowers roses grass stones rocks waves clouds stars dinner lunch breakfast supper tea coffee bread soup wine "
    "beer milk sugar salt cake toast work school church court class home life death love hope fear pain grief joy "
    "anger time money business nothing everything anything something nobody everybody anybody somebody everyone "
    "anyone someone none half most much little less least plenty several both neither either whoever whatever "
    "whichever wherever whenever however although though because since unless until till whether whereas whereupon "
    "therefore otherwise instead besides beyond beneath below above across along around among against between during "
    "despite except inside outside into onto over under through throughout toward towards upon within without up "
    "down out off back away ahead apart aside together alone almost already always also often sometimes seldom "
    "rarely usually soon sooner later early late today tonight tomorrow yesterday maybe perhaps please thanks thank "
    "sorry okay ok right sure fine good great bad worse worst better best hello hi hey goodbye bye welcome cheers "
    "congratulations look listen wait stop come go run sit stand get take give let make keep put see tell say ask "
    "think know mind watch hold open close shut turn leave stay try stick quiet hush enough careful easy true false "
    "wrong strange odd funny poor dear old young new long short big small high low far near next last first second "
    "third four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand people men "
    "women children boys girls guests others strangers soldiers passengers neighbours neighbors students workers "
    "someone's nobody's upstairs downstairs indoors outdoors overhead somewhere anywhere everywhere nowhere left "
    "north south east west scene act interior exterior day room hall kitchen street house ladies gentlemen boss "
    "darling sweetheart honey mate man boy girl sir madam ma'am doctor nurse officer chef waiter captain professor "
    "miss are is was were do does did has have had can could will would shall should may might must am been being "
    "done gone said only even just still again never ever not no yes yeah yep nope nah oh ah aha ha hm hmm huh um uh "
    "er ugh ouch ow wow well now then there here this that these those so too very quite rather such what who whom "
    "whose which why how when where once twice god jesus christ heavens goodness gosh damn hell"
)
"""Words that begin sentences often, or stand alone between commas, and are no names."""

_NO_NAME_ENDING = re.compile(r"(?:ing|ly|ness|tion|ment|ever|thing|where|wards?|ful|less|ous)$")


def is_first_word(word: str) -> bool:
    """Return true if a word with a capital at the beginning of a sentence is hardly a name.

    >>> is_first_word("Rain"), is_first_word("Slowly"), is_first_word("Peter")
    (True, True, False)
    """
    plain = word.casefold().replace("’", "'")
    return plain in FIRST_WORDS or "'" in plain or _NO_NAME_ENDING.search(plain) is not None
