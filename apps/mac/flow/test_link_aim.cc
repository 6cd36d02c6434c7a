// SPDX-License-Identifier: GPL-3.0-or-later
// What flows want of the rate of their link.
#include "mac/flow/link_aim.h"

#include <gtest/gtest.h>

#include <optional>

using namespace wimax::mac;

namespace test_link_aim {

constexpr float kOtherwise = 0.01F;

struct Reassembling {
    bool with_arq = false;
    bool arq() const { return with_arq; }
};
struct Flow {
    std::optional<Reassembling> reassembler;
    ServiceFlowConfig config;
};
using Flows = std::vector<std::unique_ptr<Flow>>;

void add(Flows& flows, std::optional<Reassembling> reassembler, std::optional<float> target_loss = {}) {
    auto& flow = *flows.emplace_back(std::make_unique<Flow>());
    flow.reassembler = reassembler;
    flow.config.target_loss = target_loss;
}

TEST(LinkAim, WithoutFlowsThatAreReceivedTheDefaultHolds) {
    Flows flows;
    EXPECT_EQ(link_aim(flows, kOtherwise), (LinkAim{LinkGoal::few_losses, kOtherwise}));
    add(flows, {}, 0.002F);  // sent
    EXPECT_EQ(link_aim(flows, kOtherwise), (LinkAim{LinkGoal::few_losses, kOtherwise}));
}

TEST(LinkAim, GoodputOnlyIfAllThatIsReceivedIsRepeated) {
    Flows flows;
    add(flows, Reassembling{true}, 0.002F);
    add(flows, {});
    EXPECT_EQ(link_aim(flows, kOtherwise), (LinkAim{LinkGoal::goodput, kOtherwise}));
    add(flows, Reassembling{false}, 0.3F);
    EXPECT_EQ(link_aim(flows, kOtherwise), (LinkAim{LinkGoal::few_losses, 0.3F}));
}

TEST(LinkAim, TheSmallestTargetHolds) {
    Flows flows;
    add(flows, Reassembling{}, 0.2F);
    EXPECT_EQ(link_aim(flows, kOtherwise).target_loss, 0.2F);
    add(flows, Reassembling{}, 0.1F);
    EXPECT_EQ(link_aim(flows, kOtherwise).target_loss, 0.1F);
    add(flows, Reassembling{}, 0.4F);
    EXPECT_EQ(link_aim(flows, kOtherwise).target_loss, 0.1F);
    add(flows, Reassembling{});  // without its own
    EXPECT_EQ(link_aim(flows, kOtherwise).target_loss, kOtherwise);
    EXPECT_EQ(link_aim(flows, 0).target_loss, 0.1F) << "the default is no target";
    EXPECT_EQ(link_aim(flows, 0.3F).target_loss, 0.1F);
}

}  // namespace test_link_aim
