"""Words that readers took for a translation stay out of the prose: the field has terms for them.

The left column is what is banned, as a pattern; the right one is what to write. A word that is
right in another sense is banned only beside what gives its sense away.
"""

import io
import json
import re
import token
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
INSTEAD = {
    # English word order
    r"\b(Meant|Listed|Shown|Left|Wanted|Asked|Said) (is|are)\b": "the subject first",
    r"\bis no (\w+ )?(limit|vector|number|integer|polynomial)\b": "is not a",
    r"\bis no (\w+ )?(function|relation|proof|matrix)\b": "is not a",
    r"\bnot one of two\b": "but some 2 × 2 minor does not",
    r"\bfor so many of\b": "for this many",
    r"\bto no more than that\b": "no choice exceeds that",
    r"\bmakes \S+ to\b": "maps … to …",
    r"\bdo, but for one\b": "all but one do",
    r"\bis the larger one in\b": "is larger in",
    r"\bless than nine of ten\b": "fewer than 90 %",
    r"\bas seldom as\b": "with at most the probability",
    r"\bmust be 2\b": "must be to base 2",
    r"\b(by|on) another road\b": "by an independent computation",
    r"\ba spike before\b": "a spike against a background of",
    r"\bThe \w+ \w+ we (use|take|need|draw)\b": "we use the …",
    r"\bare checked before any work\b": "nothing: the cell says it",
    # the field's terms
    r"\bwhole numbers?\b": "integer",
    r"\blaws? of (the|a|its|this|each|one|every) (\w+ )?(sum|column)": "distribution",
    r"\b(tilted|exact|discrete|normal|binomial|same) laws?\b": "distribution",
    r"\bby class(es)?\b": "with multiplicities",
    r"\bfalse[ -]pass(es)?\b": "false acceptance (type II)",
    r"\bfalse[ -]alarms?\b": "false rejection (type I)",
    r"\bladders?\b": "hierarchy of tail bounds",
    r"\brungs?\b": "level",
    r"\btwo halves\b": "meet in the middle",
    r"\bpart \S+ of itself\b": "relative error",
    r"\b[Ww]hat a layer collects\b": "the sufficient statistics of a layer",
    r"\bsift(s|ed|ing)?\b": "refine",
    r"\bstretch(es)?\b": "panel",
    r"\boctaves?\b": "power of two",
    r"\b(un)?heard\b": "fires, or is silent",
    r"\b(signs|columns?|network|networks|sum|head) (that )?(sees?|hears?|notices?)\b": "fires",
    r"\b(is|are|was|be) (seen|noticed) by (the|a|one|its|many|m|several|random)": "makes … fire",
}
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md")]
PAGES += sorted(ROOT.glob("book/*.md")) + sorted(ROOT.glob("notebooks/*.ipynb"))
PAGES += sorted(ROOT.glob("polycore/**/*.py")) + sorted(ROOT.glob("pipeline/*.py"))
SAID = {"STRING", "COMMENT", "FSTRING_MIDDLE"}  # in a program: docstrings, messages, comments


def prose(path):
    """A page as lines: all of it, of a notebook also the code, of a program what it says."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        text = "\n".join(one.string for one in tokens if token.tok_name[one.type] in SAID)
    if path.suffix == ".ipynb":
        text = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    return text.splitlines()


def calques(lines):
    for line in lines:
        for pattern, better in INSTEAD.items():
            if found := re.search(pattern, line):
                yield f"“{found[0]}”: {better} | {line.strip()[:90]}"


def test_no_page_reads_as_translated():
    found = [f"{path.stem}: {each}" for path in PAGES for each in calques(prose(path))]
    assert not found, "\n".join(["", *found])


def test_a_program_is_read_where_it_speaks(tmp_path):
    program = tmp_path / "program.py"
    program.write_text('def sift():\n    """A ladder."""\n    return f"a rung: {k}"  # heard\n')
    assert len([*calques(prose(program))]) == 3


@pytest.mark.parametrize("pattern", INSTEAD)
def test_every_pattern_can_match(pattern):
    """A pattern that matches nothing bans nothing: a plain instance of each is found."""
    plain = re.sub(r"\\b|\(\?i\)", "", pattern)
    plain = re.sub(r"\(([^()|]*)(\|[^()]*)?\)\??", r"\1", re.sub(r"\(([^()]* )?\)\?", "", plain))
    plain = re.sub(r"\(([^()|]*)(\|[^()]*)?\)\??", r"\1", plain)
    plain = plain.replace(r"\S+", "x").replace(r"\w+", "word").replace("[Ww]", "W")
    plain = plain.replace("[ -]", " ").replace("s?", "").replace("?", "")
    assert list(calques([f" {plain} "])), plain
