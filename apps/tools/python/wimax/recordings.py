# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings of IQ samples in files: SigMF pairs, raw files, WAV.

>>> import numpy as np
>>> from wimax import recordings
>>> recordings.write("/tmp/tone.sigmf-meta", np.ones(100), 5_760_000.0, "a carrier")
>>> recordings.read("/tmp/tone.sigmf-meta").sample_rate_hz
5760000.0

Samples are complex64 arrays (n). A file that is missing, empty, cut or of an unknown format raises ValueError with the file and the reason.
"""
from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterable, Mapping, Optional, Union

import numpy as np

from wimax._core import core
from wimax.signals import Samples

__all__ = ["Annotation", "Recording", "annotate", "read", "write"]

FilePath = Union[str, Path]


@dataclass(frozen=True)
class Annotation:
    """A part of a SigMF recording with a label. `start`, `count`: samples; `count` None: to the end. `comment`: free text. `others`: further keys as in the file."""
    start: int
    count: Optional[int] = None
    label: str = ""
    comment: str = ""
    others: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, value in (("start", self.start), ("count", self.count)):
            if value is None and name == "count":
                continue
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 0 <= value < 1 << 63:
                raise ValueError(f"{name}: value {value!r}: allowed whole numbers from 0")
            object.__setattr__(self, name, int(value))

    def keys(self) -> dict[str, Any]:
        """The keys of the SigMF specification (`core:sample_start`, ...)."""
        found: dict[str, Any] = {"core:sample_start": self.start}
        for key, value in (("core:sample_count", self.count), ("core:label", self.label or None), ("core:comment", self.comment or None)):
            if value is not None:
                found[key] = value
        return {**found, **self.others}


@dataclass(frozen=True)
class Recording:
    """What `read` found. `samples` (n): complex64. `sample_rate_hz`: None if the format has none. `repaired`: samples that were not finite or too large.
    `annotations`, `metadata`: of a SigMF pair, else empty."""
    samples: Samples
    sample_rate_hz: Optional[float]
    repaired: int = 0
    annotations: tuple[Annotation, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


def _annotation(keys: Mapping[str, Any], offset: int) -> Annotation:
    known = ("core:sample_start", "core:sample_count", "core:label", "core:comment")
    others = {key: value for key, value in keys.items() if key not in known}
    return Annotation(keys["core:sample_start"] - offset, keys.get(known[1]), keys.get(known[2], ""), keys.get(known[3], ""), others)


def read(path: FilePath, *, format: str = "", first: int = 0, count: Optional[int] = None) -> Recording:
    """Samples of a file, of any format that `wimax iq decode` reads.

    `format`: a name of `wimax iq decode --format`; "": from the header or the file's name. `first`: first sample, from 0. `count`: at most this number of
    samples, None: all."""
    faults = [f"{name}: {value}: allowed 0 and above" for name, value in (("first", first), ("count", count)) if value is not None and value < 0]
    if faults:
        raise ValueError("\n".join(faults))
    samples, rate_hz, repaired = core.read_recording(str(path), format, first, count)
    metadata: dict[str, Any] = {}
    if core.is_sigmf(str(path)):
        metadata = json.loads(Path(core.sigmf_meta_path(str(path))).read_text(encoding="utf-8"))
    offset = metadata.get("global", {}).get("core:offset", 0)  # of the first sample of this file in a split recording
    try:
        annotations = tuple(_annotation(keys, offset) for keys in metadata.get("annotations", ()) if keys.get("core:sample_start", -1) >= offset)
    except (AttributeError, TypeError, ValueError) as fault:
        raise ValueError(f"{path}: annotations: {fault}: allowed objects with core:sample_start, whole numbers from 0") from None
    return Recording(samples, rate_hz or None, repaired, annotations, metadata)


def write(path: FilePath, samples: Any, sample_rate_hz: float, description: str = "", annotations: Iterable[Annotation] = ()) -> None:
    """Writes samples (n) as a SigMF pair (`.sigmf-meta` or `.sigmf-data`) or as little-endian float32 pairs (`.cf32`).

    `sample_rate_hz`: in Hz, above 0. `description`, `annotations`: of a SigMF pair."""
    faults = []
    if not (np.isfinite(sample_rate_hz) and sample_rate_hz > 0):
        faults.append(f"sample_rate_hz: {sample_rate_hz}: allowed above 0")
    known = list(annotations)
    if known and not core.is_sigmf(str(path)):
        faults.append(f"annotations: {path} is not a SigMF pair: allowed .sigmf-meta, .sigmf-data")
    if faults:
        raise ValueError("\n".join(faults))
    try:
        array = np.asarray(samples, np.complex64)
    except (TypeError, ValueError):
        raise ValueError(f"samples: {type(samples).__name__} is not an array of complex numbers") from None
    core.write_recording(str(path), array, float(sample_rate_hz), description)
    if known:
        annotate(path, known)


def annotate(path: FilePath, annotations: Iterable[Annotation]) -> None:
    """Replaces this project's annotations of a SigMF pair; those of other programs stay. ValueError if the pair cannot be read or written."""
    own = {"core:generator": core.recording_generator}
    core.annotate_recording(str(path), [json.dumps({**one.keys(), **own}, allow_nan=False) for one in sorted(annotations, key=lambda one: one.start)])
