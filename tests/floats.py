"""Which equalities in Python code compare floats, as far as the syntax tree tells: for the tests of
notebooks and polycore.

The kernel of the build looks at the values themselves (pipeline/guard.py); here code is read that a
build may not run.
"""

import ast

# What gives floats: functions and methods by their names, attributes of enclosures and estimates.
GIVES_FLOATS = {
    "float",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sqrt",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "mean",
    "std",
    "var",
    "median",
    "quantile",
    "norm",
    "det",
    "svd",
    "linspace",
    "geomspace",
    "standard_normal",
    "uniform",
    "weights",
    "log_weights",
    "squared_norm",
    "softmax",
    "softmax_attention",
    "polynomial_attention",
    "evaluate",
    "betainc",
    "ndtr",
    "erfc",
    "erfcx",
}
FLOAT_ATTRIBUTES = {"lower", "upper", "estimate", "log10", "pi", "e", "inf"}
HIDDEN = {"allclose", "isclose"}  # equality up to a tolerance that nobody stated
ALIKE = {"array_equal", "array_equiv"}


def float_equalities(code):
    """The comparisons for equality in which one side gives floats, as text, with their lines."""
    tree = ast.parse(code)
    names = _float_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            equal = [
                isinstance(operation, (ast.Eq, ast.NotEq, ast.In, ast.NotIn))
                for operation in node.ops
            ]
            if any(
                same and (_floats(one, names) or _floats(other, names))
                for same, one, other in zip(equal, sides, sides[1:])
            ):
                yield f"line {node.lineno}: {ast.unparse(node)}"
        elif isinstance(node, ast.Call):
            name = _called(node)
            if name in HIDDEN or name in ALIKE and any(_floats(each, names) for each in node.args):
                yield f"line {node.lineno}: {ast.unparse(node)}"


def _float_names(tree):
    """Names to which floats are assigned somewhere."""
    names, more = set(), True
    assigned = [
        (node.targets if isinstance(node, ast.Assign) else [node.target], node.value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Assign, ast.NamedExpr)) and node.value is not None
    ]
    while more:
        new = {
            target.id
            for targets, value in assigned
            for target in targets
            if isinstance(target, ast.Name) and _floats(value, names)
        }
        more, names = new - names, names | new
    return names


def _called(node):
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _floats(node, names):
    match node:
        case ast.Constant(value=float()):
            return True
        case ast.Name(id=name):
            return name in names
        case ast.BinOp(left=left, op=operation, right=right):
            whole = [
                isinstance(side, ast.Constant) and isinstance(side.value, int)
                for side in (left, right)
            ]
            return (
                isinstance(operation, ast.Div)
                and all(whole)
                or _floats(left, names)
                or _floats(right, names)
            )
        case (
            ast.UnaryOp(operand=one)
            | ast.Starred(value=one)
            | ast.Subscript(value=one)
            | ast.NamedExpr(value=one)
        ):
            return _floats(one, names)
        case ast.Attribute(value=one, attr=name):
            return name in FLOAT_ATTRIBUTES or name in ("T", "real", "flat") and _floats(one, names)
        case ast.Call(args=arguments):
            passed_on = {
                "abs",
                "max",
                "min",
                "sum",
                "list",
                "sorted",
                "array",
                "asarray",
                "round",
                "tolist",
                "ravel",
            }
            inner = [
                *arguments,
                *([node.func.value] if isinstance(node.func, ast.Attribute) else []),
            ]
            whole = _called(node) == "round" and len(arguments) == 1
            return (
                _called(node) in GIVES_FLOATS
                or not whole
                and _called(node) in passed_on
                and any(_floats(each, names) for each in inner)
            )
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return any(_floats(part, names) for part in parts)
        case ast.ListComp(elt=part) | ast.GeneratorExp(elt=part) | ast.IfExp(body=part):
            return _floats(part, names)
    return False
