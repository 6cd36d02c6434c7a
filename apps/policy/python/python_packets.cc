// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/python/python_packets.h"

#include "policy/python/python_values.h"

#include <limits>

namespace wimax::policy {
namespace {

PyStructSequence_Field kQueueFields[] = {
    {"cid", "transport CID: the same flow in all frames, until it is deleted"},
    {"sfid", "0: a multicast connection"},
    {"scheduling", "'BE', 'nrtPS', 'rtPS', 'ertPS' or 'UGS'"},
    {"priority", "traffic priority, 0..7, higher is sooner"},
    {"min_rate_bps", "minimum reserved rate; 0: none"},
    {"max_rate_bps", "maximum sustained rate; 0: none"},
    {"max_latency_ms", "0: none"},
    {"packets", "waiting"},
    {"octets", "waiting"},
    {"limit_octets", "of the queue"},
    {"head_age_s", "time that the oldest packet has waited; 0: none waits"},
    {"served_bps", "rate of service while packets waited, mean of about 100 ms"},
    {"arrived_octets", "since the previous call, with dropped ones"},
    {"sent_octets", "since the previous call"},
    {"dropped", "packets since the previous call, for any reason"},
    {"marked", "packets since the previous call, by ECN"},
    {nullptr, nullptr},
};
PyStructSequence_Field kQueuesFields[] = {
    {"number", "frame number, 24 bits"},
    {"time_s", "start of the frame on the sample clock"},
    {"queues", "tuple of Queue"},
    {nullptr, nullptr},
};
PyStructSequence_Field kCandidateFields[] = {
    {"cid", "transport CID"},
    {"sfid", "service flow identifier"},
    {"name", "of the service flow, possibly empty"},
    {"scheduling", "'BE', 'nrtPS', 'rtPS', 'ertPS' or 'UGS'"},
    {"priority", "traffic priority, 0..7, higher is sooner"},
    {"min_rate_bps", "minimum reserved rate; 0: none"},
    {"max_rate_bps", "maximum sustained rate; 0: none"},
    {"max_latency_ms", "0: none"},
    {"rank", "of the built-in classifier, which selects the highest; -1: the rules exclude the packet"},
    {nullptr, nullptr},
};
PyStructSequence_Field kPacketFields[] = {
    {"time_s", "start of the present frame on the sample clock"},
    {"station", "base station: basic CID of the destination; 0: the uplink of a subscriber station"},
    {"ip_version", "4, 6; 0: neither"},
    {"ethernet", "an Ethernet frame, whose addresses are MAC addresses"},
    {"source", "address, bytes of length 4, 16 or 6"},
    {"destination", "address, bytes of length 4, 16 or 6"},
    {"tos", "type of service or traffic class: DSCP and ECN"},
    {"protocol", "of the transport header"},
    {"source_port", "TCP and UDP; None: unknown"},
    {"destination_port", "TCP and UDP; None: unknown"},
    {"ethertype", "of an Ethernet frame, after a tag"},
    {"tag", "of 802.1Q: 3 bits priority, one bit, 12 bits VLAN ID; None: no tag"},
    {"length", "octets"},
    {"octets", "the packet, as bytes"},
    {"flows", "tuple of Candidate"},
    {nullptr, nullptr},
};

PyTypeObject* queue_type() {
    static PyTypeObject* type = new_type("wimax.policy.Queue", "The queue of a service flow", kQueueFields);
    return type;
}
PyTypeObject* queues_type() {
    static PyTypeObject* type = new_type("wimax.policy.Queues", "Queues at the begin of a frame", kQueuesFields);
    return type;
}
PyTypeObject* candidate_type() {
    static PyTypeObject* type =
        new_type("wimax.policy.Candidate", "A service flow that can carry the packet", kCandidateFields);
    return type;
}
PyTypeObject* packet_type() {
    static PyTypeObject* type = new_type("wimax.policy.Packet", "A packet to be classified", kPacketFields);
    return type;
}

PyRef python_queue(const wimax_policy_queue& q) {
    return make(queue_type(), q.cid, q.sfid, service_of(q.scheduling), q.priority, q.min_rate_bps, q.max_rate_bps,
                q.max_latency_ms, q.packets, q.octets, q.limit_octets, q.head_age_s, q.served_bps, q.arrived_octets,
                q.sent_octets, q.dropped, q.marked);
}

PyRef bytes_of(const uint8_t* octets, size_t count) {
    return PyRef(PyBytes_FromStringAndSize(reinterpret_cast<const char*>(octets), static_cast<Py_ssize_t>(count)));
}

/// Names from the air are not always UTF-8.
PyRef text_of(const char* text) {
    return PyRef(PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(std::char_traits<char>::length(text)), "replace"));
}

PyRef number_or_none(bool given, uint32_t value) {
    return given ? PyRef(PyLong_FromUnsignedLong(value)) : PyRef(Py_NewRef(Py_None));
}

PyRef python_candidate(const wimax_policy_candidate& c) {
    return make(candidate_type(), c.cid, c.sfid, text_of(c.name), service_of(c.scheduling), c.priority, c.min_rate_bps,
                c.max_rate_bps, c.max_latency_ms, PyRef(PyLong_FromLong(c.rank)));
}

/// The number `value` of a directive; false: it is none.
bool read_number(PyObject* value, double& number) {
    number = PyFloat_AsDouble(value);
    if (number != -1 || PyErr_Occurred() == nullptr) return true;
    PyErr_Clear();
    return false;
}

/// One key of a directive. Empty: it is set.
std::string read_value(const std::string& key, PyObject* value, wimax_policy_directive& directive) {
    double number = 0;
    if (!read_number(value, number)) return "no number for " + key;
    if (key == "drop_probability") directive.drop_probability = number;
    else if (key == "mark_probability") directive.mark_probability = number;
    else if (key == "codel") directive.codel = number != 0 ? 1 : 0;
    else if (key != "drop_head") return "the key " + key;
    else if (!(number >= 0 && number <= std::numeric_limits<uint32_t>::max())) return "drop_head out of range";
    else directive.drop_head = static_cast<uint32_t>(number);
    return {};
}

/// None, the default; or a dictionary of what differs from it.
std::string read_directive(PyObject* of, wimax_policy_directive& directive) {
    if (of == Py_None) return {};
    if (PyDict_Check(of) == 0) return "a value of type " + std::string(Py_TYPE(of)->tp_name);
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(of, &at, &key, &value) != 0;) {
        const char* name = PyUnicode_Check(key) != 0 ? PyUnicode_AsUTF8(key) : nullptr;
        if (name == nullptr) PyErr_Clear();
        const auto wrong = read_value(name != nullptr ? name : "(no text)", value, directive);
        if (!wrong.empty()) return wrong;
    }
    return {};
}

}  // namespace

