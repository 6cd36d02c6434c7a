# SPDX-License-Identifier: GPL-3.0-or-later
"""Places in Python files for faults, found by `ast`."""
import ast

from faults import EDIT, Place

BOUNDARY = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
NEGATED = {ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<", ast.Eq: "!=", ast.NotEq: "==", ast.In: "not in", ast.NotIn: "in",
           ast.Is: "is not", ast.IsNot: "is"}
ARITHMETIC = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.LShift: ">>", ast.RShift: "<<",
              ast.BitAnd: "|", ast.BitOr: "&"}
OPPOSITE = {"min": "max", "max": "min", "any": "all", "all": "any"}
TEXT_ONLY = {"print", "say", "debug", "info", "warning", "error", "log", "add_argument", "ArgumentParser", "add_parser", "add_subparsers",
             "filterwarnings", "die"}
DRAWING = {"subplots", "set", "text", "plot", "axvspan", "axhspan", "axhline", "axvline", "legend", "grid", "annotate", "savefig", "tight_layout",
           "scatter", "semilogy", "fill_between", "imshow", "tick_params", "set_title", "figure", "rcParams"}
SECOND_LIFE = ("begin", "reset", "forget", "clear", "restart", "start", "stop", "renew", "reopen")


def places(text):
    """All places of a Python file. `text`: its bytes as Latin-1."""
    tree = ast.parse(text.encode("latin-1"))
    return _Finder(text).run(tree)


