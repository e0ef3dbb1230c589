"""Judgments as theorems of Coq: what is printed, which products are found, and what Coq refuses."""

import copy
import json
import re
import shutil
import subprocess
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from sympy import Eq, Ge, Gt, IndexedBase, Integer, Le, Lt, Rational, Symbol, symbols

from pipeline import certify, lemmas
from pipeline.files import core
from pipeline.lemmas import Chapter
from polycore.proof import AXIOMS, Exp, Log, Power, Theorem, apply, arithmetic, coq, i, n, total
from polycore.proof.axioms import f, x
from polycore.proof.coq_terms import (
    PRIME,
    Term,
    divisors,
    fingerprint,
    normal,
    number,
    power,
    put,
    read,
    value,
)
from polycore.proof.coq_terms import symbols as symbols_of
from polycore.proof.products import implied
from polycore.proof.records import Application

pytestmark = pytest.mark.xdist_group("theory")  # Library proves all theorems: one worker does

ROOT = Path(__file__).parents[1]
LEDGER = json.loads((ROOT / "book/results.json").read_text(encoding="utf-8"))
RECORD = json.loads((ROOT / "book/coq.json").read_text(encoding="utf-8"))
y = Symbol("y")


@pytest.mark.parametrize(
    ("statement", "printed"),
    [
        (Ge(x / y, 1), "(x * / y) >= 1"),
        (Ge(x**-2, Integer(1) / 3), "(/ x) ^ 2 >= (1/3)"),
        (Gt(Power(x, y) - n, 0), "(((-1) * IZR n) + Rpower x y) > 0"),
        (Eq(total(f[i] ** 2), f[n - 1]), "Sum (fun i : Z => (f i) ^ 2) n = f ((-1) + n)%Z"),
        (Eq(total(f[i]), Exp(Log(x))), "Sum f n = exp (ln x)"),
        (Gt(Symbol("R"), Symbol("in")), "R_ > in_"),
    ],
)
def test_a_statement_as_coq_reads_it(statement, printed):
    assert str(read(statement)) == printed


def test_terms_are_put_as_coq_puts_them():
    """Nothing is arranged, what is bound stays, and a sequence at an index is its body there."""
    term = read(Eq(total(f[i]) + f[n + 1], x))
    square = Term("fun", (read(f[i] ** 2),))
    there = put(term, {"f": square, "x": read(y + 1)})
    printed = "((f (1 + n)%Z) ^ 2 + Sum (fun i : Z => (f i) ^ 2) n) = (1 + y)"
    assert str(there) == printed
    assert str(put(read(f[i]), {"i": read(n).terms[0]})) == "f n"
    assert str(put(square, {"i": read(n).terms[0]})) == str(square)
    assert str(normal(read(n + 1))) == "(1 + IZR n)"


def test_a_fingerprint_is_below_its_prime():
    """Or a name alone and in a sum of one would be two numbers."""
    names = map(Symbol, "abcdeghjklmopqrstuvwz")
    assert all(0 < fingerprint(read(Exp(name))) < PRIME for name in names)


def test_a_fingerprint_counts_as_arithmetic_does():
    """With remainders by a prime, a quotient too; a sequence is that of its entries."""
    of = lambda e: fingerprint(read(e))
    one, other = of(x), of(y)
    assert PRIME == 2**127 - 1
    assert of(n) == fingerprint(value(n, n))
    assert of(x + y + 2) == (one + other + 2) % PRIME
    assert of(x * y * 3) == one * other * 3 % PRIME
    assert (of(x**3), of(x**-2) * one**2 % PRIME) == (pow(one, 3, PRIME), 1)
    assert (of(Rational(-2, 3)) * 3 + 2) % PRIME == 0 == of(Integer(0))
    assert fingerprint(power(number(0), -1)) == 0  # as in Coq, where 1/0 is 0
    entries = Term("fun", (read(f[i]),))
    assert (
        fingerprint(Term("sequence", name="f")) == fingerprint(entries) != fingerprint(read(f[n]))
    )


