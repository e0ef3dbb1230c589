"""Rounding noise: a kernel in which transcendental functions and matrix products are off by up to 4
units in the last place.

NumPy promises no more than that, and processors differ by as much. Here the noise is random, from a
seed, in all cells of a chapter and all modules of polycore; what a chapter says must be the same.
Left alone are operations that every processor rounds alike (sums, products, square roots), exact
powers of two, and what Numba and XLA compile.
"""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import math
import operator
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.special

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

Replaced = Callable[[Any], Any]  # of anything that a name may stand for

UNITS = 4
UFUNCS = (
    *(
        "exp",
        "exp2",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "sin",
        "cos",
        "tan",
        "arcsin",
        "arccos",
        "arctan",
        "arctan2",
    ),
    *(
        "sinh",
        "cosh",
        "tanh",
        "power",
        "float_power",
        "cbrt",
        "hypot",
        "logaddexp",
        "dot",
        "matmul",
        "inner",
        "vdot",
        "einsum",
        "tensordot",
    ),
)
OF_MATH = (
    *(
        "exp",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "atan2",
        "sinh",
        "cosh",
        "tanh",
    ),
    *("pow", "hypot", "dist", "erf", "erfc", "gamma", "lgamma"),
)
OF_MATRICES = (
    "svd",
    "svdvals",
    "eigvals",
    "eigvalsh",
    "eigh",
    "qr",
    "lstsq",
    "solve",
    "inv",
    "det",
    "norm",
    "matrix_rank",
    "cond",
)
MODULES = (
    "numpy",
    "numpy.linalg",
    "numpy.polynomial",
    "numpy.polynomial.legendre",
    "math",
    "scipy",
    "scipy.special",
)


