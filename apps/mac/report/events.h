/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where the parts of a station tell what has happened: one line of history each. The station adds the frame.
 */
#pragma once

#include <functional>
#include <string>

namespace wimax::mac {

using EventSink = std::function<void(const char* layer, const std::string& text)>;

}  // namespace wimax::mac