def test_what_is_put_for_a_symbol_is_of_its_kind():
    g = IndexedBase("g")
    put_for = [(f, g), (f, g[i]), (f, g[i] ** 2), (n, n + 1), (x, n + 1), (x, y)]
    printed = [str(value(*pair)) for pair in put_for]
    assert printed == ["g", "g", "fun i : Z => (g i) ^ 2", "1 + n", "(1 + IZR n)", "y"]
    assert str(normal(Term("IZR", (value(n, n + 1),)))) == "(1 + IZR n)"


def test_a_power_is_printed_as_coq_writes_it():
    printed = [str(power(read(x), exponent)) for exponent in (1, 2, -1, -2)]
    assert printed == ["x", "x ^ 2", "/ x", "(/ x) ^ 2"]


def test_all_symbols_of_a_statement_are_found_bound_ones_too():
    term = read(Ge(total(f[i] * Power(x, y)), n))
    assert [one.name for one in symbols_of(term)] == ["f", "i", "x", "y", "n", "n"]


def test_divisors_are_what_is_raised_to_negative_powers():
    found = divisors([read(-2 * x / (y * (x - y) ** 2)), power(read(x), 0)])
    assert [*map(str, found)] == ["y", "(x + ((-1) * y))"]


def test_terms_that_differ_in_their_arrangement_alone_have_one_fingerprint():
    shared = [2 * (x + y), 2 * x + 2 * y]
    assert len({fingerprint(read(Exp(one))) for one in shared}) == 1
    assert len({fingerprint(read(total(f[i] * one))) for one in shared}) == 1
    others = [Exp(x), Exp(2 * x), Log(x), Power(x, 2), Power(2, x), f[n], f[n + 1], total(f[i])]
    assert len({*map(fingerprint, map(read, others))}) == len(others)


KNOWN = [Gt(x, 0), Gt(y, 1), Eq(x * Symbol("r"), 1)]


@pytest.mark.parametrize(
    ("goal", "found"),
    [
        (Gt(x + y, 1), []),
        (Ge(x * y, x), [("(y + ((-1) * 1))",)]),
        (Eq(x * Symbol("r") * y, y), [("y",)]),
        (Gt(y, 2), None),
        (Ge(x, y), None),
        (Eq(x, y), None),
    ],
)
def test_products_are_found_where_the_goal_follows_and_not_elsewhere(goal, found):
    made = implied(read(goal), list(map(read, KNOWN)))
    if found:
        assert any(factor in one.factors for one in made for (factor,) in found)
    else:
        assert made == found


def test_a_large_bound_is_not_taken_for_a_contradiction():
    """10^-9 (n - 999999999) >= 0 says -1 >= 0 but for 10^-9 n, and that is within a tolerance."""
    known = [Ge(n, 999999999), Ge(n, 1), Ge(y, 3 * (n + 1) / 2)]
    assert implied(read(Gt(x, 0)), list(map(read, known))) is None


def test_a_square_helps_where_nothing_known_does():
    assert implied(read(Ge(x**2 + y**2, 0)), []) is not None
    assert implied(read(Ge(x**2 - y**2, 0)), []) is None


@pytest.mark.parametrize(
    ("factors", "degree", "squares", "most"),
    [
        (1, 0, 0, 1496),
        (2, 1, 0, 49),
        (2, 2, 0, 34),
        (2, 2, 1, 20),
        (3, 2, 0, 14),
        (3, 3, 0, 11),
        (3, 3, 1, 5),
    ],
)
def test_among_how_many_facts_a_product_is_found(factors, degree, squares, most):
    """A goal that needs so many factors, an equation times such a monomial, and perhaps a square,
    among facts that do not matter: the more it needs, the fewer of them there may be.
    """
    product = x * (y - 1) ** (factors - 1)
    equation = (x * Symbol("r") - 1) * (x * y ** (degree - 1) if degree else 1)
    goal = read(Ge((product + equation + squares * Symbol("z") ** 2).expand(), 0))
    facts = [*map(read, KNOWN), *(read(Gt(Symbol(f"w{k}"), 0)) for k in range(most + 1))]
    assert implied(goal, facts[:-1]) is not None
    assert implied(goal, facts) is None


