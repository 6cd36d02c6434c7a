// SPDX-License-Identifier: GPL-3.0-or-later
// The simulator: a cell from the text of a scenario, run in steps, read and changed between them.
#include "sim/cell_snapshot.h"
#include "sim/grant_log.h"
#include "sim/pdu_records.h"
#include "sim/scenario_flows.h"
#include "sim/scenario_text.h"
#include "sim/status_tables.h"
#include "tools/bindings/bindings.h"

#include <pybind11/stl.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace wimax::bindings {
namespace {

using sim::Grant, sim::PduRecord;
using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;

template <class T> py::array_t<T> array(const std::vector<T>& values) {
    return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

py::dict columns(sim::FigureTable& table) {
    py::dict d;
    for (const auto& column : table.take()) d[py::str(column.name)] = array(column.values);
    return d;
}

/// An array of one value for each flow.
template <class Of> auto each(const sim::TrafficMix& traffic, const Of& of) {
    using T = std::decay_t<decltype(of(*traffic.flows().front()))>;
    std::vector<T> values;
    values.reserve(traffic.flows().size());
    for (const auto& flow : traffic.flows()) values.push_back(of(*flow));
    return array(values);
}

/// `removed`: entries of the traffic, from 0, that a running cell has no more.
sim::WrittenScenario read(const std::string& text, const std::vector<std::string>& assignments,
                          const std::vector<size_t>& removed = {}) {
    auto written = sim::WrittenScenario::read(text, assignments);
    if (!written) refuse(written.error().lines());
    const auto& scenario = written->scenario;
    Faults faults;
    for (const auto& [key, value] : {std::pair("json", scenario.json), std::pair("csv", scenario.csv),
                                     std::pair("pcap", scenario.pcap), std::pair("plot", scenario.plot)})
        if (!value.empty()) faults.add(key, value, "no file: a script writes what it reads");
    if (faults.empty()) faults = sim::remove_entries(written->scenario, removed);
    if (!faults.empty()) refuse(faults.lines());
    return std::move(*written);
}

class SimulatedCell {
public:
    SimulatedCell(const std::string& text, const std::vector<std::string>& assignments)
        : running_(read(text, assignments)), simulation_(running_.scenario), owners_(simulation_.cell()) {
        auto& on_event = simulation_.cell().on_event;
        on_event = [this, before = on_event](size_t node, uint32_t frame, const mac::Event& event) {
            if (node == 0) owners_.changed();
            if (before) before(node, frame, event);
        };
    }
    SimulatedCell(const SimulatedCell&) = delete;
    SimulatedCell& operator=(const SimulatedCell&) = delete;

    /// Refused while a thread runs the cell without the interpreter lock.
    void check_idle() const {
        if (busy_) refuse({"cell: another thread runs it: allowed one thread at a time"});
    }
    size_t enter() {
        const Running now(*this);
        const py::gil_scoped_release others;
        simulation_.enter();
        return sim::operational(cell());
    }
    uint64_t step(uint64_t frames) {
        const Running now(*this);
        const py::gil_scoped_release others;
        return simulation_.step(frames);
    }
    /// One frame for each row; a column has the SNR of a station. NaN: unchanged.
    uint64_t step_with_snr(const Doubles& snr_db) {
        if (snr_db.ndim() != 2 || static_cast<size_t>(snr_db.shape(1)) != cell().stations())
            refuse({"snr_db: an array of the shape (frames, " + std::to_string(cell().stations()) + ") is wanted"});
        check_snr(snr_db);
        const Running now(*this);
        const py::gil_scoped_release others;
        const size_t stations = cell().stations();
        const auto rows = static_cast<uint64_t>(snr_db.shape(0));
        for (uint64_t row = 0; row < rows; ++row) {
            set_row({snr_db.data() + row * stations, stations});
            if (simulation_.step(1) == 0) return row;
        }
        return rows;
    }
    void set_snr(const Doubles& snr_db) {
        if (snr_db.ndim() != 1 || static_cast<size_t>(snr_db.shape(0)) != cell().stations())
            refuse({"snr_db: an array of the shape (" + std::to_string(cell().stations()) + ",) is wanted"});
        check_snr(snr_db);
        set_row({snr_db.data(), cell().stations()});
    }
    void finish() {
        const Running now(*this);
        const py::gil_scoped_release others;
        simulation_.finish();
    }

    std::vector<std::string> reload(const std::string& text, const std::vector<std::string>& assignments,
                                    const std::vector<size_t>& removed) {
        auto fresh = read(text, assignments, removed);
        auto unchanged = sim::reload(simulation_, running_, fresh);
        if (!unchanged) refuse(unchanged.error().lines());
        running_ = std::move(fresh);
        return *unchanged;
    }
    /// Entry and station from 0; no station: all of the entry.
    void change_flow(size_t entry, std::optional<size_t> station, const std::string& text) {
        const auto& traffic = simulation_.scenario().traffic;
        if (entry >= traffic.size())
            refuse({Fault{"entry", std::to_string(entry + 1), "1.." + std::to_string(traffic.size())}.str()});
        if (traffic[entry].removed)
            refuse({Fault{"entry", std::to_string(entry + 1), "entries that have not been removed"}.str()});
        if (station && (*station >= cell().stations() || !traffic[entry].is_of(*station)))
            refuse({Fault{"station", std::to_string(*station + 1), "stations of the entry"}.str()});
        if (station && traffic[entry].multicast)
            refuse({Fault{"station", std::to_string(*station + 1), "none with multicast: one flow serves all"}.str()});
        const auto change = sim::read_change(text, traffic[entry].kind);
        if (!change) refuse(change.error().lines());
        simulation_.traffic().change(entry, station, *change, cell().now());
    }
    void command(const std::string& name, size_t station, const std::string& text) {
        check_station(station);
        const auto faults = sim::command(simulation_, name, station, text);
        if (!faults.empty()) refuse(faults.lines());
    }

    py::dict stations() const {
        const sim::CellSnapshot f(cell());
        py::dict d;
        d["operational"] = array(f.operational).attr("astype")("bool");
        d["snr_db"] = array(f.snr_db);
        d["dl_rate_id"] = array(f.dl_rate_id);
        d["ul_rate_id"] = array(f.ul_rate_id);
        d["dl_backlog_bytes"] = array(f.dl_backlog_octets);
        d["ul_backlog_bytes"] = array(f.ul_backlog_octets);
        d["dl_bytes"] = array(f.dl_octets);
        d["ul_bytes"] = array(f.ul_octets);
        return d;
    }
    py::dict flows() const;
    /// Columns of the base station, the stations and the service flows.
    py::tuple tables() const {
        sim::StatusTables tables(cell());
        return py::make_tuple(columns(tables.base_station), columns(tables.stations), columns(tables.flows));
    }
    /// Upper ends of the bins in ms, and counts. From 0; absent: all.
    py::tuple delays(std::optional<size_t> entry, std::optional<size_t> station) const {
        auto sum = sim::delays_us();
        for (const auto& flow : simulation_.traffic().flows())
            if ((!entry || flow->ends().entry == *entry) && (!station || flow->ends().station == *station))
                sum.add(flow->record().delay());
        std::vector<double> ends;
        std::vector<uint64_t> counts;
        sum.bins([&](double us, uint64_t count) {
            ends.push_back(us / 1000);
            counts.push_back(count);
        });
        return py::make_tuple(array(ends), array(counts));
    }
    /// Node 0 is the base station.
    std::string status(size_t node) const {
        if (node > 0) check_station(node - 1);
        const auto json = node == 0 ? cell().base_station().status() : cell().station(node - 1).status();
        return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
    std::string result() const { return simulation_.result().dump(); }

    void record_grants(bool on) {
        if (on && !grants_) grants_.emplace(cell().air(), owners_);
        simulation_.cell().tap = on ? &*grants_ : nullptr;
    }
    py::array_t<Grant> grants() const { return array(grants_ ? grants_->grants() : std::vector<Grant>()); }
    py::array_t<uint16_t> grant_cids() const { return array(grants_ ? grants_->cids() : std::vector<uint16_t>()); }
    void clear_grants() {
        if (grants_) grants_->clear();
    }
    /// Begins a new record with this limit, or ends recording (0).
    void record_pdus(size_t most_octets) {
        simulation_.cell().base_station().tap = nullptr;
        if (most_octets == 0) return;
        simulation_.cell().base_station().tap = &pdus_.emplace(cell(), owners_, most_octets);
    }
    py::array_t<PduRecord> pdu_records() const { return array(pdus_ ? pdus_->records() : std::vector<PduRecord>()); }
    py::bytes pdu_octets(size_t record) const {
        if (!pdus_ || record >= pdus_->records().size()) refuse({"record: none of this number"});
        const auto octets = pdus_->octets(pdus_->records()[record]);
        return {reinterpret_cast<const char*>(octets.data()), octets.size()};
    }
    uint64_t pdus_dropped() const { return pdus_ ? pdus_->dropped() : 0; }
    void clear_pdus() {
        if (pdus_) pdus_->clear();
    }
    uint16_t basic_cids() const { return cell().basic_cids; }

    const char* phase() const {
        constexpr std::array kNames{"entry", "warm-up", "measurement", "arrival", "over"};
        return kNames[static_cast<size_t>(simulation_.phase())];
    }
    double time_s() const { return cell().seconds(cell().now()); }
    double measured_s() const {
        return simulation_.phase() == sim::Simulation::Phase::entry ? 0 : simulation_.measured_s();
    }
    /// measured_s() of the next frames.
    std::vector<double> times_s(size_t frames) const {
        const bool entry = simulation_.phase() == sim::Simulation::Phase::entry;
        std::vector<double> times(frames);
        for (size_t k = 0; k < frames; ++k) times[k] = entry ? 0 : simulation_.measured_s_after(k);
        return times;
    }
    const sim::Cell& cell() const { return simulation_.cell(); }
    size_t station_count() const { return cell().stations(); }
    size_t entries() const { return simulation_.scenario().traffic.size(); }
    uint64_t frame_count() const { return cell().counters().frames; }
    double frame_s() const { return cell().timing().frame_seconds(); }
    double slot_s() const { return 4.0 / static_cast<double>(cell().timing().sample_rate_hz); }

private:
    void check_station(size_t station) const {
        if (station >= cell().stations())
            refuse({Fault{"station", std::to_string(station + 1), "1.." + std::to_string(cell().stations())}.str()});
    }
    static void check_snr(const Doubles& snr_db) {
        for (py::ssize_t i = 0; i < snr_db.size(); ++i)
            if (const double v = snr_db.data()[i]; v < sim::kLeastSnrDb || v > sim::kMostSnrDb)
                refuse({Fault{"snr_db", config::print_number(v),
                              config::print_number(sim::kLeastSnrDb) + ".." + config::print_number(sim::kMostSnrDb)}
                            .str()});
    }
    void set_row(std::span<const double> snr_db) {
        for (size_t n = 0; n < snr_db.size(); ++n)
            if (!std::isnan(snr_db[n])) simulation_.cell().path(n).set_snr_db(snr_db[n]);
    }

    /// Construct and destroy it with the interpreter lock.
    class Running {
    public:
        explicit Running(SimulatedCell& cell) : cell_(cell) {
            cell_.check_idle();
            cell_.busy_ = true;
        }
        ~Running() { cell_.busy_ = false; }
        Running(const Running&) = delete;
        Running& operator=(const Running&) = delete;

    private:
        SimulatedCell& cell_;
    };

    bool busy_ = false;
    sim::WrittenScenario running_;
    sim::Simulation simulation_;
    sim::CidOwners owners_;
    std::optional<sim::GrantLog> grants_;
    std::optional<sim::PduRecords> pdus_;
};

py::dict SimulatedCell::flows() const {
    using Flow = sim::TrafficFlow;
    const auto& all = simulation_.traffic();
    const double seconds = std::min(simulation_.course().measured_s, measured_s());
    py::dict d;
    d["station"] = each(all, [](const Flow& f) { return static_cast<uint32_t>(f.ends().station + 1); });
    d["entry"] = each(all, [](const Flow& f) { return static_cast<uint32_t>(f.ends().entry + 1); });
    d["uplink"] = each(all, [](const Flow& f) {
                      return static_cast<uint8_t>(f.config().direction == sim::Direction::uplink);
                  }).attr("astype")("bool");
    d["offered_packets"] = each(all, [](const Flow& f) { return f.record().sent(); });
    d["delivered_packets"] = each(all, [](const Flow& f) { return f.record().received(); });
    d["missing_packets"] = each(all, [](const Flow& f) { return f.record().missing(); });
    d["refused_packets"] = each(all, [](const Flow& f) { return f.record().refused(); });
    d["reordered_packets"] = each(all, [](const Flow& f) { return f.record().reordered(); });
    d["duplicated_packets"] = each(all, [](const Flow& f) { return f.record().duplicates(); });
    d["bytes"] = each(all, [](const Flow& f) { return f.record().octets(); });
    d["goodput_bps"] = each(all, [seconds](const Flow& f) {
        return seconds > 0 ? 8 * static_cast<double>(f.record().octets()) / seconds : 0.0;
    });
    d["delay_mean_ms"] = each(all, [](const Flow& f) { return f.record().delay().mean() / 1000; });
    d["delay_max_ms"] = each(all, [](const Flow& f) { return f.record().delay().max() / 1000; });
    d["late_fraction"] = each(all, [](const Flow& f) { return f.record().late_fraction(); });
    return d;
}

/// Every key of a scenario with unit, range and default.
std::string scenario_reference() {
    sim::Scenario scenario;
    config::Schema schema("scenario");
    declare(schema, scenario);
    return schema.print(true);
}

/// A method that no thread may call while another one runs the cell.
template <class R, class... A> auto idle(R (SimulatedCell::*method)(A...)) {
    return [method](SimulatedCell& cell, A... of) {
        cell.check_idle();
        return (cell.*method)(of...);
    };
}
template <class R, class... A> auto idle(R (SimulatedCell::*method)(A...) const) {
    return [method](const SimulatedCell& cell, A... of) {
        cell.check_idle();
        return (cell.*method)(of...);
    };
}

}  // namespace

void add_simulator(py::module_& m) {
    PYBIND11_NUMPY_DTYPE(Grant, frame, start_slot, octets, first_cid, cids, cid, station, symbols, uplink, kind,
                         rate_id, iuc, subchannel);
    PYBIND11_NUMPY_DTYPE(PduRecord, time_s, at, frame, octets, offset, cinr_db, cid, station, uplink, burst, kind,
                         rate_id, iuc, state);
    m.def("scenario_reference", &scenario_reference);
    using C = SimulatedCell;
    py::class_<C>(m, "Simulation", "A cell that the package's class Cell drives.")
        .def(py::init<const std::string&, const std::vector<std::string>&>(), py::arg("text"), py::arg("assignments"))
        .def("enter", &C::enter)
        .def("step", &C::step, py::arg("frames"))
        .def("step_with_snr", &C::step_with_snr, py::arg("snr_db"))
        .def("set_snr", idle(&C::set_snr), py::arg("snr_db"))
        .def("finish", &C::finish)
        .def("reload", idle(&C::reload), py::arg("text"), py::arg("assignments"), py::arg("removed"))
        .def("change_flow", idle(&C::change_flow), py::arg("entry"), py::arg("station"), py::arg("text"))
        .def("command", idle(&C::command), py::arg("name"), py::arg("station"), py::arg("text"))
        .def("stations", idle(&C::stations))
        .def("flows", idle(&C::flows))
        .def("tables", idle(&C::tables))
        .def("delays", idle(&C::delays), py::arg("entry"), py::arg("station"))
        .def("status", idle(&C::status), py::arg("node"))
        .def("result", idle(&C::result))
        .def("record_grants", idle(&C::record_grants), py::arg("on"))
        .def("grants", idle(&C::grants))
        .def("grant_cids", idle(&C::grant_cids))
        .def("clear_grants", idle(&C::clear_grants))
        .def("record_pdus", idle(&C::record_pdus), py::arg("most_octets"))
        .def("pdu_records", idle(&C::pdu_records))
        .def("pdu_octets", idle(&C::pdu_octets), py::arg("record"))
        .def_property_readonly("pdus_dropped", &C::pdus_dropped)
        .def("clear_pdus", idle(&C::clear_pdus))
        .def_property_readonly("basic_cids", &C::basic_cids)
        .def_property_readonly("phase", &C::phase)
        .def_property_readonly("time_s", &C::time_s)
        .def_property_readonly("measured_s", &C::measured_s)
        .def("times_s", idle(&C::times_s))
        .def_property_readonly("station_count", &C::station_count)
        .def_property_readonly("entry_count", &C::entries)
        .def_property_readonly("frame_count", &C::frame_count)
        .def_property_readonly("frame_s", &C::frame_s)
        .def_property_readonly("slot_s", &C::slot_s);
}

}  // namespace wimax::bindings
