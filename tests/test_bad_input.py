"""Bad input, every kind of it in every public function that could be given it: a clear error before
any work.
"""

import inspect
import re
import signal
import traceback
import warnings
from fractions import Fraction

import numpy as np
import pytest

from polycore import checks, montecarlo, tails, thresholds
from polycore.models import attention, datasets, network
from polycore.tails import bounds, inversion, rademacher


def seeded():
    return np.random.default_rng(0)


TAIL = {"f": [0.5, 0.3, 0.2], "t": 0.1, "counts": None}
AT = {"member": datasets.two_level(5, 2), "kappa": 0.4}
COUNT = {"successes": 1, "trials": 4}
RATES = {"false_alarm": 0.1, "false_pass": 0.1}
LEMMA = {
    "kappa": "0.4",
    "delta": "0.1",
    "k": 1,
    "tolerance": "0.1",
    "variance": "sharp",
    "prefactor": 2,
}
# every public function with arguments that it takes; rademacher.sample has its tests in test_signs,
# network.any_column and no_column in test_self_attention: they take a Tail
GOOD = {
    rademacher.enumerate_tail: {"f": [0.5, 0.25], "t": 0.1},
    rademacher.two_class_tail: {"f": [0.5], "counts": [3], "t": 0.1},
    rademacher.above: {"count": 3, "limit": 0.5},
    rademacher.tail: TAIL | {"terms": None, "width": 1e-3},
    rademacher.certified_tail: {"f": [0.5, 0.3], "t": 0.1, "counts": [1, 2], "width": 1e-3},
    rademacher.weights: {"f": [0.5, 0.5], "counts": [1, 2], "t": 0.1},
    tails.log_hoeffding: {"squared_norm": 0.1, "t": 0.1},
    tails.hoeffding: TAIL,
    tails.bentkus_dzindzalieta: TAIL,
    tails.chernoff: TAIL,
    tails.log_chernoff: TAIL,
    tails.saddlepoint: TAIL,
    tails.decide_estimate: {
        "seen": tails.Estimate(0.1, 0.2, "", "estimated", 0.15, 0.1, 10, 1e-6),
        "low": 0.1,
        "high": 0.2,
        "standard_errors": 10,
    },
    tails.importance_sample: {
        "f": [0.5, 0.3],
        "t": 0.1,
        "draws": 10,
        "rng": seeded(),
        "counts": None,
        "error": 1e-6,
    },
    inversion.inversion: TAIL | {"width": 1e-3, "factors": 2**30},
    inversion.ball_tail: {"f": 1 / np.arange(20, 80) ** 0.5, "t": 4.0, "counts": None},
    network.relu: {"z": [0.1]},
    network.shifted_relu: {"z": [0.1], "tau": 0.1},
    network.columns: {"n": 5, "delta": 0.1, "C": 2},
    network.rademacher_columns: {"n": 2, "m": 3, "rng": seeded()},
    network.f_poly: {"weights": [0.5, 0.5], "y": [[1], [1]], "tau": 0.1},
    attention.degree: {"kappa": 0.4, "n": 5},
    network.fires: {"weights": [0.5, 0.5], "m": 2, "tau": 0.1, "counts": None, "width": 1e-5},
    network.one_column_at: AT | {"t": 0.1, "width": 1e-5},
    network.draw_column_at: AT | {"trials": 2, "rng": seeded()},
    network.fires_at: AT | {"m": 2, "tau": 0.1, "width": 1e-5},
    network.draw_fires_at: AT | {"m": 2, "tau": 0.1, "trials": 2, "rng": seeded()},
    montecarlo.lower_limit: COUNT | {"error": 0.1},
    montecarlo.upper_limit: COUNT | {"error": 0.1},
    montecarlo.clopper_pearson: COUNT | {"error": 0.1},
    montecarlo.decide_at_most: COUNT | {"bound": 0.5} | RATES,
    montecarlo.decide_equal: COUNT | {"low": 0.5, "high": 0.5, "margin": 0.1} | RATES,
    montecarlo.decide_agreement: COUNT | {"low": 0.5, "high": 0.5, "standard_errors": 10} | RATES,
    montecarlo.decide_median: {"values": [0.1, 0.2, 0.3, 0.4], "bound": 0.0, "error": 0.1},
    montecarlo.z_score: COUNT | {"p": 0.5},
    thresholds.Columns: {"C": 2},
    thresholds.dimension_to_be_quiet: {"n": 10**6, "a": "0.7", "b": "0.5", "error": "0.1"},
    thresholds.dimension_to_be_seen: {"a": "0.7", "b": "0.5", "error": "0.1"},
    thresholds.Condition: LEMMA,
    thresholds.variance_bound: {"kind": "sharp", "n": 5, "kappa": "0.4"},
    thresholds.sufficient_n: LEMMA,
}
HUGE, TINY = 10**400, Fraction(1, 10**400)
BAD = [
    *(
        None,
        "x",
        "",
        "1/0",
        b"x",
        True,
        1j,
        object(),
        int,
        set(),
        {},
        len,
        range(3),
        np.datetime64("2020"),
    ),
    *(
        float("nan"),
        float("inf"),
        -1,
        0,
        HUGE,
        -HUGE,
        10**30,
        1e308,
        1e-320,
        TINY,
        Fraction(HUGE, 3),
        np.float64("nan"),
    ),
    *(
        [],
        [[]],
        [1, None],
        ["a"],
        [1j],
        [[1, 2], [3]],
        [[0.5, 0.5]],
        [0, 0],
        [-1, 2],
        [HUGE, 1],
        [1e308, 1e308],
        [1e-320],
    ),
    *(
        [float("nan"), 1],
        [Fraction(1, 3), 2],
        np.zeros((2, 2, 2)),
        np.array(None),
        np.array([True, False]),
        np.array(3),
    ),
    *(np.array(["a"], dtype=object), np.array([1, 2], dtype="datetime64[s]")),
]
SLOW = {thresholds.sufficient_n: pytest.mark.slow}
FUNCTIONS = [
    pytest.param(
        function,
        id=f"{function.__module__[9:]}.{function.__name__}",
        marks=SLOW.get(function, ()),
    )
    for function in GOOD
]