# What Coq accepted, from the record; it need not be here.


@pytest.fixture(scope="module")
def library():
    return lemmas.Library()


def test_what_coq_accepted_is_what_the_core_says_now(library):
    """One more hypothesis, another constant or another file by hand is another digest."""
    assert RECORD["lemmas"] >= len(library.judgments)
    assert RECORD["core"] == len(library.theorems)
    again = {name: library.digest(name) for name in RECORD["theorems"]}
    assert again == RECORD["theorems"], "run: make certify"


def test_what_coq_accepted_of_the_claims_is_what_they_prove_now():
    """Another statement, or another question to Z3, is another digest."""
    assert RECORD["proved"] == sum(bool(certify.proved_by(claim)) for claim in LEDGER)
    again = {one["id"]: certify.digest_of(one) for one in LEDGER if one["id"] in RECORD["claims"]}
    assert again == RECORD["claims"], "run: make certify"
    for claim in LEDGER:
        if certify.proved_by(claim):
            changed = copy.deepcopy(claim)
            next(one for one in changed["evidence"] if one["kind"] == "proof")["value"] += " "
            assert certify.digest_of(changed) != certify.digest_of(claim)


def test_no_theorem_that_rests_on_an_open_lemma_is_called_accepted(library):
    rest = {
        name
        for name, lemma in library.theorems.items()
        if not RECORD["open"].keys() & library.behind(lemma)
    }
    assert RECORD["theorems"].keys() == rest


def test_every_theorem_of_the_core_is_counted(library):
    """One that says what a step before it says was not."""
    rooms = [vars(import_module(name)) for name in core() if name.startswith(lemmas.ROOM)]
    theorems = [one for room in rooms for one in room.values() if isinstance(one, Theorem)]
    assert library.theorems.keys() == {one.__name__ for one in theorems}


def test_a_room_comes_after_those_that_it_uses(library):
    assert lemmas.rooms().index("sums") < lemmas.rooms().index("variance")
    seen = set()
    for names in library.files.values():
        for name in names:
            assert {*map(library.name, library.judgments[name].made.used)} <= seen
            seen.add(name)


def test_a_chapter_adds_what_no_room_has(library, monkeypatch):
    """With the names of its claims, each lemma after those that it needs, by proof."""
    here = copy.copy(library)
    here.judgments, here.names = {**library.judgments}, {**library.names}
    here.text = here.printed
    one, two = symbols("one two")
    new = apply(AXIOMS["tangent of exp"], {x: one})
    both = arithmetic(Ge(Exp(one) + Exp(two), 2 + one + two), using=[new, apply(new, {one: two})])
    shown = [
        SimpleNamespace(judgment=one, record=lambda what=what: {"value": what})
        for what, one in {"by number": None, "the sum": both}.items()
    ]
    claim = SimpleNamespace(id="a-claim", evidence=shown)
    monkeypatch.setattr(lemmas, "claims", lambda _: [claim, SimpleNamespace(id="no", evidence=[])])
    added = lemmas.added_by(here, "notebooks/one")
    assert added.proofs.keys() == {"a-claim"} and added.proofs["a-claim"].keys() == {"the sum"}
    name = added.proofs["a-claim"]["the sum"]
    assert re.findall(r"^Lemma (\w+) :", added.text, re.MULTILINE) == [*added.uses]
    assert name.startswith("a_claim_1_") and name == [*added.uses][-1]
    before = {*library.judgments}
    for lemma, used in added.uses.items():
        assert {*used} <= before
        before.add(lemma)
    assert lemmas.added_by(here, "notebooks/one").uses == {}  # and not twice


def test_an_open_lemma_is_an_axiom_and_the_others_are_proved():
    text = "".join(
        f"Lemma {name} : x = {name}.\nProof.\n  lra.\nQed.\n\n" for name in ("ONE", "ONE_1")
    )
    assert certify.assumed(text, {}) == text
    kept = text[text.index("Lemma ONE_1") :]
    assert certify.assumed(text, {"ONE": "why"}) == "Axiom ONE : x = ONE.\n\n" + kept


