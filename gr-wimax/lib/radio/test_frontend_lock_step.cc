// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the front end on a mock virtual radio in lock-step: promises and their times.
#include "radio/test_frontend.h"

namespace gr::wimax::test {
namespace {

class LockStep : public Frontend {
protected:
    static MockSettings settings() {
        MockSettings s;
        s.chunk = 576;
        return s;
    }
};

TEST_F(LockStep, PacketsAreOfEightChunks) {
    open(settings());
    EXPECT_TRUE(radio->lock_step());
    EXPECT_EQ(radio->chunk_samples(), 576);
    EXPECT_EQ(device->rx->args.args.get("spp", ""), "4608");
    EXPECT_FALSE(device->tx_args.args.has_key("spp"));
}

TEST_F(LockStep, ACommitCountsTheBurstsBeforeIt) {
    open(settings());
    radio->commit(1000);
    EXPECT_EQ(device->commits, (std::vector<std::pair<int64_t, uint64_t>>{{1000, 0}}));
    radio->commit(1000);
    radio->commit(999);
    EXPECT_EQ(device->commits.size(), 1u);
    device->tx->take(0);
    EXPECT_TRUE(transmit(2000, ramp(10)));
    EXPECT_TRUE(transmit(3000, ramp(10)));
    ASSERT_TRUE(device->tx->wait_for_a_call());
    radio->commit(4000);
    radio->commit(5000);
    EXPECT_EQ(device->commits.size(), 1u);  // queued pieces are sent first
    device->tx->take(SIZE_MAX);
    ASSERT_TRUE(device->tx->wait_for_pieces(2));
    radio.reset();  // joins the sender
    EXPECT_EQ(device->commits, (std::vector<std::pair<int64_t, uint64_t>>{{1000, 0}, {5000, 2}}));
}

/// A promise is not withdrawn for the zeros before a burst.
TEST_F(LockStep, EdgesDoNotBreakPromises) {
    config.burst_edge_samples = 32;
    open(settings());
    radio->commit(990);
    EXPECT_TRUE(transmit(1000, ramp(10)));
    ASSERT_TRUE(device->tx->wait_for_pieces(1));
    EXPECT_EQ(tick_of(device->tx->calls().at(0)), 990);
    EXPECT_EQ(device->tx->calls().at(0).samples.size(), 10u + 10 + 32);
}

TEST_F(LockStep, TheRadioLearnsWhatIsNotLookedAt) {
    open(settings());
    radio->skip_received(1000, 4000);
    radio->skip_received(3000, 9000);
    EXPECT_EQ(device->unused, (std::vector<std::pair<int64_t, int64_t>>{{1000, 4000}, {3000, 9000}}));
}

TEST_F(Frontend, ARadioOfItsOwnTimeReceivesAll) {
    open();
    radio->skip_received(1000, 4000);
    EXPECT_TRUE(device->unused.empty());
}

TEST_F(Frontend, CommitsMeanNothingToARadioOfItsOwnTime) {
    open();
    radio->commit(1000);
    EXPECT_TRUE(device->commits.empty());
}

}  // namespace
}  // namespace gr::wimax::test