def refused(function, arguments):
    """The error that `function` raises itself; None where it takes what it was given."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            function(**arguments)
    except (TypeError, ValueError) as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        assert last.line.startswith("raise ") and "polycore" in last.filename, (
            f"{error} escaped from {last}"
        )
        assert len(str(error)) < 600
        return error


@pytest.fixture(autouse=True)
def within_seconds():
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.alarm(120)
    yield
    if hasattr(signal, "SIGALRM"):
        signal.alarm(0)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_bare_error_escapes_and_each_names_its_argument(function):
    assert list(inspect.signature(function).parameters) == list(GOOD[function])
    for name in GOOD[function]:
        errors = [
            error for bad in BAD if (error := refused(function, GOOD[function] | {name: bad}))
        ]
        assert len(errors) > 10
        # low and high, false_alarm and error, f and counts are checked against each other
        other = {"high": "low", "counts": "f", "false_alarm": "error"}.get(name, name)
        assert all(name in str(error) or other in str(error) for error in errors)


def test_every_public_function_is_in_the_table():
    skipped = {
        "Tail",
        "Estimate",
        "Decision",
        "SufficientN",
        "VARIANCES",
        "sample",
        "beyond",
        "settled",
        "half_binomial",
        "any_column",
        "no_column",
        "cumulants",  # this and the next take what `weights` returns
        "tilt",
    }
    for module in (rademacher, bounds, inversion, network, montecarlo, thresholds):
        assert set(module.__all__) - skipped == {
            f.__name__ for f in GOOD if f.__module__ == module.__name__
        }


@pytest.mark.parametrize(
    ("function", "arguments", "escaped"),
    [
        (
            np.linspace,
            {"start": 0, "stop": 1, "num": -1},
            AssertionError,
        ),  # a ValueError of NumPy's
        (np.float64(0).__rtruediv__, {}, AssertionError),
        (lambda: np.float64(1) / 0, {}, RuntimeWarning),
        (lambda: float(HUGE), {}, OverflowError),
    ],
)
def test_an_escape_is_seen(function, arguments, escaped):
    with pytest.raises(escaped):
        refused(function, arguments)


Y = np.ones((2, 1))
NOT_WEIGHTS = [
    (
        [1.5, -0.5],
        None,
        ValueError,
        "weights must be >= 0, got -0.5 at index 1: weights are powers over their sum",
    ),
    (
        [2, 4],
        None,
        ValueError,
        "weights must sum to 1, got 6.0: not yet divided by their sum, or their counts left out?",
    ),
    ([0.5, 0.5 + 1e-8], None, ValueError, "weights must sum to 1, got 1.00000001"),
    ([0, 0], None, ValueError, "weights must sum to 1, got 0.0"),
    ([0.5, 0.5], [1, 2], ValueError, "weights must sum to 1, got 1.5"),
    ([], None, ValueError, "weights must be a non-empty one-dimensional array, got shape (0,)"),
    (
        [np.nan, 1],
        None,
        ValueError,
        "weights must be finite, got nan at index 0: an overflow or 0/0 before this call?",
    ),
    (
        [[0.5, 0.5]],
        None,
        ValueError,
        "weights must be a non-empty one-dimensional array, got shape (1, 2)",
    ),
    (["0.5", "0.5"], None, TypeError, "weights must be real numbers, got dtype <U3"),
    ([0.5, None], None, TypeError, "weights must be real numbers, got None (NoneType)"),
]


@pytest.mark.parametrize(
    "taking",
    [
        lambda f, counts: checks.attention_weights("weights", f, counts),
        lambda f, counts: network.fires(f, 2, 0.1, counts),
        lambda f, counts: network.f_poly(np.repeat(f, counts) if counts else f, Y, 0.1),
    ],
    ids=["attention_weights", "fires", "f_poly"],
)
@pytest.mark.parametrize(("f", "counts", "error", "message"), NOT_WEIGHTS)
def test_what_is_not_attention_weights_is_refused(taking, f, counts, error, message):
    with pytest.raises(error) as caught:
        taking(f, counts)
    assert message in str(caught.value)


def test_attention_weights_may_round_and_may_be_one():
    assert checks.attention_weights("weights", [1 / 3, 1 / 3, 1 / 3 + 1e-10]).size == 3
    assert checks.attention_weights("weights", [1e-12], [10**12]).size == 1
    assert network.f_poly([1.0, 0.0], [[1, -1], [1, 1]], 0.25) == 0.75
    assert network.f_poly([0.5, 0.5], Y, 1) == network.f_poly([0.5, 0.5], Y, 1.5) == 0
    assert network.fires([0.5, 0.5], 3, 1).upper == network.fires([0.5], 3, 1.5, [2]).upper == 0


COEFFICIENTS = [
    ([], 0.1, ValueError, "f must be a non-empty one-dimensional array, got shape (0,)"),
    ([0, 0], 0.1, ValueError, "f is all zero, so Z = 0 always: give one non-zero weight"),
    ([np.nan, 1], 0.1, ValueError, "f must be finite, got nan at index 0"),
    ([0.5, np.inf], 0.1, ValueError, "f must be finite, got inf at index 1"),
    (
        [1e200, 1],
        0.1,
        ValueError,
        "f must have max |f| >= 1e-100 and, with its counts, sum |f| <= 1e100, got 1e+200",
    ),
    ([1e-200], 0.1, ValueError, "divide f and t by one number"),
    (
        [0.5],
        -0.1,
        ValueError,
        "t must be a finite real number >= 0, got -0.1: |Z| exceeds every negative number",
    ),
    (
        [0.5],
        np.nan,
        ValueError,
        "t must be a finite real number >= 0, got nan: an earlier 0/0 or inf - inf?",
    ),
    ([0.5], None, TypeError, "t must be a finite real number >= 0, got None (NoneType)"),
    ([0.5], "0.1", TypeError, "t must be a finite real number >= 0, got '0.1' (str)"),
    ("0.5", 0.1, TypeError, "f must be real numbers, got dtype <U3: '0.5'"),
]
EXACT = [rademacher.enumerate_tail]
CERTIFIED = [
    rademacher.tail,
    rademacher.certified_tail,
    inversion.inversion,
    lambda f, t: rademacher.two_class_tail(f, None, t),
]
LEVELS = [tails.saddlepoint, lambda f, t: tails.importance_sample(f, t, 10, seeded())]
BOUNDS = [tails.hoeffding, tails.bentkus_dzindzalieta, tails.chernoff]


@pytest.mark.parametrize("level", [*CERTIFIED, *LEVELS, *BOUNDS, tails.log_chernoff])
@pytest.mark.parametrize(("f", "t", "error", "message"), COEFFICIENTS)
def test_coefficients_and_limits_that_no_level_takes(level, f, t, error, message):
    with pytest.raises(error) as caught:
        level(f, t)
    assert message in str(caught.value)


@pytest.mark.parametrize("level", [*EXACT, *CERTIFIED, *LEVELS])
@pytest.mark.parametrize(
    ("f", "t", "answer"),
    [
        ([0.5, 0.25], 0.75, 0),
        ([0.5, 0.25], 0.7500000001, 0),
        ([3, -4], 7, 0),
        ([0.5, 0.5], 1e300, 0),  # t >= sum |f|
        ([0.1], 0.1, 0),
        ([0.1], np.nextafter(0.1, 0), 1),
        ([-0.1], 0, 1),
        ([0, 2], 1.9, 1),
        ([0, 2], 2, 0),  # one sign
    ],
)
def test_where_the_support_decides_every_rung_is_exact(level, f, t, answer):
    found = level(f, t)
    assert found.lower == found.upper == found.value == answer


@pytest.mark.parametrize("level", [*EXACT, *CERTIFIED])
def test_the_last_atom_is_not_past_the_support(level):
    found = level([0.5, 0.25], np.nextafter(0.75, 0))
    assert found.lower <= 0.5 <= found.upper and found.upper > 0


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize(
    ("f", "t", "answer"),
    [([0.5, 0.25], 0.75, 0), ([0.5, 0.5], 1e300, 0), ([0, 2], 1.9, 1), ([0.5], 0.5, 0)],
)
def test_bounds_hold_where_the_support_decides(bound, f, t, answer):
    found = bound(f, t)
    assert found.lower == 0 and answer <= found.upper <= 1
    assert bound is not tails.chernoff or found.upper == answer


@pytest.mark.parametrize(
    ("kappa", "error", "message"),
    [
        (
            -0.1,
            ValueError,
            "kappa must be a finite real number >= 0, got -0.1: kappa is beta / log2 n, and "
            "degrees are >= 0",
        ),
        (None, TypeError, "kappa must be a finite real number >= 0, got None (NoneType)"),
        (np.nan, ValueError, "kappa must be a finite real number >= 0, got nan"),
        ("x", ValueError, "kappa must be a number such as '0.45' or '9/20', got 'x'"),
        (1j, TypeError, "kappa must be a finite real number >= 0, got 1j (complex)"),
        (True, TypeError, "kappa must be a finite real number >= 0, got True (bool)"),
    ],
)
@pytest.mark.parametrize(
    "taking",
    [
        lambda kappa: thresholds.sufficient_n(kappa, "0.01", 1),
        lambda kappa: thresholds.Condition(kappa, "0.01", 1),
        lambda kappa: thresholds.variance_bound("paper", 10, kappa),
    ],
)
def test_kappa_outside_its_domain(taking, kappa, error, message):
    with pytest.raises(error) as caught:
        taking(kappa)
    assert message in str(caught.value)


def test_kappa_past_the_range_has_no_answer_and_just_below_it_none_that_can_be_written():
    assert (
        thresholds.sufficient_n(1, "0.01", 1)
        is thresholds.sufficient_n("0.5", "0.01", 1, variance="paper")
        is None
    )
    with pytest.raises(
        ValueError, match=r"n_0 exceeds 2\^16384 at kappa = 0\.99999: .*; take a smaller kappa"
    ):
        thresholds.sufficient_n("0.99999", "0.01", 1)
    with pytest.raises(
        ValueError,
        match=r"v\(n\) is beyond the largest float at kappa = 1e\+09: kappa is beta / log2 n",
    ):
        thresholds.variance_bound("paper", 10, 10**9)
    assert (
        thresholds.sufficient_n("0.4", "1e-400", 1).n
        > thresholds.sufficient_n("0.4", "1e-300", 1).n
    )  # no float is rounded to 0


def test_a_float_is_compared_as_the_decimal_that_it_is_read_as():
    """The float 0.9 lies above 9/10, and is read as 9/10."""
    nine = Fraction(9, 10)
    assert checks.rational("b", 0.9, at_most=nine) == nine
    with pytest.raises(ValueError, match="b must be a finite real number < 9/10, got 0.9"):
        checks.rational("b", 0.9, below=nine)
    with pytest.raises(ValueError, match="<= 9/10, got nan"):
        checks.rational("b", float("nan"), at_most=nine)


def test_an_integer_may_be_the_least_and_the_most_that_is_allowed():
    assert [checks.integer("n", value, at_least=2, at_most=5) for value in (2, 5)] == [2, 5]
    for value in (1, 6):
        with pytest.raises(ValueError, match=f"got {value}"):
            checks.integer("n", value, at_least=2, at_most=5)


ENDS = {
    "kappa": (1e-4, 100, 9e-5, 100.1),
    "delta": (1e-12, 0.999, 9e-13, 1),
    "k": (1, 10, 0, 11),
    "C": (0.01, 200, 0.009, 200.1),
    "b": ("1/10", "9/10", "0.099", "0.901"),
    "excess": ("1e-400", "100", "0", "100.1"),
    "dimension": (4, 10**7, 3, 10**7 + 1),
    "size": (1, 10**7, 0, 10**7 + 1),
    "trials": (8, 10**6, 7, 10**6 + 1),
    "draws": (8, 10**6, 7, 10**6 + 1),
    "seed": (0, 10**400, -1, None),
}


@pytest.mark.parametrize("name", checks.COMMON)
def test_common_parameters_have_two_ends(name):
    least, most, below, beyond = ENDS[name]
    checks.common(**{name: least}), checks.common(**{name: most})
    for value in (below, beyond):
        with pytest.raises((TypeError, ValueError), match=f"^{name} must be"):
            checks.common(**{name: value})


def test_a_parameter_is_named_where_its_letter_is_and_only_there():
    with (
        pytest.raises(ValueError, match=r"^n must be .* got 0 \(n is the parameter size\)$"),
        checks.named(n="size", d="dimension", k="k"),
    ):
        checks.integer("n", 0)
    with (
        pytest.raises(TypeError, match=r"^nd must be an .*'10'$"),
        checks.named(n="size", d="dimension"),
    ):
        checks.integer("nd", None)
    with pytest.raises(KeyError), checks.named(n="size"):
        {}["n"]


def test_a_long_value_is_shown_by_its_two_ends_and_a_shorter_one_whole():
    for length, shown in ((80, "x" * 78), (81, "x" * 37 + " ... " + "x" * 37)):
        with pytest.raises(TypeError) as refused:
            checks.integer("n", "x" * (length - 2))
        assert f"got '{shown}' (str)" in str(refused.value)


@pytest.mark.parametrize("shape", [(2,), (2, 2, 2), (0, 3)])
def test_a_matrix_has_two_dimensions_and_entries(shape):
    with pytest.raises(ValueError, match=rf"got shape {re.escape(str(shape))}"):
        checks.matrix("A", np.ones(shape))
    assert checks.matrix("A", np.ones((1, 2))).shape == (1, 2)


def test_of_several_wrong_entries_the_first_is_named():
    with pytest.raises(ValueError, match="got nan at index 1"):
        checks.vector("z", [1, np.nan, np.inf, 2])
    with pytest.raises(ValueError, match=r"got inf at index \(0, 1\)"):
        checks.matrix("A", [[1, np.inf], [np.nan, 2]])
    with pytest.raises(ValueError, match="counts must be integers >= 1, got 0.5"):
        checks.multiplicities([1, 0.5, 0], 3)
    with pytest.raises(ValueError, match="counts must be integers >= 1, got 0.0"):
        checks.multiplicities([1, 0], 2)


def test_the_first_negative_weight_is_named_and_not_a_zero():
    with pytest.raises(ValueError, match=r"must be >= 0, got -0.5 at index 2:"):
        checks.attention_weights("weights", [1.0, 0.0, -0.5, -1.0])


@pytest.mark.parametrize("off", [-1.1e-9, -0.9e-9, 0.9e-9, 1.1e-9])
def test_weights_add_up_to_one_within_a_billionth(off):
    if abs(off) < 1e-9:
        assert checks.attention_weights("weights", [0.25 + off, 0.75]).shape == (2,)
    else:
        with pytest.raises(ValueError, match="must sum to 1"):
            checks.attention_weights("weights", [0.25 + off, 0.75])


@pytest.mark.parametrize("sign", [1, -1])
def test_of_a_number_that_python_does_not_write_the_size_is_told(sign):
    with pytest.raises(ValueError, match=r"got a number of about 2\^16610(?!\d)"):
        checks.integer("n", sign * 10**5000, at_most=5)
