"""How statements are written: sums, powers and probabilities that SymPy only prints.

SymPy would quietly turn ``2**(2*b)`` into ``4**b`` and cancel ``x/x``; these functions
are opaque to it, so that such a step is taken by the kernel or not at all. A statement
that mentions the index ``i`` is meant for every ``i`` in ``1..n``.

>>> total(Power(Symbol("x"), 2))
Sum(Power(x, 2), (i, 1, n))
"""

from collections.abc import Callable

from sympy import Expr, Function, Indexed, Sum, Symbol

__all__ = ["Above", "Ceil", "Exp", "Log", "Power", "Silent", "Tail", "i", "m", "n", "total"]

i, m, n = (Symbol(name, integer=True) for name in "imn")

Show = Callable[[Expr], str]  # a printer


def total(term: Expr | int) -> Sum:
    """The sum of ``term`` over ``i = 1..n``."""
    return Sum(term, (i, 1, n))


class _Opaque(Function):
    def _latex(self, printer, exp=None):
        shown = self.latex(printer.doprint, *self.args)
        return shown if exp is None else rf"\left({shown}\right)^{{{exp}}}"


class Exp(_Opaque):
    """``e^x``."""

    nargs = 1

    def latex(self, show: Show, x: Expr) -> str:
        return rf"e^{{{show(x)}}}"


class Log(_Opaque):
    """The natural logarithm ``ln x``."""

    nargs = 1

    def latex(self, show: Show, x: Expr) -> str:
        return rf"\ln({show(x)})"


class Power(_Opaque):
    """``x^a`` with a real exponent, for ``x > 0``; elsewhere, as ``Log``, some number of which
    nothing is said.
    """

    nargs = 2

    def latex(self, show: Show, x: Expr, a: Expr) -> str:
        bare = isinstance(x, (Symbol, Indexed)) or x.is_Integer and x.is_nonnegative
        return rf"{show(x) if bare else rf'({show(x)})'}^{{{show(a)}}}"


class Ceil(_Opaque):
    """``⌈x⌉``, the least integer at or above ``x``."""

    nargs = 1

    def latex(self, show: Show, x: Expr) -> str:
        return rf"\left\lceil {show(x)} \right\rceil"


def _signed(show, coefficients, sign=r"\sigma_{i}"):
    """The sum ``Σ f_i σ_i`` as it is displayed, ``σ_i`` written as ``sign``."""
    term, last = coefficients.function, show(coefficients.limits[0][2])
    term = show(term) if isinstance(term, Indexed) else rf"\left({show(term)}\right)"
    return rf"\sum_{{i=1}}^{{{last}}} {term}\,{sign}"


class Above(_Opaque):
    """``Pr[Σ f_i σ_i > t]``, ``σ_i`` independent Rademacher, written ``Above(total(f_i), t)``."""

    nargs = 2

    def latex(self, show: Show, coefficients: Sum, t: Expr) -> str:
        return rf"\Pr\Big[{_signed(show, coefficients)} > {show(t)}\Big]"


class Tail(_Opaque):
    """``Pr[|Σ f_i σ_i| > t]``, written ``Tail(total(f_i), t)``."""

    nargs = 2

    def latex(self, show: Show, coefficients: Sum, t: Expr) -> str:
        return rf"\Pr\Big[\Big|{_signed(show, coefficients)}\Big| > {show(t)}\Big]"


class Silent(_Opaque):
    """``Pr[F = 0]`` for ``F = φ(N Σ_j φ_t(Σ_i f_i y_ij))`` over ``m`` independent columns of signs,
    written ``Silent(total(f_i), t, m, N)``.

    With N = 1 it is Definition 3.9; N tokens with the same output f make it Definition 6.4.
    """

    nargs = 4

    def latex(self, show: Show, coefficients: Sum, t: Expr, columns: Expr, tokens: Expr) -> str:
        column = rf"\phi_{{{show(t)}}}\Big({_signed(show, coefficients, sign='y_{ij}')}\Big)"
        factor, last = "" if tokens == 1 else show(tokens), show(columns)
        return rf"\Pr\bigg[\phi\bigg({factor}\sum_{{j \le {last}}} {column}\bigg) = 0\bigg]"
