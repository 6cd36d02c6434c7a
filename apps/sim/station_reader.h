// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of MACs with their owners: the node itself, a station, or one of a station's flows.
#pragma once

#include "common/figure_reader.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace wimax::sim {

class StationReader : public FigureReader {
public:
    void number(std::string_view path, const char* key, double value) final { figure(place(), path, key, value); }
    void text(std::string_view path, const char* key, std::string_view value) final;
    void begin(const char* list) final;
    void end() final;

protected:
    enum class Place : uint8_t {
        node,     ///< the MAC that reports
        station,  ///< in a base station's list
        flow,     ///< in the list of a station
        other,    ///< in any other list
    };
    /// A station of the list or a flow begins. Of a station: its address is known.
    virtual void began(Place /*place*/) {}
    virtual void figure(Place place, std::string_view path, std::string_view key, double value) = 0;
    virtual void named(Place /*place*/, std::string_view /*key*/, std::string_view /*value*/) {}
    /// Number of the station in the cell, from 0; nullopt: none of it.
    std::optional<size_t> station() const { return station_; }
    /// For the figures of the station's MAC.
    void set_station(size_t station) { station_ = station; }

private:
    Place place() const { return places_.empty() ? Place::node : places_.back(); }

    std::vector<Place> places_;
    std::optional<size_t> station_;
};

}  // namespace wimax::sim
