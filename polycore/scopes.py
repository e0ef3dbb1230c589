"""Scopes: how much of a statement is proved, told from the evidence for each of its parts."""

__all__ = ["SCOPES", "checked", "scope"]

SCOPES = ("proved", "proved-in-part", "tested")
SETTLED = {("proof", True): "Proved", ("exact", False): "Refuted", ("certified", False): "Refuted"}
WEAKER = {"certified": "Certified", "exact": "Computed exactly", "numeric": "Computed", "monte-carlo": "Drawn"}


def checked(label, parts, in_words, evidence):
    """The parts of a statement as pairs (words, names of evidence); ValueError where a name is not that of any evidence.

    What has a proof must say what of it is proved: without parts it is a ValueError too.
    """
    pairs = tuple((words, (names,) if isinstance(names, str) else tuple(names)) for words, names in dict(parts).items())
    known = {item.what for item in evidence}
    for words, names in pairs:
        if not names or (unknown := [name for name in names if name not in known]):
            raise ValueError(f"{label}: the part “{words}” rests on {unknown if names else 'nothing'}; name its evidence, of {sorted(known)}")
    if not pairs and (in_words or any(item.kind == "proof" for item in evidence)):
        raise ValueError(f"{label} has a proof; say in `parts` which part of the statement each piece of evidence settles")
    return pairs


def scope(parts, in_words, evidence, question=False):
    """``is``: one of SCOPES; ``says``: which parts are proved, and how the others are known.

    A part is proved by judgments of the kernel, or refuted by an exact or certified counterexample; `in_words` is what no
    judgment says. Where a check failed that no part names, the statement is not true as it stands, whatever is proved.

    >>> from polycore.evidence import exact
    >>> scope([("1 + 1 = 3", ("sum",))], "", [exact("sum", 1 + 1, equals=3)])
    {'is': 'proved', 'says': 'Refuted: 1 + 1 = 3.'}
    """
    found = {item.what: item for item in evidence}
    groups = {}
    for words, names in parts:
        groups.setdefault(_known([found[name] for name in names]), []).append(words)
    says = [f"{how}: {'; '.join(groups[how])}." for how in ("Proved", "Refuted", *WEAKER.values()) if how in groups]
    says += [f"Argued in words: {in_words}"] if in_words else []
    named = {name for _, names in parts for name in names}
    stands = question or all(item.what in named for item in evidence if item.passed is False)
    settled = groups.keys() & set(SETTLED.values())
    if not (settled and stands):
        return {"is": "tested", "says": " ".join(says)}
    return {"is": "proved" if groups.keys() == settled and not in_words else "proved-in-part", "says": " ".join(says)}


def _known(items):
    """How a part is known: as the weakest piece of evidence for it is."""
    ways = [SETTLED.get((item.kind, item.passed)) or WEAKER.get(item.kind, "Computed") for item in items]
    return max(ways, key=[*SETTLED.values(), *WEAKER.values()].index)
