"""Scopes: how much of a statement is proved, told from the evidence for each of its parts; and what
carries a sentence.

A part, or a sentence, names the evidence that it rests on: a check of its own claim by its name,
one of another claim as ``"lemma-4-1 > n₀, sharp variance"``. The build refuses a name of another
claim that the ledger does not have.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from polycore.evidence.kinds import Evidence
from polycore.record import ELSEWHERE

__all__ = ["SCOPES", "checked", "named", "scope"]

SCOPES = ("proved", "proved-in-part", "tested")
SETTLED = {("proof", True): "Proved", ("exact", False): "Refuted", ("certified", False): "Refuted"}
WEAKER = {
    "certified": "Certified",
    "exact": "Computed exactly",
    "numeric": "Computed",
    "monte-carlo": "Estimated",
}

Pairs = tuple[tuple[str, tuple[str, ...]], ...]  # words, and the names of what carries them
Names = str | Iterable[str]
Said = Mapping[str, Names] | Iterable[tuple[str, Names]]


def named(label: str, said: Said | str | None, known: Collection[str]) -> Pairs:
    """{words: names} as pairs of words with a tuple of names.

    ValueError for words that rest on nothing or on a check that is not among ``known``, TypeError
    for words without names.

    >>> named("Sum", {"One and one is two.": "sum"}, {"sum"})
    (('One and one is two.', ('sum',)),)
    """
    if isinstance(said, str) and said:
        raise TypeError(
            f"{label}: “{said}” names no evidence; give {{words: name of the evidence that "
            f"carries them}}"
        )
    pairs = tuple(
        (words, (names,) if isinstance(names, str) else tuple(names))
        for words, names in dict(said or {}).items()
    )
    for words, names in pairs:
        if not names or (
            unknown := [name for name in names if name not in known and ELSEWHERE not in name]
        ):
            raise ValueError(
                f"{label}: “{words}” rests on {unknown if names else 'nothing'}; name its "
                f"evidence, of {sorted(known)}"
            )
    return pairs


def checked(
    label: str, parts: Said | str | None, in_words: str, evidence: Sequence[Evidence]
) -> Pairs:
    """The parts of a statement as ``named`` gives them; ValueError where there is a proof, and
    nothing says what it proves.
    """
    pairs = named(label, parts, {item.what for item in evidence})
    if not pairs and (in_words or any(item.kind == "proof" for item in evidence)):
        raise ValueError(
            f"{label} has a proof; say in `parts` which part of the statement each piece of "
            "evidence settles"
        )
    return pairs


def scope(
    parts: Pairs | Sequence[tuple[str, Sequence[str]]],
    in_words: str,
    evidence: Sequence[Evidence],
    question: bool = False,
) -> dict[str, str]:
    """``is``: one of SCOPES; ``says``: which parts are proved, and how the others are known.

    A part is proved by judgments of the kernel, its own or those of other claims, or refuted by an
    exact or certified counterexample; `in_words` is what no judgment says. Where a check failed
    that no part names, the statement is not true as it stands, whatever is proved.

    >>> from polycore.evidence import exact
    >>> scope([("1 + 1 = 3", ("sum",))], "", [exact("sum", 1 + 1, equals=3)])
    {'is': 'proved', 'says': 'Refuted: 1 + 1 = 3.'}
    """
    found = {item.what: item for item in evidence}
    groups: dict[str, list[str]] = {}
    for words, names in parts:
        groups.setdefault(_known([found.get(name) for name in names]), []).append(words)
    says = [
        f"{how}: {'; '.join(groups[how])}."
        for how in ("Proved", "Refuted", *WEAKER.values())
        if how in groups
    ]
    says += [f"Argued in words: {in_words}"] if in_words else []
    settling = {name for _, names in parts for name in names}
    stands = question or all(item.what in settling for item in evidence if item.passed is False)
    settled = groups.keys() & set(SETTLED.values())
    if not (settled and stands):
        return {"is": "tested", "says": " ".join(says)}
    return {
        "is": "proved" if groups.keys() == settled and not in_words else "proved-in-part",
        "says": " ".join(says),
    }


def _known(items):
    """How a part is known: as the weakest piece of evidence for it is. What is elsewhere is a
    proof, or the build refuses it.
    """
    ways = [
        SETTLED.get((item.kind, item.passed)) or WEAKER.get(item.kind, "Computed")
        if item
        else "Proved"
        for item in items
    ]
    return max(ways, key=[*SETTLED.values(), *WEAKER.values()].index)
