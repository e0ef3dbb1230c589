"""How statements are written: sums, powers and probabilities that SymPy only prints.

SymPy would quietly turn ``2**(2*b)`` into ``4**b`` and cancel ``x/x``; these functions
are opaque to it, so that such a step is taken by the kernel or not at all. A statement
that mentions the index ``i`` is meant for every ``i`` in ``1..n``.

>>> total(Power(Symbol("x"), 2))
Sum(Power(x, 2), (i, 1, n))
"""

from sympy import Function, Indexed, Sum, Symbol

__all__ = ["Exp", "Log", "Power", "Tail", "i", "n", "total"]

i, n = Symbol("i", integer=True), Symbol("n", integer=True)


def total(term):
    """The sum of ``term`` over ``i = 1..n``."""
    return Sum(term, (i, 1, n))


class _Opaque(Function):
    def _latex(self, printer, exp=None):
        shown = self.latex(printer.doprint, *self.args)
        return shown if exp is None else rf"\left({shown}\right)^{{{exp}}}"


class Exp(_Opaque):
    """``e^x``."""

    nargs = 1

    def latex(self, show, x):
        return rf"e^{{{show(x)}}}"


class Log(_Opaque):
    """The natural logarithm ``ln x``."""

    nargs = 1

    def latex(self, show, x):
        return rf"\ln({show(x)})"


class Power(_Opaque):
    """``x^a`` with a real exponent, for ``x > 0``; elsewhere, as ``Log``, some number of which nothing is said."""

    nargs = 2

    def latex(self, show, x, a):
        bare = isinstance(x, (Symbol, Indexed)) or x.is_Integer and x.is_nonnegative
        return rf"{show(x) if bare else rf'({show(x)})'}^{{{show(a)}}}"


class Tail(_Opaque):
    """``Pr[|Σ f_i σ_i| > t]`` for independent Rademacher ``σ_i``, written ``Tail(total(f_i), t)``."""

    nargs = 2

    def latex(self, show, coefficients, t):
        term, last = coefficients.function, show(coefficients.limits[0][2])
        term = show(term) if isinstance(term, Indexed) else rf"\left({show(term)}\right)"
        return rf"\Pr\Big[\Big|\sum_{{i=1}}^{{{last}}} {term}\,\sigma_{{i}}\Big| > {show(t)}\Big]"
