# SPDX-License-Identifier: GPL-3.0-or-later
"""Places in C++ files for faults, found by libclang. What cannot be a fault (log text, assertions, reserve()) is not proposed."""
import os
import re
from pathlib import Path

from clang import cindex
from clang.cindex import CursorKind as K
from clang.cindex import TypeKind

from faults import EDIT, EXPRESSION, STATEMENT, Place

BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "|"}
LOGICAL = {"&&": "||", "||": "&&"}
ACCUMULATION = {"+=": ("=", "-="), "-=": ("=", "+="), "|=": ("=", "&="), "&=": ("=", "|="), "*=": ("=", "/="), "/=": ("=", "*="), "^=": ("=",),
                "<<=": (">>=",), ">>=": ("<<=",)}
OPPOSITE = {"min": "max", "max": "min", "floor": "ceil", "ceil": "floor", "any_of": "all_of", "all_of": "any_of", "lower_bound": "upper_bound",
            "upper_bound": "lower_bound", "min_element": "max_element", "max_element": "min_element", "round": "floor", "lround": "floor"}
SYMMETRIC = {"min", "max", "swap", "hypot", "gcd", "lcm", "midpoint", "equal", "add", "multiply", "is_same"}
TEXT_ONLY = {"debug", "info", "warn", "error", "trace", "critical", "print", "say", "log", "layer", "format", "fprintf", "printf", "puts",
             "description", "help", "set_level"}
NO_FAULT = {"reserve", "shrink_to_fit", "assert", "prefetch", "__builtin_prefetch", "unreachable"}  # of speed, or of nothing that a test sees
SECOND_LIFE = ("begin", "reset", "forget", "clear", "restart", "start", "stop", "renew", "reopen", "lost", "lose", "enter", "leave", "on_lost",
               "on_sync_lost", "drop", "end")
FUNCTIONS = {K.FUNCTION_DECL, K.CXX_METHOD, K.CONSTRUCTOR, K.DESTRUCTOR, K.FUNCTION_TEMPLATE, K.CONVERSION_FUNCTION}
NAMED = FUNCTIONS | {K.NAMESPACE, K.CLASS_DECL, K.STRUCT_DECL, K.CLASS_TEMPLATE, K.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION}
VARIABLES = {K.VAR_DECL, K.FIELD_DECL, K.PARM_DECL}
LOOPS = {K.FOR_STMT, K.WHILE_STMT, K.DO_STMT, K.CXX_FOR_RANGE_STMT}
TOLERANCE = 1e-4  # smaller constants are tolerances
INTEGERS = {TypeKind.CHAR_U, TypeKind.UCHAR, TypeKind.USHORT, TypeKind.UINT, TypeKind.ULONG, TypeKind.ULONGLONG, TypeKind.CHAR_S, TypeKind.SCHAR,
            TypeKind.SHORT, TypeKind.INT, TypeKind.LONG, TypeKind.LONGLONG, TypeKind.BOOL}
NUMBERS = INTEGERS | {TypeKind.FLOAT, TypeKind.DOUBLE, TypeKind.LONGDOUBLE}


