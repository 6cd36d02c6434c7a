# SPDX-License-Identifier: GPL-3.0-or-later
"""The report's tables: figures of the signal, frames and bursts."""
from wimax_tools.signal import analysis
from wimax_tools.signal.page import RATES

LISTED_BURSTS = 400
SHOWN_OCTETS = 256  # of a payload
MASK_ROW = "Spectral mask, nearest approach"


def verdict(margin):
    return "pass" if margin >= 0 else "fail"


def summary(page, figures, transmitter=True):
    """Figures of clause 8.3.10; without verdicts for a signal that came over the air."""
    rows = [(f"Constellation error, {c['rate']}", f"{c['error_db']:.1f} dB", f"{c['limit_db']:.1f} dB",
             f"{c['margin_db']:+.1f} dB", verdict(c["margin_db"]), f"{c['symbols']} symbols")
            for c in figures["constellation"]]
    if "flatness" in figures:
        f = figures["flatness"]
        rows.append(("Spectral flatness, peak to peak", f"{f['peak_to_peak_db']:.2f} dB", "±2, outer +2/−4 dB",
                     f"{f['margin_db']:+.2f} dB", verdict(f["margin_db"]), "carriers ±1..±100"))
        rows.append(("Neighbouring carriers, largest step", f"{f['neighbour_db']:.3f} dB", f"{f['neighbour_limit_db']:.1f} dB",
                     f"{f['neighbour_limit_db'] - f['neighbour_db']:+.3f} dB",
                     verdict(f["neighbour_limit_db"] - f["neighbour_db"]), ""))
    if "carrier_zero" in figures:
        z = figures["carrier_zero"]
        rows.append(("Carrier 0 against all", f"{z['level_db']:.1f} dB", f"{z['limit_db']:.0f} dB",
                     f"{z['limit_db'] - z['level_db']:+.1f} dB", verdict(z["limit_db"] - z["level_db"]), ""))
    if "mask" in figures:
        m = figures["mask"]
        rows.append((MASK_ROW, f"at {m['at_hz'] / 1e6:+.3f} MHz", "mask", f"{m['margin_db']:+.1f} dB",
                     verdict(m["margin_db"]), f"±{-m['frequency_hz'][0] / 1e6:.2f} MHz, {m['resolution_hz'] / 1e3:.1f} kHz"))
    if "crest" in figures:
        c = figures["crest"]
        rows.append(("Peak to average power", f"{c['papr_db']:.1f} dB", None, None, None,
                     f"{c['ccdf_db']['0.001']:.1f} dB exceeded by 0.1 %"))
    if rows and transmitter:
        page.heading("Transmitter requirements, clause 8.3.10")
        page.table(("", "measured", "limit", "margin", "", ""), rows)
    elif rows:
        page.heading("Signal as received")
        page.table(("", "measured", ""), [(row[0], row[1], row[5]) for row in rows if row[0] != MASK_ROW])
    if rows:
        page.note(("The limits hold at a transmitter's own port: noise, echoes and the receiver's clock count in here."
                   if transmitter else
                   "Not judged: the limits of clause 8.3.10 are those of a transmitter's own port, and here channel, noise and receiver "
                   "count in. --transmitter judges a recording that was taken there.") + " Errors are "
              "against the nearest points: below " + ", ".join(f"{cinr:g}" for cinr in analysis.RELIABLE_CINR_DB.values())
              + " dB CINR (BPSK, QPSK, 16-QAM, 64-QAM) wrong decisions make them look smaller.")


def shown(payload):
    """Hex with places where a line may break."""
    text = " ".join(payload[i:i + 16] for i in range(0, min(len(payload), 2 * SHOWN_OCTETS), 16))
    left = len(payload) // 2 - SHOWN_OCTETS
    return text + (f" … and {left} octets, in the JSON result" if left > 0 else "")


def tables(page, decoded):
    if not decoded["frames"]:
        return
    page.heading("Frames" if decoded["direction"] == "downlink" else "Signal")
    form = lambda value, digits: None if value is None else f"{value:.{digits}f}"
    page.table(("frame", "start sample", "CP", "CFO (Hz)", "clock (ppm)", "SNR (dB)", "RSSI (dBFS)", "FCH", "number, low bits"),
               [(i, f["start_sample"], f["cp"], form(f["cfo_hz"], 1), form(f["sfo_ppm"], 2), form(f["snr_db"], 1),
                 form(f["rssi_dbfs"], 1), f["fch"] and ("ok" if f["fch"]["hcs_ok"] else "failed"),
                 f["fch"] and f["fch"]["frame_number_lsb"]) for i, f in enumerate(decoded["frames"][:LISTED_BURSTS])])
    codes = [(c["opportunity"], c["channel"], c["code"], form(c["snr_db"], 1), form(c["rssi_dbfs"], 1), form(c["certainty"], 2))
             for f in decoded["frames"] for c in f.get("contention", [])]
    if codes:
        page.heading("Focused contention")
        page.table(("opportunity", "channel", "code", "SNR (dB)", "RSSI (dBFS)", "certainty"), codes)
        return
    zones = [(i, z["index"], z["start_symbol"], "ok" if z["fch"]["hcs_ok"] else "failed", *(form(p, 1) for p in z["rssi_dbfs"]))
             for i, f in enumerate(decoded["frames"][:LISTED_BURSTS]) for z in f.get("stc_zones", [])]
    if zones:
        page.heading("STC zones")
        page.table(("frame", "zone", "start symbol", "FCH-STC", "antenna 0 (dBFS)", "antenna 1 (dBFS)"), zones)
    page.heading("Bursts")
    names = RATES
    rows = [(i, b["index"], names[b["rate_id"]] + (", STC" if b.get("stc") else ""), b.get("uiuc", b["diuc"]), b["start_symbol"], b["data_symbols"],
             form(b["evm_db"], 1), form(b["cinr_db"], 1), "ok" if b["fec_ok"] else "failed", b["corrected_bytes"],
             len(b["payload"]) // 2, shown(b["payload"]))
            for i, f in enumerate(decoded["frames"]) for b in f["bursts"]]
    page.table(("frame", "burst", "rate", "IUC", "start symbol", "data symbols", "EVM (dB)", "CINR (dB)", "FEC", "corrected",
                "bytes", "payload"), rows[:LISTED_BURSTS])
    total = decoded.get("burst_count", len(rows))
    if total > min(len(rows), LISTED_BURSTS):
        page.note(f"The first {min(len(rows), LISTED_BURSTS)} of {total} bursts; the JSON result has all.")
