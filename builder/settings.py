"""Every number of ranking that is a choice. They travel in the manifest; a reader has none of its own.

Chosen on the eval questions for FastAPI, Material for MkDocs and Python's manual together
(`nearpage eval`); differences of 0.01 in nDCG@10 between neighbouring settings are noise there.
"""

from nearpage.builder.fusion import FusionParameters
from nearpage.builder.manifest import LightWords

K1 = 2.0
COVERAGE = 0.8
FIELD_WEIGHTS = (4.0, 2.0, 2.0, 1.0, 1.0)
"""Of title, path, heading, body, code."""
FIELD_NORMALISATIONS = (0.3, 0.3, 0.3, 0.5, 0.5)
FUSION = FusionParameters(k=60, depth=100, lexical_support=0.3, vector_support=0.2)
PROJECTED_BITS = 2
"""A number of a vector, if the encoder has a projection, which centres and evens out its vectors."""
BITS = 4
"""If it has none: two would then cost quality."""
LIGHT_SHARE = 0.25
"""Of a query's vector, where queries have a smaller model than passages: two that err otherwise err less."""
LIGHT_FEWEST = 5
"""Times that a piece stands in a site's passages before its light table keeps it."""
CHANGELOG_BOOST = 0.4
"""Of pages that tell what changed, on top of their owner's boost."""
LIGHT_WEIGHT = 0.3
LIGHT_WORDS = {
    "en": (
        "a about all also am an and any are as at be been being but by can cannot could did do does for from "
        "had has have how i if in into is it its may me might must my no not of on or our shall should so "
        "than that the their them then there these they this to unable us was we were what when where which "
        "while who whom why will with would you your"
    ),
}
"""Words that say little about what is asked, by primary language subtag. They are indexed like any other."""


def light_words(language: str) -> LightWords:
    """The light words of a language tag; none where there is no list."""
    words = LIGHT_WORDS.get(language.split("-", maxsplit=1)[0].lower(), "").split()
    return LightWords(LIGHT_WEIGHT, tuple(words))
