// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the front end on a mock USRP: settings of a device, settings that it cannot have, messages if none opens.
#include "radio/opening_faults.h"
#include "radio/test_frontend.h"

#include <gnuradio/wimax/device_arguments.h>

namespace gr::wimax::test {
namespace {

TEST(DeviceArguments, OfTheVirtualRadioAndOfUsrps) {
    using Keys = std::vector<std::string>;
    EXPECT_EQ(unknown_device_arguments("type=vrf,personality=b210,opening_s=0,fault=fpga,master_clock_rate=46e6"),
              Keys());
    EXPECT_EQ(unknown_device_arguments("type=n3xx,addr0=a,init_cals=ALL,tracking_cals=NONE,force_reinit=1"), Keys());
    EXPECT_EQ(unknown_device_arguments("type=b200,personality=b210,fault=fpga"), (Keys{"personality", "fault"}));
    EXPECT_EQ(unknown_device_arguments("type=vrf,clock_source=gpsdo"), Keys{"clock_source"});
    EXPECT_EQ(unknown_device_arguments("type=b200,addr0-=a"), Keys{"addr0-"});
}

TEST_F(Frontend, TimeBeginsAtZero) {
    open();
    EXPECT_EQ(device->set_now, std::vector{uhd::time_spec_t(0.0)});
    EXPECT_TRUE(device->set_at_pulse.empty());
    TearDown();
    config.time_source = "external";
    open();
    EXPECT_EQ(device->set_at_pulse, std::vector{uhd::time_spec_t(0.0)});
    EXPECT_TRUE(device->set_now.empty());
    TearDown();
    MockUsrp::next.pulses = false;
    try {
        RadioFrontend::open(config);
        FAIL();
    } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "time source 'external': no pulse per second arrives");
    }
}

TEST_F(Frontend, OscillatorBandwidthSubdeviceAndWireFormat) {
    config.lo_offset_hz = 4e6;
    config.analog_bandwidth_hz = 6e6;
    config.rx_subdevice = "A:0";
    config.wire_format = "sc12";
    MockSettings s;
    s.dsp_hz = 10e6;
    open(s);
    EXPECT_EQ(device->value<double>("/mboards/0/dboards/A/rx_frontends/0/bandwidth/value"), 6e6);
    EXPECT_EQ(device->value<double>("/mboards/0/dboards/A/tx_frontends/0/bandwidth/value"), 6e6);
    EXPECT_EQ(device->rx->args.otw_format, "sc12");
    EXPECT_EQ(device->tx_args.otw_format, "sc12");
    EXPECT_EQ(device->value<double>("/mboards/0/dboards/A/rx_frontends/0/freq/value"), 3.504e9);
    EXPECT_NE(radio->describe().find("3500000000 Hz, LO offset 4000000 Hz, analog bandwidth 6000000 Hz"),
              std::string::npos)
        << radio->describe();
    config.rx_subdevice = "A:0:1";
    EXPECT_THROW(RadioFrontend::open(config), std::runtime_error);
}

TEST_F(Frontend, SettingsReachTheDevice) {
    config.tx_frequency_hz = config.rx_frequency_hz = 2.5e9;
    config.tx_gain_db = 20.25;
    config.rx_gain_db = 30.5;
    config.rx_antenna = "TX/RX";
    config.tx_antenna = "TX/RX";
    config.clock_source = "external";
    config.time_source = "external";
    open();
    const std::string board = "/mboards/0", a = board + "/dboards/A";
    EXPECT_EQ(device->value<double>(a + "/rx_frontends/0/freq/value"), 2.5e9);
    EXPECT_EQ(device->value<double>(a + "/tx_frontends/0/freq/value"), 2.5e9);
    EXPECT_EQ(device->value<double>(a + "/tx_frontends/0/gains/PGA/value"), 20.25);
    EXPECT_EQ(device->value<double>(a + "/rx_frontends/0/gains/PGA/value"), 30.5);
    EXPECT_EQ(device->value<std::string>(a + "/rx_frontends/0/antenna/value"), "TX/RX");
    EXPECT_EQ(device->value<std::string>(board + "/clock_source/value"), "external");
    EXPECT_EQ(device->value<std::string>(board + "/time_source/value"), "external");
    for (const char* line : {"frequency     2500000000 Hz\n", "gains         tx 20.25 dB, rx 30.5 dB\n",
                             "antennas      tx TX/RX, rx TX/RX\n", "clock, time   external, external\n",
                             "0 dBFS        tx -59.5 dBm, rx -40.5 dBm\n", "time          free-running\n"})
        EXPECT_NE(radio->describe().find(line), std::string::npos) << line << radio->describe();
}

