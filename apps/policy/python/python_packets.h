// SPDX-License-Identifier: GPL-3.0-or-later
// Python objects for the policies of packets: queues with their directives, and packets with the flows for them.
#pragma once

#include "policy/python/python_objects.h"

#include <span>
#include <string>

namespace wimax::policy {

/// Null after a failure, with an exception set.
PyRef python_queues(const wimax_policy_queues& queues);
PyRef python_packet(const wimax_policy_packet& packet);

/// Reads what manage() returned. Empty: it is a list with one directive for each queue; else what is wrong.
std::string read_directives(PyObject* result, std::span<wimax_policy_directive> directives);
/// Reads what classify() returned: an index or None.
std::string read_choice(PyObject* result, int32_t& flow);

}  // namespace wimax::policy
