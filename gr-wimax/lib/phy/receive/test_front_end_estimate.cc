// SPDX-License-Identifier: GPL-3.0-or-later
// DC offsets, images, leaking carriers and errors of real front ends, measured on received signals.
#include "phy/receive/front_end_estimate.h"
#include "phy/receive/test_front_end_support.h"

namespace gr::wimax::phy::test {
namespace test_front_end_estimate {

FrontEndEstimate measure(Link& link, int bursts) {
    UplinkReceiver receiver(link.num);
    FrontEndMeter meter(link.num);
    receiver.set_observer(&meter);
    for (int i = 0; i < bursts; ++i) {
        const auto samples = link.on_air(static_cast<uint64_t>(i + 1));
        meter.listen_to(samples, 0);
        EXPECT_TRUE(link.receive(receiver, samples).fec_ok);
    }
    return meter.estimate();
}

TEST(FrontEndMeter, TellsBothEndsApart) {
    for (const double frequency_hz : {1500.0, -4800.0, 9000.0}) {
        SCOPED_TRACE(frequency_hz);
        Link link;
        link.frequency_hz = frequency_hz;
        link.paths = {{0, 1.2F}};
        link.ends = {-27, -34, -24, -30};
        const auto seen = measure(link, 2);
        EXPECT_EQ(seen.symbols, 60);
        EXPECT_TRUE(seen.dc_separable);
        EXPECT_TRUE(seen.images_separable);
        EXPECT_NEAR(seen.image_dbc, -34, 0.5);
        EXPECT_NEAR(seen.sender_image_dbc, -30, 0.5);
        const double gain_db = 20 * std::log10(1.2);  // the receiver's offset is over full scale
        EXPECT_NEAR(seen.signal_dbfs, gain_db, 0.1);
        EXPECT_NEAR(seen.dc_dbc, -27 - gain_db, 0.5);
        EXPECT_NEAR(seen.carrier_leak_dbc, -24, 0.5);
    }
}

TEST(FrontEndMeter, SaysWhatIsThereInAllWithoutACarrierOffset) {
    for (const bool sender : {false, true}) {
        Link link;
        link.paths = {{0, {0, 1}}};
        link.ends = sender ? FrontEnds{-200, -200, -31, -36} : FrontEnds{-31, -36, -200, -200};
        link.format.data_symbols = 60;
        const auto seen = measure(link, 1);
        EXPECT_FALSE(seen.dc_separable);
        EXPECT_FALSE(seen.images_separable);
        EXPECT_NEAR(seen.image_dbc, -36, 0.5);
        EXPECT_EQ(seen.image_dbc, seen.sender_image_dbc);
        EXPECT_NEAR(seen.dc_dbc, -31, 0.5);
        EXPECT_EQ(seen.dc_dbc, seen.carrier_leak_dbc);
    }
}

TEST(FrontEndMeter, MeasuresErrorsOfPointsAndPhase) {
    Link link;
    link.frequency_hz = 3000;
    link.snr_db = 32;
    link.paths = {{0, 1}};
    const auto noise_only = measure(link, 4);
    EXPECT_NEAR(noise_only.evm_db, -32, 0.3);
    EXPECT_NEAR(noise_only.corrected_evm_db, -32, 0.3);
    EXPECT_LT(noise_only.dc_dbc, -50);
    EXPECT_LT(noise_only.image_dbc, -50);
    EXPECT_LT(noise_only.phase_error_deg, 0.12);
    link.ends.image_dbc = -29;
    const auto imaged = measure(link, 4);
    EXPECT_NEAR(imaged.evm_db, decibels(power_of_db(-32) + power_of_db(-29)), 0.3);
}

}  // namespace test_front_end_estimate
}  // namespace gr::wimax::phy::test
