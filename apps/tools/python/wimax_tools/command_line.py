# SPDX-License-Identifier: GPL-3.0-or-later
"""One style of command line for all commands in Python: spellings, suggestions, ranges, colours. apps/common/command_line.h is the same for C++."""
import argparse
import difflib
import os
import sys

STANDARD_OUTPUT = "-"
MOST_PORT = 65535
COLOURS = {"red": "31", "green": "32", "yellow": "33"}


def near(word, candidates):
    """The candidate that a mistyped word most probably stands for; None if none is near."""
    by_lower = {candidate.lower(): candidate for candidate in candidates}
    beginning = sorted((name for name in by_lower if len(word.lstrip("-")) > 2 and name.startswith(word.lower())), key=len)
    found = beginning or difflib.get_close_matches(word.lower(), by_lower, n=1)
    return by_lower[found[0]] if found else None


def did_you_mean(word, candidates):
    """", did you mean X?", or nothing."""
    found = near(word, candidates)
    return f", did you mean {found}?" if found else ""


def shows_colours(stream):
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"


def coloured(text, colour, stream):
    """The text as it is shown in `stream`: in a colour on a terminal only, and not if NO_COLOR is set."""
    return f"\033[1;{COLOURS[colour]}m{text}\033[0m" if shows_colours(stream) else text


def say_fault(command, text, stream=None):
    """One line on standard error, `command` being "wimax bench"."""
    stream = stream or sys.stderr
    print(f"{coloured(f'{command}:', 'red', stream)} {text}", file=stream)


class Parser(argparse.ArgumentParser):
    """Options may be written with hyphens or underscores. An error is one line on standard error, with a suggestion, and exit status 2."""

    def __init__(self, *args, **kwargs):
        kwargs.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(*args, **kwargs)

    def parse_known_args(self, args=None, namespace=None):
        words = list(sys.argv[1:] if args is None else args)
        return super().parse_known_args(self._bare_json(self._hyphenated(words)), namespace)

    def parse_known_intermixed_args(self, args=None, namespace=None):
        """Python 3.13 does not call parse_known_args() from here, and takes the value of an unknown option for a positional argument."""
        words = self._bare_json(self._hyphenated(list(sys.argv[1:] if args is None else args)))
        for word in words[:self._options_end(words)]:
            if word.startswith("--") and not any(name.startswith(word.partition("=")[0]) for name in self._option_string_actions):
                self.error(f"unrecognized arguments: {word}")
        return super().parse_known_intermixed_args(words, namespace)

    def _options_end(self, words):
        return words.index("--") if "--" in words else len(words)

    def _hyphenated(self, words):
        end = self._options_end(words)
        return [self._known(word) for word in words[:end]] + words[end:]

    def _known(self, word):
        name, equals, value = word.partition("=")
        hyphenated = name.replace("_", "-")
        known = name.startswith("--") and name not in self._option_string_actions and hyphenated in self._option_string_actions
        return hyphenated + equals + value if known else word

    def _bare_json(self, words):
        """`--json` without a file is `--json -`. A file has a folder or the ending .json, so that a command's next word is not taken for it."""
        if not getattr(self._option_string_actions.get("--json"), "may_be_bare", False):
            return words
        end = self._options_end(words)
        for i, word in enumerate(words[:end]):
            following = words[i + 1] if i + 1 < end else ""
            if word == "--json" and following != STANDARD_OUTPUT and "/" not in following and not following.endswith(".json"):
                words[i] = f"--json={STANDARD_OUTPUT}"
        return words

    def _check_value(self, action, value):
        if action.choices is not None and value not in action.choices:
            allowed = [str(choice) for choice in action.choices]
            hint = did_you_mean(str(value), allowed)
            raise argparse.ArgumentError(action, f"'{value}'{hint + ' Allowed' if hint else '; allowed'}: {', '.join(allowed)}")

    def _all_options(self):
        names = list(self._option_string_actions)
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):  # argparse has no public name of it
                for parser in action.choices.values():
                    names += parser._all_options()
        return [name for name in dict.fromkeys(names) if name.startswith("--")]

    def error(self, message):
        words = message.removeprefix("unrecognized arguments: ").split()
        option = next((word.split("=")[0] for word in words if word.startswith("-")), None) if message.startswith("unrecognized") else None
        if option:
            hint = did_you_mean(option, self._all_options())
            message = f"unknown option {option}{hint + ' See' if hint else '; see'} {self.prog} --help"
        elif message.startswith("unrecognized"):
            message = f"'{words[0]}' is not expected here; see {self.prog} --help"
        elif message.startswith("the following arguments are required: "):
            message = f"missing: {message.partition(': ')[2]}; see {self.prog} --help"
        say_fault(self.prog, message.removeprefix("argument "))
        self.exit(2)


def within(low, high, kind=float):
    """Type of a number in a range, both ends included; `nan` is none."""
    def number(text):
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not low <= value <= high:
            raise argparse.ArgumentTypeError(f"'{text}'; allowed: {'whole numbers' if kind is int else 'numbers'} from {low} to {high}")
        return value

    return number


def add_json(parser, what="the result", bare=False, **more):
    """--json FILE|-; `bare`: FILE may be absent, for -."""
    action = parser.add_argument("--json", metavar="FILE", help=f"write {what} to FILE as JSON, - for standard output", **more)
    action.may_be_bare = bare


def add_listener(parser, address, port):
    """--address and --port of a server, with --host as another name of --address."""
    parser.add_argument("--address", default=address, metavar="HOST", help="address to listen at (default %(default)s: this host only)")
    parser.add_argument("--host", dest="address", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    parser.add_argument("--port", type=within(0, MOST_PORT, int), default=port, metavar="N", help="TCP port (default %(default)s); 0: any free port")


def print_result(text, path):
    """To standard output, or to the file that --json names."""
    if path and path != STANDARD_OUTPUT:
        with open(path, "w", encoding="utf-8") as out:
            out.write(text + "\n")
    else:
        print(text, flush=True)
