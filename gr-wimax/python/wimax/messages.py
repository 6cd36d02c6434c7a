# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversion of the WiMAX blocks' PDUs from and to Python dictionaries. Keys are those of gnuradio/wimax/block_messages.h,
phy/base/burst_types.h and phy/base/burst_requests.h; payload as bytes."""
import pmt

from .wimax_python import bandwidth_range_hz, rate_table, sample_rate_hz


def capacity_bytes(rate_id, data_symbols):
    """Bytes of MAC PDUs in a full-band burst; one further byte is the tail of the convolutional code."""
    return rate_table()[rate_id][1] * data_symbols - 1


def channel_rate_hz(bandwidth_hz):
    """Samples per second of a channel (clause 8.3.2)."""
    rate, (low, high) = sample_rate_hz(bandwidth_hz), bandwidth_range_hz()
    if rate is None:
        raise ValueError(f"bandwidth_hz: value {bandwidth_hz}, allowed {low} .. {high}")
    return rate


def symbol_samples(cp_denominator):
    """Samples of an OFDM symbol with its cyclic prefix (clause 8.3.2)."""
    return 256 + 256 // cp_denominator


def total_symbols(keys):
    """OFDM symbols on the air of a burst with these keys: preamble, data and midambles."""
    interval, data = (0, 8, 16, 32, 4)[keys["midamble_interval"]], keys["data_symbols"]
    return keys["preamble_symbols"] + data + ((data - 1) // interval if interval and data else 0)


def burst(start_slot, rate_id, data_symbols, iuc=0, preamble_symbols=0, bsid_lsb=0, frame_lsb=0, midamble_interval=0,
          subchannel_index=16, attenuation_db=0, **more):
    """One burst of a `tx` or `expect` message. `more`: payload (bytes) for `tx`; search_slots, kind, cid for `expect`; any other key of
    phy/base/burst_types.h, as stc=True in an STC zone, which begins 3 symbols before its first burst (preamble and FCH)."""
    return dict(start_slot=start_slot, rate_id=rate_id, iuc=iuc, preamble_symbols=preamble_symbols, data_symbols=data_symbols,
                midamble_interval=midamble_interval, subchannel_index=subchannel_index, bsid_lsb=bsid_lsb, frame_lsb=frame_lsb,
                attenuation_db=attenuation_db, **more)


def tx_frame(direction, frame_number, frame_start_sample, bursts, cp_denominator=8, bsid_lsb=0, change_count_lsb=0,
             timing_advance_samples=0, frequency_hz=0.0, power_dbfs=0.0, codes=()):
    """All bursts of one frame for `burst_transmitter`; each burst has its "payload". Uplink: also focused contention codes."""
    payloads = [bytes(b.get("payload", b"")) for b in bursts]
    items = [dict({k: v for k, v in b.items() if k != "payload"}, payload_bytes=len(p)) for b, p in zip(bursts, payloads)]
    return pdu(b"".join(payloads), message="tx", direction=direction, frame_number=frame_number,
               frame_start_sample=frame_start_sample, bursts=items, cp_denominator=cp_denominator, bsid_lsb=bsid_lsb,
               change_count_lsb=change_count_lsb, timing_advance_samples=timing_advance_samples,
               frequency_hz=float(frequency_hz), power_dbfs=float(power_dbfs), codes=list(codes))


def contention_code(start_slot, channel, code, boost_db=0.0):
    """A code of clause 8.3.7.3 for the opportunity that starts at start_slot: channel 0 .. 47, code 0 .. 7, boost 0 .. 30 dB."""
    return dict(start_slot=start_slot, channel=channel, code=code, boost_db=float(boost_db))


def expectation(frame_number, bursts=(), first_uplink_slot=0, want_prefix_bursts=True, next_uplink_slot=0, stc_zone_slots=(),
                contention_slots=()):
    """Bursts that a receiver shall decode in a frame. Subscriber station: also start slots of STC zones that no frame prefix announces.
    Base station: also start slots of focused contention opportunities."""
    items = [dict({"search_slots": 0, "kind": 0, "cid": 0}, **b) for b in bursts]
    slots = lambda values: pmt.init_u32vector(len(values), list(values))
    return pdu(b"", message="expect", frame_number=frame_number, bursts=items, first_uplink_slot=first_uplink_slot,
               next_uplink_slot=next_uplink_slot, want_prefix_bursts=want_prefix_bursts, stc_zone_slots=slots(stc_zone_slots),
               contention_slots=slots(contention_slots))


def control(attached=None, first_frame_number=None):
    keys = {"attached": attached, "first_frame_number": first_frame_number}
    return pdu(b"", message="control", **{k: v for k, v in keys.items() if v is not None})


def pdu(payload=b"", **keys):
    return pmt.cons(_dict(keys), pmt.init_u8vector(len(payload), list(payload)))


def parse(message):
    """Dictionary of a PDU's keys; "payload" has its octets (or the samples of a c32vector)."""
    keys = pmt.to_python(pmt.car(message)) or {}  # None: an empty dictionary
    data = pmt.cdr(message)
    keys["payload"] = bytes(pmt.u8vector_elements(data)) if pmt.is_u8vector(data) else pmt.to_python(data)
    return keys


def _dict(keys):
    d = pmt.make_dict()
    for name, value in keys.items():
        d = pmt.dict_add(d, pmt.intern(name), _value(value))
    return d


def _value(value):
    if isinstance(value, pmt.pmt_base):
        return value
    if isinstance(value, dict):
        return _dict(value)
    if isinstance(value, (list, tuple)):
        vector = pmt.make_vector(len(value), pmt.PMT_NIL)
        for i, item in enumerate(value):
            pmt.vector_set(vector, i, _value(item))
        return vector
    if isinstance(value, bool):
        return pmt.from_bool(value)
    if isinstance(value, int):
        return pmt.from_long(value)
    if isinstance(value, float):
        return pmt.from_double(value)
    return pmt.intern(value)
