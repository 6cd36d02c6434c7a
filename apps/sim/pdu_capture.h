// SPDX-License-Identifier: GPL-3.0-or-later
// All PDUs that the base station of a simulation sends and receives, as a pcap file for Wireshark (docs/wireshark.md).
// Records are written at once: none is lost, however fast the simulation runs.
#pragma once

#include "macd/capture_record.h"
#include "sim/cell.h"
#include "tools/cli/command.h"

namespace wimax::sim {

class PduCapture final : public mac::PduTap {
public:
    /// Begins with the file header. `file` is open, and outlives the object. Sample 0 has the timestamp 0.
    PduCapture(cli::ResultFile& file, const CellConfig& config, const mac::FrameTiming& timing);

    void on_pdu(const mac::TappedBurst& burst, size_t offset, Octets octets, mac::TappedOctets what) override;
    /// Of the first record that could not be written, if there is one.
    const Outcome& written() const { return written_; }

private:
    void write(Octets octets);

    cli::ResultFile& file_;
    macd::RecordEncoder encoder_;
    Outcome written_;
};

}  // namespace wimax::sim
