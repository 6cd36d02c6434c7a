# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of the page's forms, read from the commented configuration that wimax-macd prints (--write-reference): its schema is the only owner of help
texts, units and ranges."""

import re
import subprocess

from wimax_tools.campaign.tasks import program

FLOWS, PROFILE = "service_flows", "profile"
# Of bs.profile: what the control socket changes while stations are served (macd/live_profile.h).
LIVE = ("ranging_backoff_start", "ranging_backoff_end", "request_backoff_start", "request_backoff_end", "reservation_timeout", "exit_db", "entry_db")
STATE = {"key": "state", "help": "how far the flow is set up", "unit": "", "type": "choice", "choices": ["active", "admitted", "provisioned"], "default": "active"}
ANSWER_S = 10
UNITS = {"db": "dB"}
DESCRIPTION = re.compile(r"(?P<help>.*?)(?: \[(?P<unit>[^\]]+)\])?(?:; allowed: (?P<allowed>.*?))?(?P<required>; required)?")
RANGE = re.compile(r"(integers|numbers) (\S+)\.\.(\S+?)( or null)?")
ENTRY = re.compile(r"(?:- )?([\w]+): ?(.*)")


def printed():
    """What wimax-macd prints of a base station; empty where the program is missing or silent."""
    try:
        done = subprocess.run([program("wimax-macd"), "--role", "bs", "--write-reference"], capture_output=True, text=True, timeout=ANSWER_S, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout


def forms(text):
    """Fields of a service flow and of the live profile; none where the text lacks them."""
    lines = text.splitlines()
    flows = [line[3:] for line in block(lines, f"  {FLOWS}: []") if line.startswith("  #")]
    profile = [line[4:] for line in block(lines, f"  {PROFILE}:") if line.startswith("    ")]
    # The first line of a list's block announces the example element.
    flow_fields = fields([line[4:] if line.startswith("    ") else line[2:] for line in flows[1:]])
    return {"flow": flow_fields + [STATE] if flow_fields else [], "profile": [field for field in fields(profile) if field["key"] in LIVE]}


def block(lines, head):
    """The lines after `head` that belong to its key: deeper ones, or the commented example of a list."""
    if head not in lines:
        return []
    found = []
    for line in lines[lines.index(head) + 1:]:
        if not line.startswith("    ") and not (line.startswith("  # one element") or line.startswith("  #   ") or line.startswith("  #  -")):
            break
        found.append(line)
    return found


def fields(lines):
    """Of `key: value` lines, each after its comment. Keys of a group get the group's name before theirs; examples of lists are left out."""
    found, comment, group = [], [], ""
    for line in lines:
        text = line.strip()
        if re.match(r"#  +|# one element", text):
            continue
        if text.startswith("#"):
            comment.append(text[2:])
            continue
        if text.startswith("- ") and not re.match(ENTRY, text):
            found[-1].setdefault("values", []).append(text[2:])
            continue
        key, value = re.fullmatch(ENTRY, text).groups()
        deeper = line.startswith("  ") and not text.startswith("- ")
        group = group if deeper else ""
        if value or not comment_is_group(comment):
            found.append(field(f"{group}.{key}" if group else key, " ".join(comment), value))
        else:
            group = key
        comment = []
    return [one for one in found if one["type"] != "list" or one.get("values")]


def comment_is_group(comment):
    """A list outside an example has a help text, a group of keys in one has none."""
    return not comment


def field(key, comment, value):
    known = re.fullmatch(DESCRIPTION, comment).groupdict(default="")
    unit = known["unit"] or UNITS.get(key.rpartition("_")[2], "")  # the comment of a list has none
    return {"key": key, "help": known["help"], "unit": unit, "default": value.strip('"'), **kind(known["allowed"], value)}


def kind(allowed, value):
    if found := re.fullmatch(RANGE, allowed):
        return {"type": "integer" if found[1] == "integers" else "number", "low": float(found[2]), "high": float(found[3]), "allowed": f"{found[2]}..{found[3]}"}
    if not allowed:
        return {"type": "list"}
    if value.startswith('"') or not re.fullmatch(r"[\w/.-]+(, [\w/.-]+)+", allowed):
        return {"type": "text", "allowed": allowed}
    return {"type": "flag" if allowed == "true, false" else "choice", "choices": allowed.split(", ")}