class Noise:
    """Random errors of up to UNITS units in the last place, from one seed."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def off(self, value: Any) -> Any:
        """`value` with noise in each float: not in 0, infinities, powers of two; what is at most 1
        in modulus stays so.
        """
        if isinstance(value, tuple):
            return (
                type(value)(*map(self.off, value))
                if hasattr(value, "_fields")
                else tuple(map(self.off, value))
            )
        if isinstance(value, (float, np.floating)):
            return type(value)(self._noisy(np.asarray(value))[()])
        return (
            self._noisy(value)
            if isinstance(value, np.ndarray) and value.dtype.kind == "f"
            else value
        )

    def _noisy(self, exact):
        units = self.rng.integers(-UNITS, UNITS + 1, exact.shape)
        with np.errstate(all="ignore"):
            moved = exact + units * np.spacing(exact)
        moved = np.where(np.abs(exact) <= 1, np.clip(moved, -1, 1), moved)
        kept = ~np.isfinite(exact) | (np.abs(np.frexp(exact)[0]) == 0.5) | (exact == 0)
        return np.where(kept, exact, moved).astype(exact.dtype)


class Noisy:
    """A function whose results are off, or with `before` its arguments; its attributes are those of
    the function.
    """

    def __init__(self, function: Callable[..., Any], noise: Noise, before: bool = False) -> None:
        self.function, self.noise, self.before = function, noise, before

    def __call__(self, *args, **kwargs):
        if self.before:
            return self.function(*map(self.noise.off, args), **kwargs)
        return self.noise.off(self.function(*args, **kwargs))

    def __getattr__(self, name):
        return getattr(self.function, name)


class Module(types.ModuleType):
    """A module in which some functions are noisy, and so are its modules."""

    def __init__(self, module: types.ModuleType, replaced: Replaced) -> None:
        super().__init__(module.__name__)
        self.__dict__.update(inside=module, replaced=replaced)

    def __getattr__(self, name):
        return self.replaced(getattr(self.inside, name))


def noisy_functions(noise: Noise) -> dict[int, Noisy]:
    """By their ids, the functions that are replaced and what stands in their place."""
    special = [f for f in vars(scipy.special).values() if isinstance(f, np.ufunc)]
    special += [scipy.special.softmax, scipy.special.logsumexp, scipy.special.zeta]
    off = [
        *(getattr(np, name) for name in UFUNCS),
        *(getattr(math, name) for name in OF_MATH),
        *special,
    ]
    off += [np.polynomial.legendre.leggauss]
    table = {id(f): Noisy(f, noise) for f in off}
    return table | {
        id(f): Noisy(f, noise, before=True)
        for name in OF_MATRICES
        for f in [getattr(np.linalg, name)]
    }


def replacer(noise: Noise) -> Replaced:
    """The function that puts something noisy in place of what is to be replaced, and leaves the
    rest.
    """
    table, modules = (
        noisy_functions(noise),
        {id(sys.modules[name]): sys.modules[name] for name in MODULES},
    )

    @cache
    def proxy(key):
        return Module(modules[key], replaced)

    def replaced(value):
        return proxy(id(value)) if id(value) in modules else table.get(id(value), value)

    return replaced


class Operators(ast.NodeTransformer):
    """a @ b and a ** b as calls, but not in functions that a decorator compiles; `names` renews the
    names after each import.
    """

    CALLS = {ast.MatMult: "__noisy_product__", ast.Pow: "__noisy_power__"}

    def __init__(self, names: bool = False) -> None:
        self.names = names

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return (
            node
            if any("jit" in ast.unparse(one) for one in node.decorator_list)
            else self.generic_visit(node)
        )

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        name = self.CALLS.get(type(node.op))
        call = ast.Call(ast.Name(name, ast.Load()), [node.left, node.right], []) if name else node
        return ast.fix_missing_locations(ast.copy_location(call, node))

    def _imported(self, node):
        renew = ast.parse("__noisy_names__(globals())").body if self.names else []
        return [node, *(ast.fix_missing_locations(ast.copy_location(each, node)) for each in renew)]

    visit_Import = visit_ImportFrom = _imported


class Finder(importlib.abc.MetaPathFinder):
    """Modules of polycore, with noisy operators and names."""

    def __init__(self, given: Mapping[str, object], replaced: Replaced) -> None:
        self.given, self.replaced = given, replaced

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not name.startswith("polycore."):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = Loader(spec.loader.name, spec.loader.path, self.given, self.replaced)
        return spec


class Loader(importlib.machinery.SourceFileLoader):
    def __init__(
        self, name: str, path: str, given: Mapping[str, object], replaced: Replaced
    ) -> None:
        super().__init__(name, path)
        self.given, self.replaced = given, replaced

    def get_code(self, name: str) -> types.CodeType:  # not the kept bytecode, which has no noise
        tree = Operators().visit(ast.parse(self.get_data(self.path)))
        return compile(ast.fix_missing_locations(tree), self.path, "exec")

    def exec_module(self, module: types.ModuleType) -> None:
        vars(module).update(self.given)
        super().exec_module(module)
        compiled = (
            one.py_func.__code__.co_names
            for one in vars(module).values()
            if hasattr(one, "py_func")
        )  # by Numba
        kept = set().union(*compiled)
        rename(
            {name: value for name, value in vars(module).items() if name not in kept},
            self.replaced,
            vars(module),
        )


def rename(names: Mapping[str, object], replaced: Replaced, into: dict[str, Any]) -> None:
    """Put what is noisy in place of what the names stand for."""
    into.update(
        {name: new for name, value in names.items() if (new := replaced(value)) is not value}
    )


def install(shell: InteractiveShell, seed: int) -> None:
    """Noise in every cell that this IPython shell runs from now on, and in every module of polycore
    that it imports.
    """
    noise = Noise(seed)
    replaced = replacer(noise)
    power = lambda base, exponent: noise.off(base**exponent)
    given = {
        "__noisy_product__": lambda a, b: noise.off(operator.matmul(a, b)),
        "__noisy_power__": power,
    }
    sys.meta_path.insert(0, Finder(given, replaced))
    shell.user_ns_hidden.update(given)
    shell.user_ns.update(given, __noisy_names__=lambda names: rename(dict(names), replaced, names))
    shell.ast_transformers.append(Operators(names=True))