def test_what_rests_on_an_open_lemma_does_at_any_distance():
    uses = {"A": [], "B": ["A"], "C": ["B"], "D": [], "E": ["D", "C"]}
    assert certify.resting(uses, ["B"]) == {"B", "C", "E"}
    assert certify.resting(uses, []) == set()


def test_a_proof_that_is_another_with_few_trials_is_not_recorded(library, monkeypatch, tmp_path):
    """Then Coq would have accepted what the page does not say."""
    record, said = tmp_path / "coq.json", {}
    monkeypatch.setattr(certify, "COQ", record)
    monkeypatch.setattr(certify, "assumptions", lambda *_: [])
    for claim in LEDGER:
        if texts := certify.proved_by(claim):
            said[claim["id"]] = dict.fromkeys(texts, next(iter(library.judgments)))
    assert certify.recorded(library, [], said, {}, {}) is None
    assert json.loads(record.read_text())["claims"].keys() == said.keys()
    record.unlink()
    some = said["lemma-4-1"]
    some["something else"] = some.pop(next(iter(some)))
    assert "lemma-4-1" in certify.recorded(library, [], said, {}, {})
    assert not record.exists()


def test_what_lemmas_rest_on_in_coq_is_read(monkeypatch, tmp_path):
    """As Coq 8.16 prints it."""
    said = "Axioms:\nClassicalDedekindReals.sig_not_dec\n  : forall P : Prop, {P}\nOURS : 1 > 2\n"
    monkeypatch.setattr(certify, "FOLDER", tmp_path)
    monkeypatch.setattr(certify, "run", lambda *_: said)
    assert certify.assumptions(["sums"], ["A", "B"]) == ["OURS"]
    assert "Definition all := (A, B)." in (tmp_path / "Assumptions.v").read_text()


def test_a_chapter_that_fails_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells = [{"cell_type": "code", "metadata": {"tags": []}, "source": "1 / 0"}]
    Path("one.ipynb").write_text(json.dumps({"cells": cells}))
    with pytest.raises(RuntimeError, match=r"one\.ipynb: division by zero"):
        lemmas.claims("one")


def test_without_coq_the_packages_are_named(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert "apt-get install coq libcoq-interval" in certify.certify()


def test_a_lemma_that_coq_refuses_is_named_and_not_recorded(monkeypatch, library, tmp_path):
    """Or the next `make certify` would take it for one that is known to be open."""
    record = tmp_path / "coq.json"
    record.write_text(json.dumps(RECORD))
    answers = iter([{"SUM_ADD": "Error: no"}, {"SUM_EQUAL": "Error: nor this"}, {}])
    monkeypatch.setattr(certify, "COQ", record)
    monkeypatch.setattr(certify, "ENDINGS", tmp_path)  # without those of chapters
    monkeypatch.setattr(certify, "Library", lambda: library)
    monkeypatch.setattr(certify, "printed", lambda _: {})
    for made in "sources", "write_all":  # printing takes minutes
        monkeypatch.setattr(certify, made, lambda *_: None)
    monkeypatch.setattr(certify, "refused", lambda _: next(answers))
    monkeypatch.setattr(shutil, "which", lambda name: name)
    said = certify.certify()
    assert "SUM_ADD: Error: no\nSUM_EQUAL: Error: nor this" in said
    assert json.loads(record.read_text()) == RECORD


def test_the_axioms_are_printed_as_they_are_proved_by_hand():
    by_hand = (ROOT / "certify/Axioms.v").read_text(encoding="utf-8")
    for name, axiom in AXIOMS.items():
        said = f"Lemma axiom_{coq.identifier(name)} : {coq.statement(axiom)}."
        assert said in by_hand, f"certify/Axioms.v does not say: {said}"
    hand = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("certify/*.v"))
    assert not re.search(r"^\s*(Axiom|Parameter|Hypothesis|Admitted)\b|\badmit\b", hand, re.M)


