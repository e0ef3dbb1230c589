"""WordPiece, as BERT cuts text into tokens.

A text becomes words: in lower case, without accents and control characters, each punctuation mark
and each Chinese character by itself. A word is cut from the left, each time by the longest part in
the vocabulary; a part that does not begin the word is written with ## before it. A word that cannot
be cut to its end is unknown as a whole. Wu et al., Google's Neural Machine Translation System
(2016); Devlin et al., BERT (2019).
"""

import re
import unicodedata
from collections.abc import Sequence

__all__ = ["WordPiece", "words"]

UNKNOWN, FIRST, LAST = "[UNK]", "[CLS]", "[SEP]"
LONGEST = 100  # characters of a word; a longer one is unknown
CHINESE = re.compile(
    r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0002a6df\U0002a700-\U0002ceaf\U0002f800-\U0002fa1f]"
)
SYMBOLS = frozenset("$+<=>^`|~")  # in ASCII, and punctuation for BERT though not for Unicode


class WordPiece:
    """A vocabulary, in which a token is the place of a word or of a part of one."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.vocabulary = list(vocabulary)
        self.places = {part: place for place, part in enumerate(vocabulary)}

    def encode(self, text: str) -> list[int]:
        """The tokens of a text, between those of its beginning and its end.

        >>> WordPiece(["[UNK]", "[CLS]", "[SEP]", "un", "##do", "##ne"]).encode("Undone unto")
        [1, 3, 4, 5, 0, 2]
        """
        inner = [part for word in words(text) for part in self._parts(word)]
        return [self.places[part] for part in (FIRST, *inner, LAST)]

    def _parts(self, word):
        found: list[str] = []
        rest = word
        while rest:
            cuts = (("##" if found else "") + rest[:k] for k in range(len(rest), 0, -1))
            longest = next((part for part in cuts if part in self.places), None)
            if longest is None or len(word) > LONGEST:
                return [UNKNOWN]
            found.append(longest)
            rest = rest[len(longest) - 2 * (len(found) > 1) :]
        return found


def words(text: str) -> list[str]:
    """The words of a text, as the module says.

    >>> words("Ça va, naïve one?")
    ['ca', 'va', ',', 'naive', 'one', '?']
    """
    kept = (one for one in text if one in "\t\n\r" or not _dropped(one))
    plain = (one for one in unicodedata.normalize("NFD", "".join(kept)) if _kind(one) != "Mn")
    return "".join(f" {one} " if _alone(one) else one.lower() for one in plain).split()


def _kind(letter):
    return unicodedata.category(letter)


def _dropped(letter):
    return _kind(letter) in ("Cc", "Cf", "Co") or letter == "\ufffd"


def _alone(letter):
    return _kind(letter)[0] == "P" or letter in SYMBOLS or CHINESE.match(letter)
