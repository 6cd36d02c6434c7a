// SPDX-License-Identifier: GPL-3.0-or-later
// Two transaction machines and a channel that loses, repeats and reorders, explored as a graph: every order in which
// both ends begin DSA, DSC and DSD, messages arrive, are lost or doubled, and time passes. Nothing is random.
#include "mac/dsx/service_transactions.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <unordered_map>

using namespace wimax::mac;

namespace test_dsx_model {

constexpr size_t kBs = 0, kSs = 1;
constexpr Samples kStepMs = 100;  // all timers are multiples of it
constexpr uint32_t kFirstFlow = 1, kFirstNewFlow = 10;

struct Budget {
    int operations = 2;  // of each end
    int losses = 1, doubles = 1;
    bool reorder = false;
    Samples message_age_ms = 200;  ///< longest transit of a message
};

struct End {
    std::map<uint32_t, uint32_t> flows, before;  // SFID: rate
    int operations = 0, unanswered = 0;
    bool lost_peer = false;
};

struct World {
    FrameClock clock;
    ServiceTransactions::Config config{700, 500, 1300, 200, 1, 1};
    std::array<ServiceTransactions, 2> machine{ServiceTransactions(DsxEnd::base_station, config),
                                               ServiceTransactions(DsxEnd::subscriber_station, config)};
    std::array<End, 2> end;
    struct Message {
        DsxMessage content;
        Samples sent;
    };
    std::array<std::vector<Message>, 2> to;  // towards each end
    uint32_t next_sfid = kFirstNewFlow;
    int losses = 0, doubles = 0;
};

/// A flow's only parameter is a rate.
class Keeper final : public FlowKeeper {
public:
    Keeper(World& world, size_t here) : FlowKeeper(world.clock), world_(world), here_(here), own_(world.end[here]) {}

    void send(const DsxMessage& message) override { world_.to[1 - here_].push_back({message, clock.now}); }
    uint8_t take(DsxKind kind, const FlowChange& request, FlowChange& answer) override {
        answer.uplink = request.uplink;
        auto& sfid = answer.uplink->sfid;
        if (kind == DsxKind::add && here_ == kBs) sfid = world_.next_sfid++;
        if (own_.flows.contains(*sfid) == (kind == DsxKind::add))
            return kind == DsxKind::add ? confirmation::kFlowExists : confirmation::kFlowNotFound;
        if (kind == DsxKind::change) own_.before[*sfid] = own_.flows[*sfid];
        own_.flows[*sfid] = *request.uplink->maximum_rate_bps;
        return confirmation::kSuccess;
    }
    void settled(DsxKind kind, uint32_t sfid, bool holds) override {
        if (!holds && kind == DsxKind::add) own_.flows.erase(sfid);
        if (!holds && kind == DsxKind::change) own_.flows[sfid] = own_.before.at(sfid);
        own_.before.erase(sfid);
    }
    uint8_t granted(DsxKind kind, const FlowChange& request, const FlowChange& answer) override {
        const uint32_t sfid = *answer.uplink->sfid;
        if (own_.flows.contains(sfid) == (kind == DsxKind::add)) return confirmation::kFlowNotFound;
        own_.flows[sfid] = *request.uplink->maximum_rate_bps;
        return confirmation::kSuccess;
    }
    void refused(DsxKind, const FlowChange&, uint8_t code) override { own_.unanswered += code == kNoAnswer; }
    bool remove(uint32_t sfid, const char*) override {
        own_.before.erase(sfid);
        return own_.flows.erase(sfid) > 0;
    }
    void peer_lost() override { own_.lost_peer = true; }

private:
    World& world_;
    size_t here_;
    End& own_;
};

void deliver(World& world, size_t to, size_t index) {
    const DsxMessage message = world.to[to][index].content;
    world.to[to].erase(world.to[to].begin() + static_cast<int64_t>(index));
    Keeper keeper(world, to);
    world.machine[to].receive(message, keeper);
}

/// False: the end may not begin it now.
bool begin(World& world, size_t at, DsxKind kind, uint32_t sfid) {
    Keeper keeper(world, at);
    const int number = ++world.end[at].operations;
    if (kind == DsxKind::remove) return world.machine[at].begin_delete(sfid, "", keeper).has_value();
    FlowChange change;
    change.uplink.emplace();
    if (kind == DsxKind::change) change.uplink->sfid = sfid;
    if (kind == DsxKind::add && at == kBs) change.uplink->sfid = world.next_sfid++;
    change.uplink->maximum_rate_bps = static_cast<uint32_t>(1000 * (at + 1)) + static_cast<uint32_t>(number);
    return world.machine[at].begin(kind, change, keeper).has_value();
}

/// -1: it does not run.
Samples left(Timer timer, Samples now) {
    if (!timer.running()) return -1;
    Samples later = 0;
    while (!timer.expired(now + later)) later += kStepMs;
    return later;
}

Samples to_next_timer(const World& world) {
    Samples next = -1;
    for (const auto& machine : world.machine)
        for (const auto& t : machine.transactions())
            for (const Timer timer : {t.timer, t.t14}) {
                const Samples time = left(timer, world.clock.now);
                if (time >= 0 && (next < 0 || time < next)) next = time;
            }
    return next;
}

/// All state that determines the future; times are relative.
std::string key_of(const World& world) {
    Buffer out;
    const auto number = [&](int64_t value) {
        for (int i = 0; i < 4; ++i) out.push_back(static_cast<uint8_t>(value >> 8 * i));
    };
    const auto rate_of = [](const FlowChange& change) {
        return change.uplink ? int64_t{change.uplink->maximum_rate_bps.value_or(0)} : -1;
    };
    const auto message = [&](const DsxMessage& content) {
        number(static_cast<int64_t>(content.index()));
        std::visit(
            [&](const auto& m) {
                number(m.tid);
                if constexpr (requires { m.cc; }) number(m.cc);
                if constexpr (requires { m.uplink; }) number(rate_of(m));
                if constexpr (requires { m.sfid; }) number(m.sfid);
            },
            content);
    };
    for (const auto& machine : world.machine) {
        number(static_cast<int64_t>(machine.transactions().size()));
        for (const auto& t : machine.transactions()) {
            for (const int64_t value :
                 {int64_t{t.tid}, int64_t(t.kind), int64_t(t.state), int64_t{t.own}, int64_t{t.sfids[0]},
                  int64_t{t.deleted}, left(t.timer, world.clock.now), left(t.t14, world.clock.now), int64_t{t.sent},
                  rate_of(t.request), rate_of(t.reply), int64_t{t.reply.cc}})
                number(value);
        }
    }
    for (const auto& end : world.end) {
        for (const auto* flows : {&end.flows, &end.before}) {
            number(static_cast<int64_t>(flows->size()));
            for (const auto& [sfid, rate] : *flows) number(sfid), number(rate);
        }
        number(end.operations), number(end.unanswered), number(end.lost_peer);
    }
    for (const auto& channel : world.to) {
        number(static_cast<int64_t>(channel.size()));
        for (const auto& m : channel) number(world.clock.now - m.sent), message(m.content);
    }
    number(world.losses), number(world.doubles), number(world.next_sfid);
    return {out.begin(), out.end()};
}

class Explorer {
public:
    explicit Explorer(const Budget& budget) : budget_(budget) {}

