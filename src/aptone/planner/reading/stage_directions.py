"""What a script says in brackets about how a line is spoken: (whispering), [over the radio], （哭着）, *laughs*."""

import re

STAGE_DIRECTION = re.compile(r"[(（\[［【*＊]([^()（）\[\]［］【】*＊]{1,80})[)）\]］】*＊]")


def stage_directions(text: str) -> tuple[str, ...]:
    """The stage directions in a line, without their brackets.

    >>> stage_directions("(whispering) Come here. [sighs]")
    ('whispering', 'sighs')
    """
    return tuple(match[1] for match in STAGE_DIRECTION.finditer(text))
