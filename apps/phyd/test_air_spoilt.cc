// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/test_two_ends.h"

#include <limits>

namespace wimax {
namespace {

/// Responses that no radio can send, and malformed ones: each costs only its frame, and time continues for both ends.
struct SpoiltAnswers : AirTest {
    void SetUp() override {
        AirTest::SetUp();
        start_all("links: [{from: bs, to: ss, snr_db: 30}]\n");
        settle();
    }
    /// Both MACs respond to `frames` frames in this way. Returns the number of errors that the PHYs reported.
    size_t spoil(int frames, std::function<void(sap::TxFrame&)> how) {
        invalid.clear();
        spoil_bs = spoil_ss = std::move(how);
        const int target = bs_ticks + frames;
        until(target, [](int) { return true; });
        spoil_bs = spoil_ss = nullptr;
        return invalid.size();
    }
    void expect_recovery() {
        run(30);
        ASSERT_FALSE(HasFatalFailure());
        const int late_before = lates;
        expect_complete(30);
        EXPECT_EQ(lates, late_before);
    }
    bool said(const std::string& what) const {
        return std::any_of(invalid.begin(), invalid.end(),
                           [&](const auto& text) { return text.find(what) != std::string::npos; });
    }
};

TEST_F(SpoiltAnswers, BurstsLongerThanTheFrame) {
    for (const size_t bursts : {1, 40}) {
        const size_t complaints = spoil(5, [&](sap::TxFrame& tx) {
            if (tx.bursts.empty()) return;
            tx.bursts.assign(bursts, tx.bursts.back());
            for (auto& b : tx.bursts) {
                b.start_slot = sap::Slot(7272);
                b.format.rate_id = 0;
                b.format.data_symbols = 2000;
                b.payload.assign(5, 1);
            }
        });
        EXPECT_GE(complaints, 5U);
        EXPECT_TRUE(said("bursts[0].end slot"));
        expect_recovery();
    }
}

TEST_F(SpoiltAnswers, BurstsFarAheadOfTheFrame) {
    spoil(40, [](sap::TxFrame& tx) { tx.timing_advance_samples = -1'000'000; });
    EXPECT_TRUE(said("timing_advance_samples"));
    expect_recovery();
}

TEST_F(SpoiltAnswers, FieldsOutOfRange) {
    EXPECT_GE(spoil(5, [](sap::TxFrame& tx) { tx.power_dbm = std::numeric_limits<float>::infinity(); }), 5U);
    EXPECT_TRUE(said("power_dbm"));
    expect_recovery();
    EXPECT_GE(spoil(5,
                    [](sap::TxFrame& tx) {
                        for (auto& b : tx.bursts) b.payload.push_back(0);
                    }),
              5U);
    EXPECT_TRUE(said("payload bytes"));
    expect_recovery();
}

TEST_F(SpoiltAnswers, FramesThatNobodyAskedFor) {
    EXPECT_GE(spoil(5, [](sap::TxFrame& tx) { tx.frame_number = tx.frame_number + 0x800000; }), 5U);
    expect_recovery();
}

}  // namespace
}  // namespace wimax
