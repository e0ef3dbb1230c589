"""What carries the sentences of the findings page: a role that a writer puts around words, and the
page that lists it all.
"""

import re
from pathlib import Path

from companion import Generated, ledger
from docutils import nodes
from overview import cells
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

from polycore.record import MIME

logger = logging.getLogger(__name__)

BLOCK = re.compile(r"^### ([^\n]*)\n```\{finding\} (\S+)\n(.*?)\n```$", re.M | re.S)
ROLE = re.compile(r"\{(on|value|prf:ref)\}`([^`]*)`")
CLOSED = re.compile(r"\{[\w:]+\}`[^`]*`|`[^`]*`|\$[^$]*\$")  # where no sentence ends


def sentences(text):
    """The sentences of a paragraph in MyST, whatever its formulas and roles hold."""
    hidden = []
    masked = CLOSED.sub(
        lambda found: hidden.append(found[0]) or f"\0{len(hidden) - 1}\0", " ".join(text.split())
    )
    parts = re.split(r"(?:(?<=[.!?])|(?<=[.!?][”’)]))\s+", masked)
    return [
        re.sub("\0(\\d+)\0", lambda found: hidden[int(found[1])], part) for part in parts if part
    ]


def names(role, text):
    """The claim and the evidence that a role names: {on}`words <claim > evidence>`, {value}`claim >
    evidence`, {prf:ref}`claim`.
    """
    inner = re.fullmatch(r".*?<(.*)>", text, re.S)[1] if role == "on" else text
    key, _, what = (part.strip() for part in inner.partition(">"))
    return key, what


def carriers(sentence):
    """The claims and evidence that the roles of a sentence name."""
    return [names(role, text) for role, text in ROLE.findall(sentence)]


def evidence(claim, what):
    """The check or the control of that name, or None."""
    checks = {item["what"]: item for item in claim.get("evidence", [])}
    controls = {item["what"]: item["compared"] for item in claim.get("controls", [])}
    return (checks | controls).get(what)


def described(claim, what):
    """That piece of evidence in words: its kind and its name, and of a wrong version that it was
    rejected.
    """
    if (found := evidence(claim, what)) is None:
        return f"not in the ledger: {what}"  # the build has said so, and goes on to find the others
    controls = [item["what"] for item in claim["controls"]]
    return f"{'wrong version, rejected' if what in controls else found['kind']}: {what}"


def found(source, claims, rests):
    """For each finding of the page: its heading, and (row, sentence, what carries it) for each of
    its sentences.

    ``rests``: for each claim, the sentences of its finding with the claims and checks that carry
    them.
    """
    for heading, key, body in BLOCK.findall(source):
        said, _, follows = body.partition("\n\n")
        rows = [
            ("Said", sentence, [(key, "statement"), *carriers(sentence)])
            for sentence in sentences(said)
        ]
        for sentence, carried in rests.get(key, {}).items():
            rows.append(("Verdict", sentence, list(map(tuple, carried))))
        rows += [("Consequence", sentence, carriers(sentence)) for sentence in sentences(follows)]
        yield heading, rows


def unfounded(heading, rows, claims):
    """What is wrong with the sentences of a finding: one that nothing carries, a name that the
    ledger does not have, or a formula in words that become a link.
    """
    for _, sentence, carried in rows:
        for words in re.findall(r"\{on\}`([^`<]*\$[^`<]*)<", sentence):
            yield f"{heading}: “{words.strip()}” holds a formula, which a link shows as its source"
        if not carried:
            yield f"{heading}: nothing carries the sentence “{sentence}”"
        for key, what in carried:
            if (
                key not in claims
                or what not in ("", "statement")
                and evidence(claims[key], what) is None
            ):
                yield f"{heading}: “{sentence}” rests on {key} > {what}, which is not in the ledger"


class OnRole(SphinxRole):
    """{on}`words <claim > evidence>`: words that rest on a piece of evidence, with a link to it."""

    def run(self):
        key, what = names("on", self.text)
        claim = ledger(self.env).get(key, {})
        if evidence(claim, what) is None:
            logger.warning("no evidence %r of %r", what, key, location=self.get_location())
            return [nodes.Text(self.text)], []
        docname, shown = claim["notebook"][:-6], self.text.rpartition(f"<{key}")[0].strip()
        link = nodes.reference(
            "", shown, internal=True, refuri=f"../{docname}.html#{key}", classes=["on"]
        )
        link["reftitle"] = f"{claim['label']}, {described(claim, what)}"
        return [link], []


def rests(env):
    """By claim, the sentences of its finding and what they rest on."""
    emitted = {}
    for notebook in dict.fromkeys(claim["notebook"][:-6] for claim in ledger(env).values()):
        bundles = (
            output.get("data", {}).get(MIME, {})
            for cell in cells(env, notebook)
            for output in cell.get("outputs", [])
        )
        for bundle in bundles:
            emitted |= {key: one["finding"] for key, one in bundle.get("rests", {}).items()}
    return emitted


class Carried(Generated):
    """{carried}: every sentence of the findings page, with the fields of the ledger that it rests
    on.
    """

    def text(self):
        page = Path(self.env.srcdir, "book/findings.md")
        self.env.note_dependency(str(page))
        claims, lines = ledger(self.env), []
        for heading, rows in found(page.read_text(encoding="utf-8"), claims, rests(self.env)):
            for problem in unfounded(heading, rows, claims):
                logger.warning("%s", problem, location=self.get_location())
            lines.append(f"\n## {heading}\n")
            for row, sentence, carried in rows:
                fields = "; ".join(self.field(key, what) for key, what in carried if key in claims)
                lines.append(f"{row}: {sentence}\n: {fields}\n")
        return "\n".join(lines)

    def field(self, key, what):
        if what in ("", "statement"):
            return f"{{prf:ref}}`{key}`, {what or 'verdict'}"
        return f"{{prf:ref}}`{key}`, {described(ledger(self.env)[key], what)}"


def setup(app):
    app.add_role("on", OnRole())
    app.add_directive("carried", Carried)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