TEST_F(Frontend, EachDirectionHasItsCarrier) {
    config.tx_frequency_hz = 2.6e9;
    config.rx_frequency_hz = 2.5e9;
    config.limits.allowed_bands = {{2.59e9, 2.61e9}};
    open();
    const std::string a = "/mboards/0/dboards/A";
    EXPECT_EQ(device->value<double>(a + "/tx_frontends/0/freq/value"), 2.6e9);
    EXPECT_EQ(device->value<double>(a + "/rx_frontends/0/freq/value"), 2.5e9);
    EXPECT_NE(radio->describe().find("frequency     tx 2600000000 Hz, rx 2500000000 Hz\n"), std::string::npos)
        << radio->describe();
}

TEST_F(Frontend, WhatTheDeviceCannotDoIsRefusedWithWhatItCan) {
    const auto refused = [&](const RadioConfig& wrong, const MockSettings& settings, const std::string& why) {
        MockUsrp::next = settings;
        try {
            RadioFrontend::open(wrong);
            ADD_FAILURE() << why;
        } catch (const std::runtime_error& e) {
            EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
        }
    };
    const auto with = [&](auto change) {
        RadioConfig c = config;
        change(c);
        return c;
    };
    refused(with([](auto& c) { c.tx_gain_db = 90; }), {}, "tx gain: 90 dB, the device allows 0 .. 89.75");
    refused(with([](auto& c) { c.rx_gain_db = -1; }), {}, "rx gain: -1 dB, the device allows 0 .. 76");
    refused(with([](auto& c) { c.rx_antenna = "J1"; }), {}, "rx antenna: 'J1', the device has TX/RX, RX2");
    refused(with([](auto& c) { c.tx_antenna = "RX2"; }), {}, "tx antenna: 'RX2', the device has TX/RX");
    refused(with([](auto& c) { c.rx_frequency_hz = 7e9; }), {},
            "rx frequency (Hz): 7000000000 wanted, the device gives 6000000000");
    MockSettings s;
    s.frequency_error_hz = 1.5;
    refused(config, s, "rx frequency");
    s = {};
    s.ref_locked = false;
    refused(with([](auto& c) { c.clock_source = "external"; }), s,
            "ref_locked: not locked after 0 s; clock source 'external'");
    MockUsrp::next = s;
    EXPECT_NO_THROW(RadioFrontend::open(config));  // nothing to lock to
    s = {};
    s.lo_locked = false;
    refused(config, s, "lo_locked (rx): not locked");
    MockUsrp::next = {};
    EXPECT_THROW(RadioFrontend::open(with([](auto& c) { c.device_args = "type=none"; })), DeviceUnavailable);
    EXPECT_THROW(RadioFrontend::open(with([](auto& c) { c.device_args = "type=mock,speed=1"; })), std::runtime_error);
    s = {};
    s.frequency_error_hz = 0.5;
    open(s);  // within a hertz
}

TEST(OpeningFaults, WhatHelpsIsTold) {
    struct Case {
        const char* text;
        bool again;
        const char* advice;
    };
    for (const Case& c : {
             Case{"LookupError: KeyError: No devices found for ----->", true, "uhd_find_devices"},
             Case{"EnvironmentError: IOError: Could not find path for image: usrp_b200_fw.hex", false,
                  "sudo uhd_images_downloader"},
             Case{"RuntimeError: Expected FPGA compatibility number 16, but got 14", false,
                  "uhd_image_loader --args 'type=x300,addr=a'"},
             Case{"RuntimeError: USB open failed: insufficient permissions", false, "udevadm control"},
             Case{"RuntimeError: Device is claimed by another process: LIBUSB_ERROR_BUSY", true, "another program"},
             Case{"RuntimeError: MPM major compat number mismatch. Expected: 4.2 Actual: 3.0.", false,
                  "mender install"},
             Case{"RuntimeError: Error during RPC call to `init': rpc timeout", true, "uhd_find_devices"},
         }) {
        const auto fault = opening_fault(c.text, "type=x300,addr=a");
        EXPECT_EQ(fault.again, c.again) << c.text;
        EXPECT_NE(fault.advice.find(c.advice), std::string::npos) << fault.advice;
    }
}

TEST(LookForDevice, FoundOrWhatToDo) {
    EXPECT_EQ(look_for_device("type=mock,serial=1"), "found: type=mock,serial=1");
    EXPECT_NE(look_for_device("type=none").find("not found; 'uhd_find_devices'"), std::string::npos);
    EXPECT_EQ(look_for_device("type=vrf,name=bs"), "the virtual radio, which is not asked");
}

}  // namespace
}  // namespace gr::wimax::test