def compiles(text):
    try:
        compile(text.encode("latin-1"), "fault", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


class _Finder:
    def __init__(self, text):
        self.text, self.found, self.names = text, [], []
        self.lines = [0]
        for line in text.split("\n"):
            self.lines.append(self.lines[-1] + len(line) + 1)

    def run(self, tree):
        self.body(tree.body, None)
        return self.found

    # Where things are
    def start(self, node):
        return self.lines[node.lineno - 1] + node.col_offset

    def end(self, node):
        return self.lines[node.end_lineno - 1] + node.end_col_offset

    def source(self, node):
        return self.text[self.start(node):self.end(node)]

    def add(self, node, replacement, operator):
        self.found.append(Place(self.start(node), self.end(node), replacement, EDIT, operator, ".".join(self.names)))

    # Statements
    def body(self, statements, parent):
        for i, node in enumerate(statements):
            if _is_docstring(node) or isinstance(node, (ast.Import, ast.ImportFrom, ast.Assert, ast.Global, ast.Nonlocal)) or _is_main(node):
                continue
            self.removal(node, last=i + 1 == len(statements), parent=parent)
            self.statement(node)

    def removal(self, node, last, parent):
        if isinstance(node, (ast.Break, ast.Continue)):
            self.add(node, "pass", "break or continue removed")
        elif isinstance(node, ast.Return) and isinstance(parent, ast.If) and last and not parent.orelse:
            self.add(node, "pass", "early return removed")
        elif isinstance(node, ast.Raise) and isinstance(parent, ast.If):
            self.add(node, "pass", "check removed")
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and not _is_text(node.value):
            self.add(node, "pass", "call removed")
        elif isinstance(node, ast.AugAssign):
            self.add(node, "pass", "assignment removed")
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], (ast.Attribute, ast.Subscript)) and self.names[-1:] != ["__init__"]:
            again = self.names and self.names[-1].strip("_").startswith(SECOND_LIFE)
            self.add(node, "pass", "state kept" if again else "assignment removed")

    def statement(self, node):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self.names.append(node.name)
            if not isinstance(node, ast.ClassDef):
                for value in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
                    self.constant(value, "default value")
            self.body(node.body, node)
            self.names.pop()
            return
        if isinstance(node, (ast.If, ast.While)):
            self.add(node.test, f"not ({self.source(node.test)})", "condition negated")
            if isinstance(node, ast.If):
                self.add(node.test, "False", "condition constant")
                self.add(node.test, "True", "condition constant")
        if isinstance(node, ast.AugAssign):
            self.assigned(node)
        for name, value in ast.iter_fields(node):
            if name in ("body", "orelse", "finalbody") and isinstance(value, list):
                self.body(value, node)
            elif name == "handlers":
                for handler in value:
                    self.body(handler.body, handler)
            elif name != "annotation":
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        self.expression(child)

    def assigned(self, node):
        between = self.text[self.end(node.target):self.start(node.value)]
        operator, target, value = between.strip(), self.source(node.target), self.source(node.value)
        self.add(node, f"{target} = {value}", "accumulation")
        other = {"+=": "-=", "-=": "+="}.get(operator)
        if other:
            self.add(node, f"{target} {other} {value}", "accumulation")

    # Expressions
    def expression(self, node):
        if isinstance(node, (ast.JoinedStr, ast.Lambda)) or isinstance(node, ast.Call) and _is_text(node):
            return
        visit = getattr(self, "on_" + type(node).__name__.lower(), None)
        if visit:
            visit(node)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.expr, ast.keyword, ast.comprehension)):
                self.expression(child)

    def between(self, left, right, operators, operator_class, name):
        """Replaces the operator between two operands, for each table that knows it."""
        for table in operators:
            if operator_class in table and "#" not in self.text[self.end(left):self.start(right)]:
                gap = self.text[self.end(left):self.start(right)]
                before, after = gap[:len(gap) - len(gap.lstrip(" )\n"))], gap[len(gap.rstrip(" (\n")):]
                self.found.append(Place(self.end(left), self.start(right), before + table[operator_class] + after, EDIT, name(table),
                                        ".".join(self.names)))

    def on_compare(self, node):
        if len(node.ops) == 1:
            self.between(node.left, node.comparators[0], (BOUNDARY, NEGATED), type(node.ops[0]),
                         lambda table: "relational boundary" if table is BOUNDARY else "relational negated")

    def on_binop(self, node):
        if not any(isinstance(n, (ast.JoinedStr, ast.List, ast.Tuple)) or isinstance(n, ast.Constant) and isinstance(n.value, (str, bytes))
                   for n in (node.left, node.right)):
            self.between(node.left, node.right, (ARITHMETIC,), type(node.op), lambda table: "arithmetic")

    def on_boolop(self, node):
        other = "or" if isinstance(node.op, ast.And) else "and"
        self.between(node.values[0], node.values[1], ({type(node.op): other},), type(node.op), lambda table: "logical")

    def on_unaryop(self, node):
        if isinstance(node.op, (ast.Not, ast.USub)) and not isinstance(node.operand, ast.Constant):
            self.add(node, f"({self.source(node.operand)})", "sign or negation removed")

    def on_ifexp(self, node):
        self.add(node.test, f"not ({self.source(node.test)})", "condition negated")

    def on_comprehension(self, node):
        for test in node.ifs:
            self.add(test, "True", "condition constant")

    def on_constant(self, node):
        self.constant(node, "constant")

    def constant(self, node, operator):
        value = node.value if isinstance(node, ast.Constant) else None
        if value is True or value is False:
            self.add(node, str(not value), operator)
        elif isinstance(value, int):
            for other in {value + 1, max(value - 1, 0), 0} - {value}:
                self.add(node, str(other), operator)
        elif isinstance(value, float):
            for other in {value * 2, value / 2, 0.0} - {value}:
                self.add(node, repr(other), operator)

    def on_call(self, node):
        name = _callee(node)
        if name in OPPOSITE and isinstance(node.func, ast.Name) and node.args:
            self.add(node.func, OPPOSITE[name], "minimum and maximum")
            return
        for a, b in zip(node.args, node.args[1:]):
            if _alike(a, b) and name not in OPPOSITE:
                self.found.append(Place(self.start(a), self.end(b), self.source(b) + self.text[self.end(a):self.start(b)] + self.source(a), EDIT,
                                        "arguments swapped", ".".join(self.names)))


def _alike(a, b):
    """May be of one type, as far as this can be seen: two names, two attributes, two numbers."""
    if isinstance(a, ast.Constant) and isinstance(b, ast.Constant):
        return type(a.value) is type(b.value) and isinstance(a.value, (int, float))
    return type(a) is type(b) and isinstance(a, (ast.Name, ast.Attribute))


def _is_text(call):
    """Text for people, the layout of a picture, or the end of the program: nothing to test for its value."""
    name = _callee(call)
    return name in TEXT_ONLY or isinstance(call.func, ast.Attribute) and (name in DRAWING or "rcParams" in ast.dump(call.func)) or (
        name == "exit" and "argv" in ast.dump(call))


def _callee(call):
    function = call.func
    return function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""


def _is_docstring(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_main(node):
    return isinstance(node, ast.If) and "__name__" in ast.dump(node.test)
