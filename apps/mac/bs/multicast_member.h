// SPDX-License-Identifier: GPL-3.0-or-later
// A station's part of a multicast connection: it belongs to the station's service flow, and is deleted with it.
#pragma once

namespace wimax::mac {

class MulticastConnection;
struct FlowContext;
struct Subscriber;

class MulticastMember {
public:
    /// All outlive the object.
    MulticastMember(MulticastConnection& connection, const Subscriber& station, const FlowContext& flow);
    ~MulticastMember();
    MulticastMember(const MulticastMember&) = delete;
    MulticastMember& operator=(const MulticastMember&) = delete;

    const MulticastConnection& connection() const { return connection_; }
    const Subscriber& station() const { return station_; }
    const FlowContext& flow() const { return flow_; }

private:
    MulticastConnection& connection_;
    const Subscriber& station_;
    const FlowContext& flow_;
};

}  // namespace wimax::mac
