// SPDX-License-Identifier: GPL-3.0-or-later
#include "blocks/station_setup.h"
#include "blocks/transmitter_core.h"

#include <gnuradio/io_signature.h>

namespace gr::wimax {
namespace {

class burst_transmitter_impl final : public burst_transmitter, private TransmitterOutput {
public:
    burst_transmitter_impl(int64_t bandwidth_hz, TransmitPathPtr radio, const phy::TransmitShape& shape,
                           ReportHandler errors)
        : gr::block("wimax_burst_transmitter", io_signature::make(0, 0, 0), io_signature::make(0, 0, 0)),
          errors_(std::move(errors)),
          core_(*this, bandwidth_hz, std::move(radio), shape) {
        check_transmitter(bandwidth_hz, shape);
        for (const char* name : {port::samples, port::done, port::error}) message_port_register_out(pmt::mp(name));
        message_port_register_in(pmt::mp(port::tx));
        set_msg_handler(pmt::mp(port::tx), [this](const pmt::pmt_t& pdu) {
            const auto frame = received<TransmitFrame>(pdu, parse_transmit_frame);
            if (!frame) return core_.refuse(frame.error());
            core_.transmit(**frame);
            message_port_pub(pmt::mp(port::done), to_pdu(Done{(*frame)->frame_number}));
        });
    }

    Counters counters() const override { return core_.counters(); }

private:
    void samples(phy::FrameNumber frame, int64_t start_sample, const TransmitPiece& piece) override {
        const auto publish = [&](int antenna, int64_t start, TransmitPiece::Samples samples) {
            pmt::pmt_t meta = pmt::dict_add(pmt::make_dict(), pmt::mp(key::start_sample), pmt::from_long(start));
            meta = pmt::dict_add(meta, pmt::mp(key::frame_number), pmt::from_long(frame.value()));
            meta = pmt::dict_add(meta, pmt::mp(key::antenna), pmt::from_long(antenna));
            if (antenna == 0 && !piece.second.empty())
                meta = pmt::dict_add(meta, pmt::mp(key::antennas), pmt::from_long(2));
            message_port_pub(pmt::mp(port::samples),
                             pmt::cons(meta, pmt::init_c32vector(samples.size(), samples.data())));
        };
        publish(0, start_sample, piece.first);
        if (!piece.second.empty()) publish(1, start_sample + static_cast<int64_t>(piece.second_from), piece.second);
    }
    void error(const ErrorReport& error) override {
        if (errors_) errors_(error);
        else message_port_pub(pmt::mp(port::error), to_pdu(error));
    }

    const ReportHandler errors_;
    TransmitterCore core_;
};

}  // namespace

burst_transmitter::sptr burst_transmitter::make(int64_t bandwidth_hz, TransmitPathPtr radio,
                                                const phy::TransmitShape& shape, ReportHandler errors) {
    return gnuradio::make_block_sptr<burst_transmitter_impl>(bandwidth_hz, std::move(radio), shape, std::move(errors));
}

}  // namespace gr::wimax
