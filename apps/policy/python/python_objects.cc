// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/python/python_objects.h"

#include "policy/python/python_values.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace wimax::policy {
namespace {

PyStructSequence_Field kCellFields[] = {
    {"role", "'downlink', 'uplink', 'admission' or 'link_adaptation'"},
    {"frame_s", "duration of a frame in seconds; 0: not known yet"},
    {"octets_per_unit", "octets that a resource unit carries, by rate_id"},
    {nullptr, nullptr},
};
PyStructSequence_Field kFlowFields[] = {
    {"scheduling", "'BE', 'nrtPS', 'rtPS', 'ertPS' or 'UGS'"},
    {"priority", "traffic priority, 0..7, higher is sooner"},
    {"backlog_octets", "waiting; uplink: requested and not granted"},
    {"reserved_octets", "of these, owed in this frame"},
    {"unasked_octets", "uplink: owed in addition (UGS)"},
    {"poll", "uplink: room for a request is owed"},
    {"min_rate_bps", "minimum reserved rate; 0: none"},
    {"max_rate_bps", "maximum sustained rate; 0: none"},
    {"max_latency_ms", "0: none"},
    {"deadline_s", "of the owed octets, on the clock of Frame.time_s; inf: none"},
    {nullptr, nullptr},
};
PyStructSequence_Field kStationFields[] = {
    {"cid", "basic CID: the same station in all frames, until it leaves the cell"},
    {"rate_id", "burst profile: 0 BPSK 1/2 ... 6 64-QAM 3/4"},
    {"octets_per_unit", "octets that a resource unit carries at this burst profile"},
    {"weight", "as provisioned"},
    {"owed_units", "for management messages, reserved rates, polls: give them first"},
    {"wanted_units", "for all that waits, with the owed ones"},
    {"served_units", "used since the previous call; uplink: granted in the previous call"},
    {"used_units", "uplink: mean of the last frames that its data filled"},
    {"frames_waiting", "uplink: since its last grant"},
    {"active", "uplink: it used its recent grants"},
    {"entering", "uplink: not registered yet"},
    {"flows", "tuple of Flow, in serving order"},
    {nullptr, nullptr},
};
PyStructSequence_Field kFrameFields[] = {
    {"number", "frame number, 24 bits"},
    {"time_s", "start of the frame on the sample clock"},
    {"units", "resource units to divide"},
    {"map_elements", "uplink: the most bursts"},
    {"burst_overhead_units", "uplink: that each burst costs in addition to its units"},
    {"burst_most_units", "uplink: of a burst; more units of a station need several bursts"},
    {"stations", "tuple of Station"},
    {nullptr, nullptr},
};

PyStructSequence_Field kRequestFields[] = {
    {"kind", "'station', 'new flow' or 'changed flow'"},
    {"time_s", "start of the frame on the sample clock"},
    {"mac", "address of the station, '02:00:00:00:00:01'"},
    {"cid", "its basic CID; 0: it has none yet"},
    {"known", "the configuration lists the station"},
    {"stations", "registered in the cell"},
    {"most_stations", "as configured"},
    {"cinr_db", "of the station's last burst"},
    {"fits", "the built-in policy admits it"},
    {"reason", "why the built-in policy does not"},
    {"direction", "of the flow: 'downlink' or 'uplink'; '': a station"},
    {"rate_id", "burst profile of the station in this direction"},
    {"weight", "of the station, as provisioned"},
    {"scheduling", "'BE', 'nrtPS', 'rtPS', 'ertPS' or 'UGS'"},
    {"priority", "traffic priority, 0..7"},
    {"min_rate_bps", "minimum reserved rate; 0: none"},
    {"max_rate_bps", "maximum sustained rate; 0: none"},
    {"max_latency_ms", "0: none"},
    {"cost_units", "that the flow adds to reserved_units"},
    {"reserved_units", "reserved in a frame of this direction, without the flow or its change"},
    {"units", "that can be reserved"},
    {nullptr, nullptr},
};
PyStructSequence_Field kLinkFields[] = {
    {"mac", "address of the station, '02:00:00:00:00:01'"},
    {"direction", "'downlink' or 'uplink'"},
    {"number", "of the link: a station that enters again has another one"},
    {"time_s", "of the last measurement, on the sample clock"},
    {"rate_id", "in use"},
    {"lowest_rate_id", "lowest rate that is allowed"},
    {"highest_rate_id", "highest rate that is allowed"},
    {"measurements", "of the CINR since the previous call"},
    {"cinr_db", "last measurement"},
    {"lowest_cinr_db", "since the previous call"},
    {"highest_cinr_db", "since the previous call"},
    {"mean_cinr_db", "running mean, as in REP-RSP"},
    {"arq", "all that is lost is repeated, so goodput is the aim"},
    {"target_loss", "without ARQ: allowed share of lost packets of 1500 octets"},
    {"give_up", "the present rate fails, and no other remedy is left"},
    {"needs_db", "CINR that each rate needs for the aim in white noise, by rate_id"},
    {"exit_db", "of the base station: a rate is not used at or below it"},
    {"entry_db", "of the base station: a rate is not entered from a lower one below it"},
    {"bursts", "received since the previous call, by rate_id"},
    {"lost_bursts", "of these, with an error"},
    {"blocks", "of these bursts; a block is the data of a symbol"},
    {"lost_blocks", "of these, with an error"},
    {nullptr, nullptr},
};

PyTypeObject* cell_type() {
    static PyTypeObject* type = new_type("wimax.policy.Cell", "The cell and the role of the policy", kCellFields);
    return type;
}
PyTypeObject* flow_type() {
    static PyTypeObject* type =
        new_type("wimax.policy.Flow", "A service flow with its claim to the frame", kFlowFields);
    return type;
}
PyTypeObject* station_type() {
    static PyTypeObject* type = new_type("wimax.policy.Station", "A station with its claim", kStationFields);
    return type;
}
PyTypeObject* frame_type() {
    static PyTypeObject* type = new_type("wimax.policy.Frame", "A frame to divide among stations", kFrameFields);
    return type;
}

PyTypeObject* request_type() {
    static PyTypeObject* type = new_type("wimax.policy.Request", "A station or flow to be admitted", kRequestFields);
    return type;
}
PyTypeObject* link_type() {
    static PyTypeObject* type = new_type("wimax.policy.Link", "What was measured on a link", kLinkFields);
    return type;
}

PyRef python_flow(const wimax_policy_flow& f) {
    return make(flow_type(), service_of(f.scheduling), f.priority, f.backlog_octets, f.reserved_octets,
                f.unasked_octets, f.poll != 0, f.min_rate_bps, f.max_rate_bps, f.max_latency_ms, f.deadline_s);
}

PyRef python_station(const wimax_policy_frame& frame, const wimax_policy_station& s) {
    auto flows = tuple_of(s.flow_count, [&](size_t i) { return python_flow(frame.flows[s.first_flow + i]); });
    if (!flows) return PyRef();
    return make(station_type(), s.cid, s.rate_id, s.octets_per_unit, s.weight, s.owed_units, s.wanted_units,
                s.served_units, s.used_units, s.frames_waiting, s.active != 0, s.entering != 0, std::move(flows));
}

/// A tuple by rate_id.
template <class Value> PyRef by_rate(const Value (&values)[WIMAX_POLICY_RATES]) {
    return tuple_of(WIMAX_POLICY_RATES, [&](size_t i) { return PyRef(python(values[i])); });
}

std::string text_of_mac(const uint8_t (&mac)[6]) {
    std::array<char, sizeof "00:00:00:00:00:00"> text{};
    PyOS_snprintf(text.data(), text.size(), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4],
                  mac[5]);
    return text.data();
}

