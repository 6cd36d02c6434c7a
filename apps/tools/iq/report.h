// SPDX-License-Identifier: GPL-3.0-or-later
// The page of `wimax-iq decode --report`: the decoded result, the receiver's view of each symbol, the recording and
// the limits of clause 8.3.10 are files in the directory. A Python script next to the tool measures and draws.
#pragma once

#include "common/output_stream.h"
#include "tools/iq/decode.h"
#include "tools/iq/survey.h"

namespace wimax::iq {

/// Frames that are measured; decode() must observe them. The standard's test takes 20.
inline constexpr size_t kReportFrames = 32;

/// Before the work, so that a wrong path costs none.
Outcome make_report_folder(const std::string& directory);

/// Contents of the page in addition to the frames.
struct ReportSource {
    std::string path, format;  ///< of the recording, as RecordingReader::open() takes them
    std::string name;          ///< for the page
    nlohmann::ordered_json provenance;
    bool transmitter = false;          ///< a transmitter under test: judged by clause 8.3.10
    std::vector<std::string> reasons;  ///< why nothing was found
    Repetition repetition;
};

class ReportWriter {
public:
    ReportWriter(std::string directory, const Spec& spec);

    /// In order. What a page of any length needs is written at once; details of the first ones only.
    void add(const DecodedFrame& frame);
    /// Writes `directory`/index.html, its plots and measurements.json.
    Outcome finish(const ReportSource& source, const Survey& survey);

private:
    bool write_recording(const ReportSource& source, const Survey& survey, int64_t& first);
    void add_details(const DecodedFrame& frame, nlohmann::ordered_json& json);

    std::string directory_;
    const Spec& spec_;
    nlohmann::ordered_json frames_ = nlohmann::ordered_json::array();  ///< the first ones
    int64_t count_ = 0, bursts_ = 0, measured_ = 0;
    int64_t from_ = 0, to_ = 0;  ///< samples that are measured
    OutputStream trend_;
    bool good_ = true;
};

}  // namespace wimax::iq