    void explore(const World& world) {
        if (::testing::Test::HasFailure()) return;  // the first path that fails is enough
        const auto [place, fresh] = seen_.try_emplace(std::hash<std::string>{}(key_of(world)), true);
        if (!fresh) {
            EXPECT_FALSE(place->second) << "for ever in a circle:" << path();
            return;
        }
        check(world);
        const size_t before = children_;
        for (size_t end : {kBs, kSs}) {
            operations(world, end);
            messages(world, end);
        }
        time(world);
        if (children_ == before) finished(world);
        seen_.at(std::hash<std::string>{}(key_of(world))) = false;
    }

    size_t states() const { return seen_.size(); }
    uint64_t ends = 0, lost = 0, collisions = 0;
    size_t most_transactions = 0;

private:
    static std::string named(size_t end) { return end == kBs ? "BS " : "SS "; }
    static std::string text_of(const World::Message& message) {
        constexpr const char* kNames[] = {"DSA-REQ", "DSA-RSP", "DSA-ACK", "DSC-REQ", "DSC-RSP",
                                          "DSC-ACK", "DSD-REQ", "DSD-RSP", "DSX-RVD"};
        return kNames[message.content.index()] +
               std::visit([](const auto& m) { return " " + std::to_string(m.tid); }, message.content);
    }
    template <class Step> void child(const World& world, const std::string& what, Step&& step) {
        World next = world;
        if (!step(next)) return;
        path_.push_back(std::to_string(world.clock.now) + " ms " + what);
        ++children_;
        explore(next);
        path_.pop_back();
    }
    /// Path to the failure.
    std::string path() const {
        std::string text;
        for (const auto& step : path_) text += "\n  " + step;
        return text;
    }
    void operations(const World& world, size_t end) {
        if (world.end[end].operations >= budget_.operations) return;
        child(world, named(end) + "adds", [&](World& w) { return begin(w, end, DsxKind::add, 0); });
        for (const auto& [sfid, rate] : world.end[end].flows)
            for (const DsxKind kind : {DsxKind::change, DsxKind::remove})
                child(world, named(end) + (kind == DsxKind::change ? "changes " : "deletes ") + std::to_string(sfid),
                      [&, sfid = sfid](World& w) { return begin(w, end, kind, sfid); });
    }
    void messages(const World& world, size_t end) {
        const size_t there = world.to[end].size();
        for (size_t i = 0; i < (budget_.reorder ? there : std::min<size_t>(there, 1)); ++i)
            child(world, named(end) + "hears " + text_of(world.to[end][i]), [&](World& w) {
                deliver(w, end, i);
                return true;
            });
        if (there == 0) return;
        if (world.losses < budget_.losses)
            child(world, named(end) + "misses " + text_of(world.to[end][0]), [&](World& w) {
                w.to[end].erase(w.to[end].begin());
                ++w.losses;
                return true;
            });
        if (world.doubles < budget_.doubles)
            child(world, "doubled for " + named(end) + text_of(world.to[end][0]), [&](World& w) {
                w.to[end].push_back(w.to[end].front());
                ++w.doubles;
                return true;
            });
    }
    void time(const World& world) {
        const Samples step = to_next_timer(world);
        if (step < 0) return;
        for (const auto& channel : world.to)
            for (const auto& m : channel)
                if (world.clock.now + step - m.sent > budget_.message_age_ms) return;
        child(world, "timers", [&](World& w) {
            w.clock.now += step;
            for (size_t end : {kBs, kSs}) {
                Keeper keeper(w, end);
                w.machine[end].run_timers(keeper);
            }
            return true;
        });
    }
    void check(const World& world) {
        for (const auto& machine : world.machine) {
            most_transactions = std::max(most_transactions, machine.transactions().size());
            for (const auto& t : machine.transactions()) ASSERT_TRUE(t.timer.running()) << "nothing ends it:" << path();
        }
    }
    void finished(const World& world) {
        ++ends;
        for (const auto& machine : world.machine) {
            ASSERT_TRUE(machine.transactions().empty()) << "left over:" << path();
            collisions += machine.counters().collisions;
        }
        for (const auto& end : world.end) ASSERT_TRUE(end.before.empty());
        if (world.end[kBs].lost_peer || world.end[kSs].lost_peer) {
            ++lost;
            return;
        }
        ASSERT_EQ(world.end[kBs].flows, world.end[kSs].flows) << "the ends disagree:" << path();
        if (budget_.losses >= 2) return;
        for (const auto& end : world.end) ASSERT_EQ(end.unanswered, 0) << "given up for one lost message:" << path();
    }