PyRef python_queues(const wimax_policy_queues& queues) {
    auto all = tuple_of(queues.queue_count, [&](size_t i) { return python_queue(queues.queues[i]); });
    if (!all) return PyRef();
    return make(queues_type(), queues.number, queues.time_s, std::move(all));
}

PyRef python_packet(const wimax_policy_packet& p) {
    const size_t address = p.ethernet != 0 ? 6 : p.ip_version == 6 ? 16 : 4;
    auto flows = tuple_of(p.flow_count, [&](size_t i) { return python_candidate(p.flows[i]); });
    if (!flows) return PyRef();
    return make(packet_type(), p.time_s, p.station, p.ip_version, p.ethernet != 0, bytes_of(p.source, address),
                bytes_of(p.destination, address), p.tos, p.protocol, number_or_none(p.has_ports != 0, p.source_port),
                number_or_none(p.has_ports != 0, p.destination_port), p.ethertype,
                number_or_none(p.has_tag != 0, p.tag), p.length, bytes_of(p.octets, p.length), std::move(flows));
}

std::string read_directives(PyObject* result, std::span<wimax_policy_directive> directives) {
    const std::string expected = ", expected: a list of " + std::to_string(directives.size()) +
                                 " values, each None or a dictionary with drop_probability, mark_probability, "
                                 "drop_head, codel";
    const bool listed = PyList_Check(result) != 0 || PyTuple_Check(result) != 0;
    const PyRef list(listed ? PySequence_Fast(result, "") : nullptr);
    if (!list) return "a value of type " + std::string(Py_TYPE(result)->tp_name) + expected;
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(list.get());
    if (size != static_cast<Py_ssize_t>(directives.size())) return std::to_string(size) + " values" + expected;
    for (Py_ssize_t i = 0; i < size; ++i) {
        const auto wrong = read_directive(PySequence_Fast_GET_ITEM(list.get(), i), directives[static_cast<size_t>(i)]);
        if (!wrong.empty()) return wrong + expected;
    }
    return {};
}

std::string read_choice(PyObject* result, int32_t& flow) {
    flow = -1;
    if (result == Py_None) return {};
    const PyRef index(PyNumber_Index(result));
    const long value = index ? PyLong_AsLong(index.get()) : -1;
    PyErr_Clear();
    if (!index)
        return "a value of type " + std::string(Py_TYPE(result)->tp_name) + ", expected: an index of flows, or None";
    if (value < 0 || value > std::numeric_limits<int32_t>::max())
        return "a number that is no index of flows, expected: an index, or None";
    flow = static_cast<int32_t>(value);
    return {};
}

}  // namespace wimax::policy
