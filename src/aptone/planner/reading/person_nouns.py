"""Nouns that mean a man or a woman, and capitalised words that are no names."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


WOMEN = _words(
    "mrs ms miss mother mom mum mama mamma grandmother grandma aunt sister daughter wife girl woman lady queen "
    "princess waitress nurse madam madame duchess actress niece widow bride witch nun landlady hostess countess "
    "maid housekeeper"
)
MEN = _words(
    "mr sir father dad papa grandfather grandpa uncle brother son husband boy man gentleman king prince lord duke "
    "nephew monk landlord bishop widower groom waiter priest clergyman parson fellow butler knight baron emperor "
    "lad"
)
NO_NAMES = _words(
    "the a an and but or so then when while as if in on at to of for from with by not no yes oh well i it he she "
    "they we you his her their my our your this that these those there here what who why how where which nobody "
    "somebody everyone everybody someone nothing something mr mrs ms dr sir miss monday tuesday wednesday thursday "
    "friday saturday sunday january february march april may june july august september october november december "
    "god english french german chinese after before behind outside inside later now still only even just one two "
    "three all both each every another suddenly finally slowly chapter book part once again presently meanwhile "
    "perhaps thus yet indeed never nor neither either such some any many few more most other others christ heaven "
    "heavens lord american americans indian indians european paris london england america france christmas easter "
    "at-last"
)