const char* direction_of(uint32_t uplink) { return uplink != 0 ? "uplink" : "downlink"; }

std::string text_of(PyObject* object) {
    const PyRef text(object != nullptr ? PyObject_Str(object) : nullptr);
    const char* utf8 = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
    if (utf8 == nullptr) PyErr_Clear();
    return utf8 != nullptr ? utf8 : "";
}

/// " (file:line)" of the innermost function of a traceback.
std::string place_of(PyObject* traceback) {
    PyRef at, frame, code;
    for (PyRef next(Py_XNewRef(traceback)); next && next.get() != Py_None;) {
        at = std::move(next);
        next = PyRef(PyObject_GetAttrString(at.get(), "tb_next"));
    }
    if (at) frame = PyRef(PyObject_GetAttrString(at.get(), "tb_frame"));
    if (frame) code = PyRef(PyObject_GetAttrString(frame.get(), "f_code"));
    if (!code) {
        PyErr_Clear();
        return {};
    }
    const PyRef file(PyObject_GetAttrString(code.get(), "co_filename")),
        line(PyObject_GetAttrString(at.get(), "tb_lineno"));
    const std::string name = text_of(file.get());
    if (name == "<string>") return {};  // the host's own code
    return " (" + name + ":" + text_of(line.get()) + ")";
}

}  // namespace

std::string take_exception() {
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    const PyRef owned_type(type), owned_value(value), owned_traceback(traceback);
    if (type == nullptr) return "unknown error";
    const PyRef name(PyObject_GetAttrString(type, "__name__"));
    const std::string text = text_of(value);
    return text_of(name.get()) + (text.empty() ? "" : ": " + text) + place_of(traceback);
}

PyRef python_cell(const wimax_policy_cell& cell) {
    return make(cell_type(), cell.role, cell.frame_s, by_rate(cell.octets_per_unit));
}

PyRef python_frame(const wimax_policy_frame& frame) {
    auto stations = tuple_of(frame.station_count, [&](size_t i) { return python_station(frame, frame.stations[i]); });
    if (!stations) return PyRef();
    return make(frame_type(), frame.number, frame.time_s, frame.units, frame.map_elements, frame.burst_overhead_units,
                frame.burst_most_units, std::move(stations));
}

PyRef python_request(const wimax_policy_request& r) {
    constexpr std::array<const char*, 3> kKinds{"station", "new flow", "changed flow"};
    const bool flow = r.kind != WIMAX_POLICY_STATION;
    return make(request_type(), kKinds.at(std::min<size_t>(r.kind, kKinds.size() - 1)), r.time_s,
                PyRef(python(text_of_mac(r.mac).c_str())), r.cid, r.known != 0, r.stations, r.most_stations, r.cinr_db,
                r.fits != 0, r.reason != nullptr ? r.reason : "", flow ? direction_of(r.uplink) : "", r.rate_id,
                r.weight, service_of(r.scheduling), r.priority, r.min_rate_bps, r.max_rate_bps, r.max_latency_ms,
                r.cost_units, r.reserved_units, r.units);
}

PyRef python_link(const wimax_policy_link& l) {
    return make(link_type(), PyRef(python(text_of_mac(l.mac).c_str())), direction_of(l.uplink), l.number, l.time_s,
                l.rate_id, l.lowest_rate_id, l.highest_rate_id, l.measurements, l.cinr_db, l.lowest_cinr_db,
                l.highest_cinr_db, l.mean_cinr_db, l.arq != 0, l.target_loss, l.give_up != 0, by_rate(l.needs_db),
                by_rate(l.exit_db), by_rate(l.entry_db), by_rate(l.bursts), by_rate(l.lost_bursts), by_rate(l.blocks),
                by_rate(l.lost_blocks));
}

}  // namespace wimax::policy