def test_an_ending_by_hand_is_of_a_lemma_and_in_its_proof(library):
    """Those of the chapters are named by their claims; `make certify` knows their lemmas."""
    endings = {path.stem: path.read_text(encoding="utf-8") for path in lemmas.ENDINGS.glob("*.v")}
    of_claims = {coq.identifier(claim["id"]) for claim in LEDGER}
    for name, ending in endings.items():
        assert "admit" not in ending and name not in RECORD["open"]
        if name in library.judgments:
            assert ending in library.text(name)
        else:
            assert re.sub(r"_\d+_\d+$", "", name) in of_claims, name


def test_an_ending_of_no_lemma_is_named(monkeypatch, library, tmp_path):
    """As after a proof has another number of steps."""
    (tmp_path / "lemma_4_1_1_999.v").touch()
    monkeypatch.setattr(certify, "ENDINGS", tmp_path)
    monkeypatch.setattr(certify, "Library", lambda: library)
    monkeypatch.setattr(certify, "printed", lambda _: {})
    monkeypatch.setattr(shutil, "which", lambda name: name)
    assert certify.certify().endswith("not there: lemma_4_1_1_999")


def test_a_file_needs_the_rooms_that_it_uses():
    """Then Coq compiles side by side what can be."""
    uses = {"ONE": [], "TWO": ["ONE"], "TOO": ["TWO"], "LONE": []}
    files = {"a": ["ONE"], "b": ["TWO", "TOO"], "c": ["LONE"]}
    library = SimpleNamespace(files=files, uses=uses.get, text=str.lower)
    added = {
        "Chapter_x": Chapter("x", {}, {"x_1": ["TOO"], "x_2": ["x_1", "LONE"]}),
        "Chapter_y": Chapter("", {}, {}),
    }
    made = certify.sources(library, added)
    needed = {name: re.findall("Import (.*?)\\.\n", text)[1] for name, text in made.items()}
    first = "Prelude Axioms Tactics"
    assert needed == {"a": first, "b": f"{first} a", "c": first, "Chapter_x": f"{first} b c"}
    assert made["b"].endswith("two\ntoo") and made["Chapter_x"].endswith("x")


needs_coq = pytest.mark.skipif(not shutil.which("coqc"), reason="Coq is not on this machine")
HEAD = certify.HEAD.format("Prelude Axioms Tactics")


@pytest.fixture(scope="module")
def by_hand(tmp_path_factory):
    """A folder with the files by hand, compiled."""
    folder = tmp_path_factory.mktemp("coq")
    for name in ("Prelude", "Axioms", "Tactics"):
        shutil.copy(ROOT / f"certify/{name}.v", folder)
        subprocess.run(["coqc", "-Q", ".", "Poly", f"{name}.v"], cwd=folder, check=True)
    return folder


@pytest.fixture(scope="module")
def accepts(by_hand):
    """Whether Coq accepts lemmas after the files by hand."""

    def accepts(*lemmas):
        (by_hand / "Tried.v").write_text(HEAD + "\n".join(lemmas))
        command = ["coqc", "-Q", ".", "Poly", "Tried.v"]
        return not subprocess.run(command, cwd=by_hand, capture_output=True).returncode

    return accepts


def printed(judgment, **changed):
    """A judgment with what is behind it; of the last, something changed that no rule would."""
    names, lemmas = {}, []

    def name(one):
        if one not in names:
            for other in one.made.used:
                name(other)
            names[one] = f"lemma_{len(names)}"
            lemmas.append(coq.lemma(one, names[one], name))
        return names[one]

    for other in judgment.made.used:
        name(other)
    fields = {key: getattr(judgment, key) for key in ("hypotheses", "conclusion", "made")}
    return [*lemmas, coq.lemma(SimpleNamespace(**fields | changed), "last", name)]


@needs_coq
@pytest.mark.slow
def test_coq_refuses_a_constant_a_hypothesis_and_a_substitution_that_are_wrong(accepts):
    """In each case what is printed is changed in one place, and nothing else."""
    a, b = symbols("a b")
    one = apply(AXIOMS["exp of a sum"], {x: a, y: 2 * b})
    assert accepts(*printed(one))
    assert not accepts(*printed(one, conclusion=Eq(Exp(a + 3 * b), Exp(a) * Exp(2 * b))))
    swapped = Application(one.made.lemma, {x: a, y: b}, (), ())
    assert not accepts(*printed(one, made=swapped))
    inverse = apply(AXIOMS["log inverts exp"], {x: a}, [Gt(a, 0)])
    assert accepts(*printed(inverse))
    assert not accepts(*printed(inverse, hypotheses=()))


