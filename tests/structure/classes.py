#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sizes of classes and the files that write their fields, read by libclang from a build's compile_commands.json.

usage: classes.py BUILD [--members N] [--methods N] [--writers N] [--in FOLDER...]

Lists classes with more than N members or methods (25 and 30), and fields that more than N files write (2), of FOLDERs (apps gr-wimax). A class
without private members and with few methods is a description: it is not listed for its size. A function that fills a structure of its own writes no
other file's field; a handler (std::function) is set by the owner of its object. Needs python3-clang; takes minutes. Exit status: 1 if it lists anything.
"""
import argparse
import json
import os
import sys
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "mutation"))
from clang import cindex  # noqa: E402
from clang.cindex import AccessSpecifier, CursorKind as K, TypeKind  # noqa: E402

import cpp_operators  # noqa: E402

TOP = Path(__file__).resolve().parents[2]
FOLDERS = ("apps/", "gr-wimax/")
CLASSES = {K.CLASS_DECL, K.STRUCT_DECL, K.CLASS_TEMPLATE}
METHODS = {K.CXX_METHOD, K.FUNCTION_TEMPLATE}
FUNCTIONS = METHODS | {K.FUNCTION_DECL, K.CONSTRUCTOR, K.DESTRUCTOR, K.CONVERSION_FUNCTION}
DESCRIPTION_METHODS = 12  # comparisons, lookups and units of a structure without private members
ASSIGNED = {K.COMPOUND_ASSIGNMENT_OPERATOR}
STEPS = {K.UNARY_OPERATOR}


def own(path):
    """The path in the source tree of a production file, else None."""
    if not path:
        return None
    try:
        name = str(Path(path).resolve().relative_to(TOP))
    except ValueError:
        return None
    base = os.path.basename(name)
    return name if name.startswith(FOLDERS) and not base.startswith(("test_", "qa_", "fuzz_")) else None


class Unit:
    """What one compiled file shows: {class: (members, methods, has private members)}, {field: files that write it}."""

    def __init__(self, path, arguments):
        self.classes, self.writes = {}, defaultdict(set)
        unit = cindex.Index.create().parse(str(path), [*_own_headers(arguments), "-w", "-Wno-everything", "-ferror-limit=3"])
        for cursor in unit.cursor.get_children():
            if own(cursor.location.file.name if cursor.location.file else None):
                self._walk(cursor)

    def _walk(self, cursor):
        if cursor.kind in CLASSES and cursor.is_definition():
            self._class(cursor)
        target = self._target(cursor)
        if target is not None:
            self._write(target)
        for child in cursor.get_children():
            self._walk(child)

    def _class(self, cursor):
        place = own(cursor.location.file.name)
        if not place or not cursor.spelling:
            return
        children = list(cursor.get_children())
        fields = [c for c in children if c.kind == K.FIELD_DECL]
        methods = [c for c in children if c.kind in METHODS]
        private = any(f.access_specifier in (AccessSpecifier.PRIVATE, AccessSpecifier.PROTECTED) for f in fields)
        self.classes[cursor.get_usr()] = (_name(cursor), place, len(fields), len(methods), private)

    def _target(self, cursor):
        """The left side of an assignment, a step, or an assigning operator of a class."""
        children = list(cursor.get_children())
        if not children:
            return None
        if cursor.kind in ASSIGNED:
            return children[0]
        if cursor.kind == K.BINARY_OPERATOR and len(children) == 2 and _operator(cursor, children) == "=":
            return children[0]
        if cursor.kind in STEPS and any(t.spelling in ("++", "--") for t in _first_and_last(cursor)):
            return children[0]
        if cursor.kind == K.CALL_EXPR and cursor.spelling in ("operator=", "operator+=", "operator-=", "operator|=", "operator++"):
            return children[0]
        return None

    def _write(self, target):
        if _is_local(target):
            return
        while target.kind in (K.UNEXPOSED_EXPR, K.PAREN_EXPR, K.ARRAY_SUBSCRIPT_EXPR):
            children = list(target.get_children())
            if not children:
                return
            target = children[0]
        field = target.referenced if target.kind == K.MEMBER_REF_EXPR else None
        place = own(target.location.file.name if target.location.file else None)
        if field is None or field.type.spelling.startswith("std::function<"):
            return
        if field.kind == K.FIELD_DECL and place and own(field.location.file.name if field.location.file else None):
            self.writes[_name(field)].add(place)


def _own_headers(arguments):
    """Without CMake's header to precompile: clang refuses the compiled form that GCC has put next to it."""
    return [word for word, following in zip(arguments, [*arguments[1:], ""])
            if not word.endswith("cmake_pch.hxx") and not (word == "-include" and following.endswith("cmake_pch.hxx"))]


