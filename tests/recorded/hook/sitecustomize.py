# SPDX-License-Identifier: GPL-3.0-or-later
"""Put on PYTHONPATH by test_recorded_pages: each picture that matplotlib saves is described in a file of the folder WIMAX_FIGURES."""
import json
import os
import sys
from pathlib import Path

if "WIMAX_FIGURES" in os.environ:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    import drawn
    import matplotlib.figure

    save = matplotlib.figure.Figure.savefig

    def described(self, file, *args, **more):
        save(self, file, *args, **more)
        folder = Path(os.environ["WIMAX_FIGURES"])
        (folder / f"{len(list(folder.iterdir())):03}.json").write_text(json.dumps(drawn.figure(self)), encoding="utf-8")
    matplotlib.figure.Figure.savefig = described
