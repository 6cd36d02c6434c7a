# SPDX-License-Identifier: GPL-3.0-or-later
"""help() of every public name of the installed package wimax: a description, what its arguments are, what it raises."""
import importlib
import inspect
import pkgutil
import re
import unittest

import wimax

NEEDS_PROGRAMS = {"wimax.stack"}
NOT_LIBRARY = ("wimax.examples",)


def modules():
    yield wimax
    for info in pkgutil.walk_packages(wimax.__path__, "wimax."):
        private = any(part.startswith("_") for part in info.name.split("."))
        if private or info.name in NEEDS_PROGRAMS or info.name.startswith(NOT_LIBRARY):
            continue
        module = importlib.import_module(info.name)
        if hasattr(module, "__all__") or "." not in info.name.removeprefix("wimax."):  # others: parts of a package, which lists their names
            yield module


def public_names():
    """(name, object) of each module's __all__, and the public methods of its classes."""
    for module in modules():
        for name in module.__all__:
            if module is wimax and name in wimax._OF_PROGRAMS:
                continue
            thing = getattr(module, name)
            yield f"{module.__name__}.{name}", thing
            if inspect.isclass(thing):
                for method, value in vars(thing).items():
                    if not method.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                        yield f"{module.__name__}.{name}.{method}", value


class Names(unittest.TestCase):
    def test_every_module_lists_its_names(self):
        for module in modules():
            with self.subTest(module.__name__):
                self.assertTrue(module.__doc__)
                self.assertEqual(len(module.__all__), len(set(module.__all__)))

    def test_every_name_has_a_description(self):
        count = 0
        for name, thing in public_names():
            count += 1
            if inspect.isclass(thing) or callable(thing) or isinstance(thing, property):
                with self.subTest(name):
                    text = inspect.getdoc(thing) or ""
                    self.assertGreaterEqual(len(text.split()), 3, text)
                    own = not inspect.isclass(thing) or not re.match(rf"{thing.__name__}\(.*\)$", text.split("\n")[0])
                    self.assertTrue(own, "the docstring is the one that dataclass() writes")
        self.assertGreater(count, 5)

    def test_arguments_of_functions_are_described_and_typed(self):
        for name, thing in public_names():
            if not inspect.isfunction(thing):
                continue
            with self.subTest(name):
                parameters = [p for p in inspect.signature(thing).parameters.values() if p.name not in ("self", "cls")]
                for parameter in parameters:
                    self.assertIsNot(parameter.annotation, parameter.empty, parameter.name)
                self.assertIsNot(inspect.signature(thing).return_annotation, inspect.Signature.empty)

    def test_functions_on_arrays_have_shapes_and_errors(self):
        """A function that takes an array reports its shape, and that wrong ones raise ValueError, itself or in its module's text."""
        for name, thing in public_names():
            if not inspect.isfunction(thing):
                continue
            types = [str(p.annotation) for p in inspect.signature(thing).parameters.values()]
            if any("ndarray" in one or "NDArray" in one or "Array" in one for one in types):
                module = inspect.getdoc(inspect.getmodule(thing)) or ""
                with self.subTest(name):
                    text = inspect.getdoc(thing) or ""
                    self.assertRegex(text + module, r"ValueError")
                    self.assertRegex(text + module, r"\(.*\)|shape|samples|one-dimensional")


if __name__ == "__main__":
    unittest.main()