def _is_local(target):
    """A field of a variable of the function itself: a structure that it fills in is no other file's."""
    while target.kind != K.DECL_REF_EXPR:
        children = list(target.get_children())
        if not children:
            return False
        target = children[0]
    variable = target.referenced
    owner = variable.semantic_parent.kind if variable is not None and variable.kind == K.VAR_DECL else None
    is_value = owner in FUNCTIONS and variable.type.kind not in (TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE, TypeKind.POINTER)
    return is_value and "unique_ptr" not in variable.type.spelling


def _operator(cursor, children):
    """The token between both sides."""
    after = children[0].extent.end.offset
    return next((t.spelling for t in cursor.get_tokens() if t.extent.start.offset >= after and t.spelling not in (")",)), "")


def _first_and_last(cursor):
    tokens = list(cursor.get_tokens())
    return tokens[:1] + tokens[-1:]


def _name(cursor):
    names = []
    while cursor is not None and cursor.kind != K.TRANSLATION_UNIT:
        if cursor.spelling and cursor.kind != K.NAMESPACE:
            names.append(cursor.spelling)
        cursor = cursor.semantic_parent
    return "::".join(reversed(names))


def look(job):
    path, arguments = job
    unit = Unit(path, arguments)
    return unit.classes, dict(unit.writes)


def jobs_of(entries, folders):
    """[(file, arguments)] to compile: each production file of the folders once, several in one file where they are compiled together."""
    jobs, seen = [], set()
    for entry in entries:
        path = Path(entry["directory"], entry["file"])
        sources = {name for source in cpp_operators.sources_of(path) if (name := own(source)) and name.endswith(".cc") and _within(name, folders)}
        if sources - seen:
            seen |= sources
            jobs.append((str(path), cpp_operators.arguments_of(entry["command"].split())))
    return jobs, seen


def _within(name, folders):
    return any(name.startswith(folder.rstrip("/") + "/") for folder in folders)


def faults(classes, writes, args):
    """{name: fault} of classes and fields in the folders."""
    found = {}
    for name, place, fields, functions in large(classes, args.members, args.methods):
        if _within(place, args.folders):
            found[name] = f"{name} ({place}): {fields} members, {functions} methods"
    for name, files in writes.items():
        if len(files) > args.writers and any(_within(file, args.folders) for file in files):
            found[name] = f"{name}: written by {', '.join(sorted(files))}"
    return found


def collected(jobs, workers):
    classes, writes = {}, defaultdict(set)
    with ProcessPoolExecutor(workers) as pool:
        for of_unit, written in pool.map(look, jobs):
            classes.update(of_unit)
            for field, files in written.items():
                writes[field] |= files
    return classes, writes


def large(classes, members, methods):
    found = []
    for name, place, fields, functions, private in classes.values():
        description = not private and functions <= DESCRIPTION_METHODS
        if not description and (fields > members or functions > methods):
            found.append((name, place, fields, functions))
    return sorted(set(found), key=lambda row: -(row[2] + row[3]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--members", type=int, default=25)
    parser.add_argument("--methods", type=int, default=30)
    parser.add_argument("--writers", type=int, default=2)
    parser.add_argument("--in", dest="folders", nargs="+", default=[folder.rstrip("/") for folder in FOLDERS], help="folders to look at")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    entries = json.loads((args.build / "compile_commands.json").read_text(encoding="utf-8"))
    jobs, sources = jobs_of(entries, args.folders)
    classes, writes = collected(jobs, args.jobs)
    found = faults(classes, writes, args)
    for name in sorted(found):
        print(found[name])
    print(f"{len(sources)} files, {len(classes)} classes: {len(found)} large or with more than {args.writers} writers", file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