class Parser:
    """Parses files of a build as its compile commands say."""

    def __init__(self, commands):
        self.commands = commands  # {path: [argument...]}
        self.index = cindex.Index.create()
        self._path = self._unit = None

    def places(self, path):
        """All places of a file; raises ValueError if clang does not understand the file."""
        unit = self._parse(path)
        errors = [d for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
        if errors:
            raise ValueError(f"clang: {errors[0]}")
        return _Finder(path.read_bytes().decode("latin-1"), str(path)).run(unit.cursor)

    def compiles(self, path, text):
        """Whether clang accepts this text (Latin-1) in place of the file's."""
        unit = self._parse(path)
        unit.reparse([(str(path), text.encode("latin-1").decode("utf-8", "replace"))])
        return not any(d.severity >= cindex.Diagnostic.Error for d in unit.diagnostics)

    def _parse(self, path):
        if path != self._path:
            flags = cindex.TranslationUnit.PARSE_PRECOMPILED_PREAMBLE
            arguments = self.commands[str(path)] + ["-w", "-Wno-everything", "-ferror-limit=3"] + (["-xc++-header"] if path.suffix == ".h" else [])
            self._unit, self._path = self.index.parse(str(path), arguments, options=flags), path
        return self._unit


def arguments_of(command):
    """Of a compile command: what libclang needs of it."""
    kept, words = [], iter(command[1:])
    for word in words:
        if word in ("-isystem", "-I", "-include", "-D"):
            kept += [word, next(words)]
        elif re.match(r"-(I|D|std=|isystem)", word):
            kept.append(word)
    return kept


class _Scope:
    """What is known above a node."""

    def __init__(self, names=(), edit=False, locals_=None, loop_head=False, is_default=False):
        self.names, self.edit, self.locals, self.loop_head, self.is_default = names, edit, locals_ or [], loop_head, is_default

    def but(self, **changed):
        fields = {"names": self.names, "edit": self.edit, "locals_": self.locals, "loop_head": self.loop_head, "is_default": self.is_default}
        return _Scope(**{**fields, **changed})

    @property
    def function(self):
        return "::".join(self.names)


class _Finder:
    def __init__(self, text, path):
        self.text, self.path, self.found = text, path, []

    def run(self, root):
        for child in root.get_children():
            if child.location.file and child.location.file.name == self.path:
                self.node(child, _Scope())
        return self.found

    def range(self, cursor):
        return cursor.extent.start.offset, cursor.extent.end.offset

    def source(self, cursor):
        return self.text[slice(*self.range(cursor))]

    def add(self, start, end, replacement, operator, scope, kind=EXPRESSION):
        original = self.text[start:end]
        if not original.strip() or "//" in original or "\n#" in original or "#" in replacement:
            return
        replacement = " ".join(replacement.split("\n"))
        self.found.append(Place(start, end, replacement, EDIT if scope.edit else kind, operator, scope.function))

    # The walk
    def node(self, cursor, scope):
        kind = cursor.kind
        if kind in (K.STATIC_ASSERT, K.ENUM_DECL, K.TYPEDEF_DECL, K.TYPE_ALIAS_DECL, K.USING_DECLARATION) or self._is_text(cursor):
            return
        if kind in NAMED:
            scope = scope.but(names=_qualified(cursor))
        if kind in FUNCTIONS:
            scope = scope.but(edit=bool(re.search(r"\bconst(expr|eval)\b", self._head(cursor))), locals_=[])
        elif kind in VARIABLES:
            return self._variable(cursor, scope)
        elif kind == K.COMPOUND_STMT:
            return self._compound(cursor, scope)
        elif kind == K.CASE_STMT:
            for child in list(cursor.get_children())[1:]:
                self._body(child, scope)
            return
        elif kind == K.IF_STMT:
            return self._if(cursor, scope)
        elif kind in LOOPS:
            return self._loop(cursor, scope)
        self._expression(cursor, scope)
        for child in cursor.get_children():
            self.node(child, scope)

    def _head(self, function):
        """Its text before the body."""
        start, end = self.range(function)
        body = next((c for c in function.get_children() if c.kind == K.COMPOUND_STMT), None)
        return self.text[start:self.range(body)[0] if body else end]

    def _variable(self, cursor, scope):
        start, _ = self.range(cursor)
        name_at = cursor.location.offset
        head = self.text[start:name_at]
        if cursor.kind == K.FIELD_DECL and cursor.is_bitfield():
            return
        inner = scope.but(edit=scope.edit or "constexpr" in head or "constinit" in head, is_default=cursor.kind in (K.FIELD_DECL, K.PARM_DECL))
        for child in cursor.get_children():
            at = self.range(child)[0]
            gap = self.text[name_at + len(cursor.spelling):at]
            if at >= name_at and not gap.strip().startswith("["):
                self.node(child, inner)
        if cursor.kind != K.FIELD_DECL and cursor.spelling and "constexpr" not in head:
            scope.locals.append((cursor.spelling, cursor.type.spelling, cursor.type.get_canonical().spelling))

    def _compound(self, cursor, scope):
        scope = scope.but(locals_=list(scope.locals))
        children = list(cursor.get_children())
        for i, child in enumerate(children):
            if child.kind == K.IF_STMT and i + 1 < len(children):
                self._early_return(child, scope)
            self._body(child, scope)

    def _body(self, cursor, scope):
        """A statement where another could stand in its place."""
        self._removal(cursor, scope)
        self.node(cursor, scope)

    def _if(self, cursor, scope):
        children = list(cursor.get_children())
        scope = scope.but(locals_=list(scope.locals))
        at = next((i for i, c in enumerate(children) if self.text[self.range(c)[1]:].lstrip().startswith(")")), 0) + 1  # behind the condition
        head, bodies = children[:at], children[at:]
        if head and head[-1].kind.is_expression():
            self._condition(head[-1], scope, with_constant=True)
        for child in head:
            self.node(child, scope)
        for child in children[at:] if bodies else ():
            self._body(child, scope)

    def _loop(self, cursor, scope):
        children = list(cursor.get_children())
        scope = scope.but(locals_=list(scope.locals))
        *head, body = children if cursor.kind != K.DO_STMT else reversed(children)
        if cursor.kind == K.WHILE_STMT and head and head[-1].kind.is_expression():
            self._condition(head[-1], scope, with_constant=False)
        for child in head:
            self.node(child, scope.but(loop_head=True))
        for child in head:
            if child.kind == K.DECL_STMT:
                scope.locals += [(v.spelling, v.type.spelling, v.type.get_canonical().spelling) for v in child.get_children() if v.kind == K.VAR_DECL]
        self._body(body, scope)

    def _is_text(self, cursor):
        if cursor.kind != K.CALL_EXPR:
            return False
        name = cursor.spelling
        return name in NO_FAULT or name in TEXT_ONLY and re.search(r'"', self.source(cursor)) is not None

    # Statements
    def _statement_end(self, end):
        """Behind the semicolon, or None."""
        found = re.compile(r"\s*;").match(self.text, end)
        return found.end() if found else None

    def _removal(self, cursor, scope):
        start, end = self.range(cursor)
        end, operator = self._statement_end(end), None
        while cursor.kind in (K.UNEXPOSED_EXPR, K.PAREN_EXPR) and len(list(cursor.get_children())) == 1:
            cursor = next(cursor.get_children())
        if end is None:
            return
        if cursor.kind in (K.BREAK_STMT, K.CONTINUE_STMT):
            operator = "break or continue removed"
        elif cursor.kind == K.COMPOUND_ASSIGNMENT_OPERATOR or cursor.kind == K.UNARY_OPERATOR and re.search(r"\+\+|--", self.source(cursor)):
            operator = "assignment removed"
        elif self._is_assignment(cursor):
            operator = self._assignment(cursor, scope)
        elif cursor.kind == K.CALL_EXPR and not self._is_text(cursor):
            again = self._ends_a_life(scope) and re.match(r"\w+_(\.|->)(clear|reset|begin|restart|forget)\w*\(", self.text[start:end])
            operator = "state kept" if again else "call removed"
        if operator:
            self.add(start, end, "", operator, scope, STATEMENT)

    def _is_assignment(self, cursor):
        if cursor.kind == K.BINARY_OPERATOR:
            return self._operator(cursor)[0] == "="
        return cursor.kind == K.CALL_EXPR and cursor.spelling == "operator="

    def _assignment(self, cursor, scope):
        is_member = re.match(r"\w+_(\.\w+|\[[^]]*\])*\s*=", self.source(cursor))
        return "state kept" if is_member and self._ends_a_life(scope) else "assignment removed"

    def _ends_a_life(self, scope):
        return scope.names and scope.names[-1].lstrip("_").startswith(SECOND_LIFE)

    def _early_return(self, cursor, scope):
        """`if (x) return;` before other statements."""
        children = list(cursor.get_children())
        if len(children) < 2 or children[-2].kind.is_statement() and len(children) > 2 and children[-2].kind != K.DECL_STMT:
            return
        body = children[-1]
        returned = list(body.get_children())[-1:] if body.kind == K.COMPOUND_STMT else [body]
        if returned and returned[0].kind == K.RETURN_STMT:
            start, end = self.range(returned[0])
            end = self._statement_end(end)
            if end:
                self.add(start, end, "", "early return removed", scope, STATEMENT)

    # Expressions
    def _condition(self, cursor, scope, with_constant):
        start, end = self.range(cursor)
        if cursor.kind == K.DECL_STMT or self.text[start:end].startswith(("const ", "auto ")):
            return
        self.add(start, end, f"!({self.source(cursor)})", "condition negated", scope)
        if with_constant and "consteval" not in self.text[max(0, start - 20):start] and "constexpr" not in self.text[max(0, start - 20):start]:
            self.add(start, end, "false", "condition constant", scope)
            self.add(start, end, "true", "condition constant", scope)

    def _operator(self, cursor):
        """(operator, left, right) of a binary expression, or (None, ...)."""
        children = list(cursor.get_children())
        if cursor.kind == K.CALL_EXPR and len(children) == 3:
            children = [children[0], children[2]]
        if len(children) != 2:
            return None, None, None
        left, right = children
        gap = self.text[self.range(left)[1]:self.range(right)[0]].strip()
        return (gap, left, right) if re.fullmatch(r"[-+*/%<>=!&|^]{1,3}", gap) else (None, left, right)

    def _expression(self, cursor, scope):
        kind = cursor.kind
        is_operator = kind == K.CALL_EXPR and re.fullmatch(r"operator[-+*/<>=!]{1,2}", cursor.spelling)
        if kind in (K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR) or is_operator:
            self._binary(cursor, scope)
        elif kind == K.CALL_EXPR:
            self._call(cursor, scope)
        elif kind == K.UNARY_OPERATOR:
            self._unary(cursor, scope)
        elif kind in (K.INTEGER_LITERAL, K.FLOATING_LITERAL, K.CXX_BOOL_LITERAL_EXPR):
            self._literal(cursor, scope)
        elif kind == K.CONDITIONAL_OPERATOR:
            self._condition(next(cursor.get_children()), scope, with_constant=False)
        elif kind == K.DECL_REF_EXPR and not scope.loop_head:
            self._variable_used(cursor, scope)
        elif kind == K.MEMBER_REF_EXPR:
            self._member_used(cursor, scope)

    def _binary(self, cursor, scope):
        operator, left, right = self._operator(cursor)
        if operator is None:
            return
        start, end = self.range(cursor)
        if self.range(left)[0] != start or self.range(right)[1] != end:
            return  # parts of it come from a macro

        def to(other, name):
            self.add(start, end, f"{self.source(left)} {other} {self.source(right)}", name, scope)

        for table, name in ((BOUNDARY, "relational boundary"), (NEGATED, "relational negated"), (LOGICAL, "logical")):
            if operator in table:
                to(table[operator], name)
        if operator in ARITHMETIC and self._is_number(cursor) and self._is_number(left) and self._is_number(right):
            to(ARITHMETIC[operator], "arithmetic")
        for other in ACCUMULATION.get(operator, ()) if self._is_number(left) else ():
            to(other, "accumulation")

    def _is_number(self, cursor):
        canonical = cursor.type.get_canonical()
        return canonical.kind in NUMBERS or canonical.kind == TypeKind.DEPENDENT or "std::complex<" in canonical.spelling or (
            "chrono::duration<" in canonical.spelling)

    def _call(self, cursor, scope):
        start, end = self.range(cursor)
        text, name = self.text[start:end], cursor.spelling
        found = re.match(r"((?:std::(?:ranges::)?)?)(\w+)\s*[(<]", text)
        if found and found[2] == name and name in OPPOSITE and found[1]:
            self.add(start, end, found[1] + OPPOSITE[name] + text[found.end(2):], "minimum and maximum", scope)
        if found and found[1] == "std::" and name == "clamp":
            value = next(iter(cursor.get_arguments()), None)
            if value:
                self.add(start, end, self.source(value), "bound removed", scope)
        if name in SYMMETRIC or not text.endswith((")", "}")):
            return
        arguments = [a for a in cursor.get_arguments() if a is not None and a.extent.start.offset > start and a.extent.end.offset < end]
        for a, b in zip(arguments, arguments[1:]):
            if self._same_type(a, b) and self.source(a) != self.source(b) and self.source(a) and self.source(b):
                (a0, a1), (b0, b1) = self.range(a), self.range(b)
                self.add(start, end, self.text[start:a0] + self.text[b0:b1] + self.text[a1:b0] + self.text[a0:a1] + self.text[b1:end],
                         "arguments swapped", scope)

    def _same_type(self, a, b):
        kinds = [re.sub(r"\bconst\b|&|\s", "", c.type.get_canonical().spelling) for c in (a, b)]
        return kinds[0] == kinds[1] and kinds[0] not in ("", "<dependent type>") and "(lambda" not in kinds[0] and not re.search(
            r"iterator", kinds[0])

    def _unary(self, cursor, scope):
        start, end = self.range(cursor)
        text = self.text[start:end]
        if text[:1] in "-!~" and not text.startswith("--") and not re.fullmatch(r"-[\d.]+[A-Za-z]*", text):
            self.add(start, end, text[1:], "sign or negation removed", scope)

    def _literal(self, cursor, scope):
        start, end = self.range(cursor)
        text = self.text[start:end]
        if self.text[start - 1:start] == "<" or self.text[end:end + 1] == ">":
            return  # an argument of a template
        operator = "default value" if scope.is_default else "constant"
        for other in _other_values(text):
            self.add(start, end, other, operator, scope)

    def _variable_used(self, cursor, scope):
        start, end = self.range(cursor)
        name, declared = cursor.spelling, cursor.referenced
        if declared is None or declared.kind not in (K.VAR_DECL, K.PARM_DECL) or self.text[start:end] != name:
            return
        mine = declared.type.spelling
        others = [n for n, spelled, _ in scope.locals if spelled == mine and n != name]
        if "(lambda" not in mine and name in [n for n, _, _ in scope.locals] and not re.match(r"\s*(\(|=[^=]|\+\+)", self.text[end:]):
            for other in others[-2:]:
                self.add(start, end, other, "wrong variable", scope)

    def _member_used(self, cursor, scope):
        declared = cursor.referenced
        if declared is None or declared.kind != K.FIELD_DECL:
            return
        start, end = self.range(cursor)
        name = cursor.spelling
        if not self.text[start:end].endswith(name) or self.text[end:].lstrip().startswith("("):
            return
        fields = [f for f in declared.semantic_parent.get_children() if f.kind == K.FIELD_DECL]
        at = next((i for i, f in enumerate(fields) if f.spelling == name), None)
        if at is None or declared.is_bitfield() or scope.loop_head:
            return
        near = fields[max(0, at - 1):at] + fields[at + 1:at + 2]
        for other in near:
            if other.type.spelling == declared.type.spelling and not other.is_bitfield():
                self.add(start, end, self.text[start:end - len(name)] + other.spelling, "wrong variable", scope)


def _qualified(cursor):
    """Names of the entities around a declaration and its own, from the outside; a method defined outside its class has the class's, too."""
    names = []
    while cursor is not None and cursor.kind != K.TRANSLATION_UNIT:
        names.append(cursor.spelling)
        cursor = cursor.semantic_parent
    return tuple(reversed([n for n in names if n]))


def _other_values(text):
    """Literals in place of this one."""
    if text in ("true", "false"):
        return ["false" if text == "true" else "true"]
    integer = re.fullmatch(r"(0[xX][\da-fA-F']+|\d[\d']*)([uUlLzZ]*)", text)
    if integer:
        value = int(integer[1].replace("'", ""), 16 if integer[1][:2].lower() == "0x" else 10)
        return [f"{other}{integer[2]}" for other in sorted({value + 1, max(value - 1, 0), 0} - {value})]
    real = re.fullmatch(r"(\d[\d.]*(?:[eE][-+]?\d+)?|\.\d+)([fFlL]?)", text)
    if real:
        value = float(real[1])
        if abs(value) < TOLERANCE:
            return []
        return [f"{other!r}{real[2]}" for other in sorted({value * 2, value / 2, 0.0} - {value})]
    return []


def compile_commands(entries):
    """{source: arguments}, {source: object} of a compile_commands.json, also of files that are compiled several at a time."""
    arguments, objects = {}, {}
    for entry in entries:
        words = arguments_of(entry["command"].split())
        for source in sources_of(Path(entry["directory"], entry["file"])):
            arguments.setdefault(source, words)
            objects.setdefault(source, []).append(os.path.normpath(entry["output"]) if "output" in entry else _output(entry["command"]))
    return arguments, objects


def _output(command):
    return re.search(r" -o (\S+)", command)[1]


def sources_of(path):
    """The source files that one file of compile_commands.json names: several where they are compiled together."""
    if re.fullmatch(r"unity_\d+_cxx\.cxx", path.name) and path.is_file():
        return re.findall(r'^#include "(.*)"$', path.read_text(encoding="utf-8"), re.M)
    return [str(path)]