    const Budget budget_;
    std::unordered_map<size_t, bool> seen_;  // on the present path?
    std::vector<std::string> path_;
    size_t children_ = 0;
};

Explorer explored(const Budget& budget) {
    World world;
    world.clock.sample_rate_hz = 1000;
    for (auto& end : world.end) end.flows[kFirstFlow] = 100;
    Explorer explorer(budget);
    explorer.explore(world);
    std::printf("%zu states, %lu ends, %lu with a lost peer, %lu collisions, at most %zu transactions\n",
                explorer.states(), explorer.ends, explorer.lost, explorer.collisions, explorer.most_transactions);
    return explorer;
}

TEST(DsxModel, OneOperationOfEachEndInAnyOrderOfMessages) {
    for (const Budget& budget : {Budget{1, 1, 0, true, 200}, Budget{1, 1, 1, false, 200}, Budget{1, 1, 1, true, 0}}) {
        const auto explorer = explored(budget);
        EXPECT_GT(explorer.ends, 20U);
        EXPECT_GT(explorer.collisions, 5U);
        EXPECT_EQ(explorer.lost, 0U);
    }
}

TEST(DsxModel, TwoOperationsOfEachEndWithOneLoss) {
    const auto explorer = explored({2, 1, 0, false, 0});
    EXPECT_GT(explorer.ends, 300U);
    EXPECT_GT(explorer.collisions, 100U);
    EXPECT_EQ(explorer.lost, 0U);
}

/// Whatever is lost: it ends, and the two agree unless one of them has said that the other is lost.
TEST(DsxModel, AnyNumberOfLosses) {
    const auto explorer = explored({1, 100, 0, false, 0});
    EXPECT_GT(explorer.ends, 50U);
    EXPECT_GT(explorer.lost, 10U);
}

}  // namespace test_dsx_model