@needs_coq
@pytest.mark.slow
def test_coq_is_told_what_the_hypotheses_of_a_lemma_follow_from(accepts):
    a, b = symbols("a b")
    positive = arithmetic(Gt(a + b**2, 0), [Gt(a, 1)])
    inverse = apply(AXIOMS["log inverts exp"], {x: a + b**2}, [Gt(a, 1)], [positive])
    *_, last = printed(inverse)
    assert "pose proof (lemma_1 a b h_0)" in last  # that a + b² is positive
    assert accepts(*printed(inverse))


@needs_coq
@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["SUM_AFFINE", "LARGEST_ATOM_LE", "ABOVE_EXCLUDES_BELOW", "ABOVE_ZERO_PAST_SUM"]
)
def test_coq_accepts_a_theorem_with_all_that_is_behind_it(accepts, library, name):
    """By induction, with hypotheses or without, and by cases, of sums and of probabilities."""
    assert accepts(*printed(library.judgments[name]))


@needs_coq
@pytest.mark.slow
def test_coq_accepts_a_judgment_of_which_a_hypothesis_follows(accepts):
    """It is not among what is given, and must be shown of that; in a theorem without an index."""
    a, b = symbols("a b")
    above = arithmetic(Gt(a + b, 1), [Gt(a, 0), Gt(b, 1)])
    known = [Gt(a, 1), Gt(b, 1)]
    lemmas = printed(arithmetic(Gt(a + b + 1, 2), known, [above]))
    assert re.findall(r"assert \(\w+ : (.*)\)", lemmas[-1]) == ["a > 0", "b > 1"]
    assert accepts(*lemmas)


@needs_coq
@pytest.mark.slow
@pytest.mark.parametrize("positive", [True, False])
def test_coq_is_told_the_sign_of_a_divisor_and_what_it_times_its_inverse_is(accepts, positive):
    a, b = symbols("a b")
    over, sign = (Ge(a / b, 1), Gt(b, 0)) if positive else (Le(a / b, 1), Lt(b, 0))
    assert accepts(*printed(arithmetic(over, [Ge(a, b), sign])))


@needs_coq
@pytest.mark.slow
def test_all_lemmas_that_coq_refuses_are_found_at_once(by_hand, monkeypatch):
    """And not those that only rest on one of them."""
    said = {"WRONG": ("1 > 2", "lra"), "RESTS": ("0 > 1", "pose proof WRONG. lra")}
    said |= {"WORSE": ("1 > 3", "no_such_tactic"), "RIGHT": ("2 > 1", "lra")}
    text = "\n".join(
        f"Lemma {name} : {what}.\nProof.\n  {how}.\nQed.\n" for name, (what, how) in said.items()
    )
    (by_hand / "Some.v").write_text(HEAD + "Axiom KNOWN : 1 > 4.\n" + text)
    monkeypatch.setattr(certify, "FOLDER", by_hand)
    found = certify.survey("Some")
    assert found.keys() == {"WRONG", "WORSE"}
    assert all(why.startswith("Error") for why in found.values()), found


@needs_coq
@pytest.mark.slow
def test_coqchk_refuses_a_file_that_was_tampered_with(by_hand, monkeypatch):
    monkeypatch.setattr(certify, "FOLDER", by_hand)
    names = ["Prelude", "Axioms", "Tactics"]
    certify.checked(names)
    whole = (by_hand / "Axioms.vo").read_bytes()
    middle = len(whole) // 2
    spoilt = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    (by_hand / "Axioms.vo").write_bytes(spoilt)
    try:
        with pytest.raises(RuntimeError, match="Axioms"):
            certify.checked(names)
    finally:
        (by_hand / "Axioms.vo").write_bytes(whole)
