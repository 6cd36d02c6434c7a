#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents, configuration comments, help texts, errors, docstrings and public headers are written in plain English.

usage: test_language.py SOURCE [unittest options]    checks the files of SCOPE
       test_language.py SOURCE --long [FILE ...]     prints sentences of more than 25 words
"""
import ast
import re
import sys
import unittest
from pathlib import Path

SOURCE = Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".")

# Files that the check reads, as patterns of Path.glob.
SCOPE = (
    "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/**/*.md", "*/README.md", "config/**/*.yml", "gr-wimax/grc/*.block.yml", "gr-wimax/include/**/*.h",
    "gr-wimax/python/wimax/*.py", "apps/tools/python/**/*.py", "wimax", "apps/**/*.cc", "apps/mac/config_fields.h", "apps/channel/radio_front_fields.h",
    "gr-wimax/lib/**/*.cc", "cmake/*.sh", "apps/tools/python/wimax_tools/watch/page/*.js", "apps/tools/python/wimax_tools/watch/page/*.html",
)

# Folders and files whose comments the check reads. The aim is the whole tree.
COMMENTED = ("apps", "cmake", "config", "docs", "flowgraphs", "fpga", "gr-wimax", "tests", "CMakeLists.txt", "wimax")

# Marks of comments by the end of a file's name.
SLASHES = r"//[/!]?<?(.*)|/\*((?:[^*]|\*(?!/))*)\*/"
HASH = r"(?<!\S)#(.*)"
MARKS = {".cc": SLASHES, ".h": SLASHES, ".in": SLASHES, ".js": SLASHES, ".v": SLASHES, ".py": HASH, ".sh": HASH, ".yml": HASH, ".cmake": HASH, ".txt": HASH,
         ".lua": r"--(.*)", "": HASH}

# Idiom: pattern, what to write, sentences that the pattern refuses, sentences that it accepts.
IDIOMS = (
    (r"\bnobody\b|\bwhoever\b", "no station, any station that", ("Nobody listens.", "Whoever asks first."), ("No station listens.",)),
    (r"\bwhom\b", "name the station or packet", ("which radio hears whom",), ("which radio receives which radio",)),
    (r"(?:^|(?<=[.:;] ))Who (?![^.]*\?)|\b(?:stations?|packets?|flows?|MACs?|PHYs?|programs?|peers?|radios?|bursts?) who\b",
     "a noun: the station that", ("Who wants less takes blocks out.", "A station who waits."), ("Who owns it?", "the user who called sudo")),
    (r"(?:^|(?<=[.:;] ))(?:Of|By|To|From|In) (?:which|whom|what)\b(?![^.]*\?)", "a sentence with a subject",
     ("Of which only one is sent.", "By which the level is too low."), ("the rate by which it is reduced",)),
    (r"\banew\b|\bonce more\b", "again", ("It begins anew.", "They are sent once more."), ("It starts again.",)),
    (r"\ball the same\b|\bat all\b(?= *(?:[.,;:)]|$))", "leave it out", ("It sends all the same.", "It sends nothing at all."), ("It is sent at all rates.",)),
    (r"\bof (?:its|their|his|ours|one's|your) own\b|\bby (?:itself|themselves)\b", "leave it out, or: its own thread",
     ("a thread of its own", "The receiver finds it by itself."), ("its own thread",)),
    (r"\brubbish\b|\bwhat may not be\b", "malformed input", ("Rubbish is dropped.",), ("Malformed input is dropped.",)),
    (r"\bmend(?:s|ed|ing)?\b", "fix", ("A gain cannot mend it.", "before it was mended"), ("An amendment recommends it.",)),
    (r"\btold\b|\btells\b", "reported, printed, announced", ("The MAC is told of it.", "It tells the rate."), ("It reports the rate.",)),
    (r"\bsays\b|\b(?:is|are|was) said\b", "prints, reports, documents", ("The console says so.", "It is said to take -15 dBm."), ("The console prints it.",)),
    (r"\btak(?:en?|es|ing) off\b|\btook off\b", "compensated, subtracted, removed", ("The offset is taken off.",), ("The offset is subtracted.",)),
    (r"\bbehind (?:it|them|this|that)\b|\bbefore (?:and|or) behind\b|\bhalf behind\b"
     r"|\bbehind (?:(?:the|a|an|each|every|its|one|what|last|short|first|of|second) )*(?:burst|preamble|frame|gap|cut|symbol|noise|response|bursts|end)\b",
     "after", ("off behind the burst", "silence before and behind", "one symbol behind the preamble"),
     ("hosts behind the station", "behind a proxy")),
    (r"\bbeside\b", "next to, in addition to", ("TCP beside UDP",), ("Besides, it is fast.", "TCP next to UDP")),
    (r"\banswers? of the (?:MAC|PHY|(?:base |subscriber )?station)\b|\bfor an answer\b|\banswers? (?:that )?(?:come|comes|came)\b|\banswer budget\b|\blate answers?\b",
     "response, response time", ("an answer budget of 1 ms", "answers that come too late"), ("a program answers on its socket",)),
    (r"\bheld by `|`test_\w+`(?: \w+)? holds\b|\bholds each against\b", "asserted by", ("That is held by `test_x`.", "`test_x` holds it."),
     ("asserted by `test_x`",)),
    (r"\bso many\b|\bso long\b(?! as\b)|\bso far (?:as|beside|from)\b", "the number of, for N ms, N",
     ("of so many stations", "so long nothing was heard", "so far beside the carrier"), ("the frames so far", "so long as it runs")),
    (r"(?<!\bone )\b(?:symbols?|octets?|bytes?|bits?|packets?|samples?|frames?|PDUs?|requests?|bursts?|lines?|objects?|units?|points?|rows?|status|dB|kB|MB)"
     r" an? (?:frame|second|symbol|minute|hour|line|point|program|dB|sample|carrier|burst|row)\b", "per",
     ("92 symbols a frame", "octets a second", "a JSON object a line", "1 dB a dB"), ("92 symbols per frame", "one frame, a second frame's symbols")),
    (r"\brooms\b|\bthe house\b|\bhouse's\b|\b(?:a|the|each|every|this|which|another) room\b(?! temperature)(?! for\b)", "module, source tree",
     ("rooms and what they know", "the plan of the house", "each room"), ("a shielded room is needed"[2:], "head-room", "room for 16 packets")),
    (r"\bgo(?:es)? on\b", "continue", ("The others go on.",), ("The others continue.",)),
    (r"\bgoes\b|\bcomes\b", "is sent, is received, has", ("The packet goes to the PHY.", "what comes next"), ("The packet is sent to the PHY.",)),
    (r"\bstands? (?:in|at|on|under|below|beside|behind|still)\b", "is defined in, is in", ("The blocks stand under WiMAX.",), ("What FCH stands for",)),
)

# Comments of public headers that have no noun.
UNFINISHED = re.compile(r"///<?\s+(?:Of|By|To|From|In|At|With) (?:which|whom|what)\b|///<?\s+(?:Who|That) [a-z]")
UNFINISHED_BAD = ("/// Of which one is sent.", "/// By which the level is too low.", "/// That an SDU waits.", "/// Who asked last.")
UNFINISHED_GOOD = ("/// Octets not yet granted.", "/// True if an SDU waits.")

MOST_WORDS = 25


def markdown(text):
    """The prose: without code blocks, inline code and addresses of links."""
    text = re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.M | re.S)
    text = "\n".join(without_code_blocks(text.splitlines()))
    text = re.sub(r"`[^`]*`", "`code`", text)
    return re.sub(r"\]\([^)]*\)", "]", text)


def without_code_blocks(lines):
    """A code block is indented by four columns more than the text around it, and begins after an empty line."""
    margin, blank, code = 0, True, False
    for line in lines:
        indent = len(line) - len(line.lstrip())
        item = re.match(r"\s*(?:[-*]|\d+\.)\s+", line)
        code = bool(line.strip()) and indent >= margin + 4 and (blank or code) or code and not line.strip()
        if line.strip() and not code:
            margin = len(item[0]) if item else indent if indent < margin else margin
        blank = not line.strip()
        yield "" if code else line


def comments_of(text, mark):
    return "\n".join(re.sub(r"`[^`]*`", "`code`", line.split(mark, 1)[1]) for line in text.splitlines() if mark in line)


def yaml(text):
    """Comments, and the texts of GRC blocks and alerts."""
    texts = re.findall(r"^\s*(?:summary|description): (.*)$", text, re.M) + re.findall(r"^documentation: *[|>].*?\n(.*?)(?=^\S|\Z)", text, re.M | re.S)
    return comments_of(text, "#") + "\n" + "\n".join(texts)


def python(text):
    """Docstrings, help, description and epilog of options, and strings of more than one word: messages and labels."""
    tree = ast.parse(text)
    found = [ast.get_docstring(node) or "" for node in ast.walk(tree)
             if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))]
    found += [constant.value for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg in ("help", "description", "epilog")
              for constant in ast.walk(node.value) if isinstance(constant, ast.Constant) and isinstance(constant.value, str)]
    found += [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value]
    return re.sub(r"`[^`]*`", "`code`", "\n\n".join(found))


def literals(text):
    """Strings of more than one word in C++: help texts, errors and console lines. Each is a paragraph."""
    code = re.sub(r'"\s*\n\s*"', "", re.sub(r"^\s*//.*$", "", text, flags=re.M))
    return "\n\n".join(re.sub(r"`[^`]*`", "`code`", found) for found in re.findall(r'"((?:[^"\\\n]|\\.)*)"', code) if " " in found)


def page(text):
    """Strings of more than one word in JavaScript."""
    return "\n\n".join(found for found in re.findall(r"[\"'`]((?:[^\"'`\\\n]|\\.)*)[\"'`]", re.sub(r"^\s*//.*$", "", text, flags=re.M)) if " " in found)


READERS = {".sh": str, ".js": page, ".html": lambda text: re.sub(r"<[^>]*>", "\n\n", text),
           ".cc": literals, ".md": markdown, ".yml": yaml, ".py": python, ".h": lambda text: comments_of(text, "//"), "": str}


def commentary(text, suffix):
    """Comments of a file. Code between two comments separates their sentences."""
    read, end = "", 0
    for found in re.finditer(MARKS[suffix], text):
        read += ("\n\n" if text[end:found.start()].strip() else "\n") + re.sub(r"`[^`]*`", "`code`", " ".join(filter(None, found.groups())))
        end = found.end()
    return read


def commented_files():
    """Without this test, whose examples are idioms."""
    found = [path for entry in COMMENTED for path in [SOURCE / entry, *(SOURCE / entry).rglob("*")]]
    return sorted(path for path in found if path.is_file() and path.suffix in MARKS and path.name != Path(__file__).name)


def prose(path):
    reader = literals if path.name.endswith("_fields.h") else READERS[path.suffix]
    return reader(path.read_text(encoding="utf-8"))


def files(patterns):
    """Without tests and build folders."""
    return sorted({path for pattern in patterns for path in SOURCE.glob(pattern)
                   if path.is_file() and not path.name.startswith(("test_", "qa_", "fuzz_")) and not path.relative_to(SOURCE).parts[0].startswith("build")})


def idioms(text):
    """Idioms of a text as (words, what to write)."""
    joined = re.sub(r"[ \t]+", " ", re.sub(r"[ \t]*\n[ \t]*", "\n", text))
    return [(match[0], write) for pattern, write, _, _ in IDIOMS for match in re.finditer(pattern.replace(" ", r"\s"), joined, re.M | re.I)]


def sentences(text):
    for paragraph in re.split(r"\n\s*\n|^\s*(?:[-*]|\d+\.) |^#.*$|\||:\s*\n", text, flags=re.M):
        yield from (" ".join(sentence.split()) for sentence in re.split(r"(?<=[.;:!?])\s", paragraph))


def name(path):
    return path.relative_to(SOURCE).as_posix()


class Language(unittest.TestCase):
    maxDiff = None

    def test_each_pattern_refuses_its_idiom_and_nothing_else(self):
        for pattern, _, refused, accepted in IDIOMS:
            for text in refused:
                self.assertTrue(re.search(pattern, text, re.I), (pattern, text))
                self.assertTrue(idioms(f"First.\n\n{text}\n"), text)
            for text in accepted:
                self.assertFalse(re.search(pattern, text, re.I), (pattern, text))
        for text in UNFINISHED_BAD:
            self.assertTrue(UNFINISHED.search(text), text)
        for text in UNFINISHED_GOOD:
            self.assertFalse(UNFINISHED.search(text), text)

    def test_readers_find_prose_and_leave_code(self):
        self.assertEqual(idioms(markdown("Text.\n\n    ./wimax nobody\n\n```\nnobody\n```\n\nThe word `nobody`, [a link](nobody.md).\n")), [])
        self.assertEqual(len(idioms(markdown("1. A step\n   that nobody does.\n\n| nobody | anew |\n"))), 3)
        self.assertEqual(idioms(markdown("1. A step\n\n       nobody\n       nobody\n\n       nobody\n\nText:\n\n    nobody\n    nobody\n")), [])
        self.assertEqual(len(idioms(yaml("a: nobody  # nobody\n        summary: \"anew\"\ndocumentation: |-\n  once more\nb: anew\n"))), 3)
        self.assertEqual(len(idioms(python('"""Nobody."""\nx = "anew"\nf(help="mended", y="told to wait")\n'))), 3)
        self.assertEqual(len(idioms(page('f(nobody, "nobody answers"); // anew\n// "it says so"\nx = `told ${y}`;\n'))), 2)
        self.assertEqual(len(idioms(READERS[".h"]("int nobody;  ///< nobody\n"))), 1)
        self.assertEqual(len(idioms(literals('f(nobody, "nobody", "sent once "\n  "more");  // nobody\n// "it says so"\n'))), 1)

    def test_idioms_across_lines(self):
        self.assertEqual(len(idioms("It is sent once  \n    more.")), 1)
        self.assertEqual(idioms("It is sent once\n\nmore."), [])

    def test_files_have_no_idiom(self):
        found = {name(path): idioms(prose(path)) for path in files(SCOPE)}
        self.assertEqual({file: words for file, words in found.items() if words}, {})
        self.assertGreater(len(found), 200)

    def test_comments_of_each_language_are_read(self):
        for suffix in (".cc", ".h", ".in", ".js", ".v"):
            self.assertEqual(len(idioms(commentary("int nobody;  // anew\n/// nobody\n/* It is\n   mended */ int anew;\n", suffix))), 3, suffix)
        for suffix in (".py", ".sh", ".yml", ".cmake", ".txt"):
            self.assertEqual(len(idioms(commentary("nobody: x#nobody  # anew\n# It is told\n", suffix))), 2, suffix)
        self.assertEqual(len(idioms(commentary("local nobody = 1 -- anew\n", ".lua"))), 1)

    def test_comments_have_no_idiom(self):
        found = {name(path): idioms(commentary(path.read_text(encoding="utf-8"), path.suffix)) for path in commented_files()}
        self.assertEqual({file: words for file, words in found.items() if words}, {})

    def test_lists_name_files(self):
        read = commented_files()
        for entry in COMMENTED:
            self.assertTrue([path for path in read if SOURCE / entry in (path, *path.parents)], f"{entry}: no such file")
        for pattern in SCOPE:
            self.assertTrue(files([pattern]), f"{pattern}: no such file")

    def test_headers_have_no_unfinished_comment(self):
        self.assertEqual([f"{name(path)}: {match[0]}" for path in files(SCOPE) if path.suffix == ".h"
                          for match in UNFINISHED.finditer(path.read_text(encoding="utf-8"))], [])


def print_long(names):
    for path in [SOURCE / file for file in names] or files(SCOPE):
        for sentence in sentences(prose(path)):
            words = len(sentence.split())
            if words > MOST_WORDS:
                print(f"{name(path)}: {words}: {sentence}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--long"]:
        print_long(sys.argv[2:])
    else:
        unittest.main()
