"""Sign sums against the signs themselves, read off the generator's own words."""

import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from polycore.tails import _signs as signs
from polycore.tails import rademacher

GENERATORS = [np.random.PCG64, np.random.SFC64, np.random.Philox, np.random.MT19937]


def plain(f, trials, rng):
    """The documented stream, word by word: Z as Fractions."""
    sums = []
    for start in range(0, trials, 64):
        words = [int(rng.integers(0, 2**64, dtype=np.uint64)) for _ in f]
        sums += [
            sum(Fraction(w) * (2 * (word >> k & 1) - 1) for w, word in zip(f, words))
            for k in range(min(64, trials - start))
        ]
    return sums


@pytest.mark.parametrize("source", GENERATORS)
@pytest.mark.parametrize(("n", "trials"), [(1, 1), (1, 64), (3, 65), (9, 200)])
def test_the_stream_is_the_documented_one(n, trials, source):
    f = np.random.default_rng(n).normal(size=n)
    z = signs.signed_sums(f, trials, np.random.Generator(source(7)))
    exact = plain(f, trials, np.random.Generator(source(7)))
    allowed = (n + 2**8) * Fraction(2) ** -53 * sum(map(Fraction, abs(f)))
    assert z.shape == (trials,) and z.dtype == np.float64
    assert all(abs(Fraction(x) - y) <= allowed for x, y in zip(z.tolist(), exact))


@pytest.mark.parametrize("n", [9999, 10**4])
def test_both_table_sizes_give_the_same_sums(n):
    # weights k/8 with sums below 2^53/8 add without rounding: equality is exact
    f = np.random.default_rng(1).integers(-1000, 1000, n) / 8
    words = np.random.default_rng(2).integers(0, 2**64, n, dtype=np.uint64)
    one = np.array([f @ (2.0 * (words >> np.uint64(k) & np.uint64(1)) - 1) for k in range(64)])
    assert np.array_equal(signs.signed_sums(f, 64, np.random.default_rng(2)), one)


@pytest.mark.slow
def test_machine_code_kept_by_two_processes_works_in_a_third(tmp_path):
    draw = "import numpy as np; from polycore.tails._signs import signed_sums as s; "
    draw += "[s(np.ones(9), 1, np.random.Generator(g(0))) for g in {}]"
    pcg, both = "[np.random.PCG64]", "[np.random.PCG64, np.random.SFC64]"
    for generators in (
        pcg,
        both,
        both,
    ):  # one code; that from the cache and the other; both from there
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
        subprocess.run([sys.executable, "-c", draw.format(generators)], env=environment, check=True)


def test_rounding_stays_within_the_stated_bound():
    n = 12_000
    f = np.random.default_rng(3).lognormal(sigma=8, size=n)
    z = signs.signed_sums(f, 2, np.random.default_rng(4))
    allowed = (n + 2**11) * Fraction(2) ** -53 * sum(map(Fraction, f))
    exact = plain(f, 2, np.random.default_rng(4))
    assert all(abs(Fraction(x) - y) <= allowed for x, y in zip(z.tolist(), exact))
    assert all(
        abs(Fraction(x) - y) > allowed for x, y in zip(z.astype(np.float32).tolist(), exact)
    )  # single precision is seen


@pytest.mark.parametrize("n", [5, 12_000])
def test_every_group_of_64_trials_starts_from_empty_tables(n):
    f = np.random.default_rng(5).integers(-1000, 1000, n) / 8
    whole, rng = signs.signed_sums(f, 700, np.random.default_rng(6)), np.random.default_rng(6)
    assert np.array_equal(
        np.concatenate([signs.signed_sums(f, 64, rng) for _ in range(11)])[:700], whole
    )
    assert np.array_equal(signs.signed_sums(f, 100, np.random.default_rng(6)), whole[:100])


@pytest.mark.parametrize("n", [1, 7, 64, 1001])
def test_norm_leaves_no_weight_out(n):
    f = (-1.0) ** np.arange(n) * 2.0 ** (
        np.arange(n) % 40
    )  # sums of whole numbers below 2^53: no rounding
    assert signs.norm_1(f) == sum(2 ** (i % 40) for i in range(n))


@pytest.mark.parametrize("source", GENERATORS)
@pytest.mark.parametrize(("trials", "words"), [(1, 5), (64, 5), (65, 10)])
def test_64_trials_take_n_words_and_nothing_else(trials, words, source):
    used, skipped = np.random.Generator(source(8)), np.random.Generator(source(8))
    for rng in (used, skipped):
        rng.integers(
            10, dtype=np.int32
        )  # leaves half a word for the next small number, but in MT19937
    rademacher.sample([1.0] * 5, trials, used)
    for _ in range(words):
        skipped.integers(0, 2**64, dtype=np.uint64)
    assert (
        used.integers(10**6, size=9, dtype=np.int32).tolist()
        == skipped.integers(10**6, size=9, dtype=np.int32).tolist()
    )


def test_generator_of_another_increment_and_the_largest_states():
    f, rng = np.arange(1.0, 8.0), np.random.default_rng(9)
    for state, inc in [
        (2**128 - 1, 2**128 - 1),
        (0, 1),
        (2**64 - 1, 2**64 + 1),
        (rng.integers(2**62).item() << 66, 2**127 + 1),
    ]:
        one, two = np.random.default_rng(0), np.random.default_rng(0)
        for made in (one, two):
            made.bit_generator.state = made.bit_generator.state | {
                "state": {"state": state, "inc": inc}
            }
        assert signs.signed_sums(f, 200, one).tolist() == [float(x) for x in plain(f, 200, two)]
        assert one.bit_generator.state == two.bit_generator.state


def test_numba_is_loaded_only_to_draw_signs():
    code = "import sys; from polycore.tails import rademacher; print('numba' in sys.modules)"
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "False\n"
    )
