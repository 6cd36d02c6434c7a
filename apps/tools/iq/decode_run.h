// SPDX-License-Identifier: GPL-3.0-or-later
// `wimax-iq decode`: a recording of any length, read once, into result, annotations and report. Frames are written as
// they come; what does not grow with the recording is all that is kept.
#pragma once

#include "common/output_stream.h"
#include "common/stop.h"
#include "recording/sigmf_file.h"
#include "tools/cli/command.h"
#include "tools/cli/progress.h"
#include "tools/iq/report.h"

namespace wimax::iq {

struct DecodeFiles {
    std::string in, format, json, report;  ///< report: a folder, "" for none
    bool transmitter = false;
};

class DecodeRun {
public:
    DecodeRun(const std::string& program, DecodeFiles files, const Spec& spec, RecordingReader& reader);

    /// Before the work, so that a wrong path costs none.
    Outcome open();
    /// Ends early, with what there is, when the user wants it to.
    Outcome decode_all();

    int64_t samples() const { return survey_.samples(); }
    bool interrupted() const { return interrupted_; }
    /// For the user: why nothing was found, what could not be annotated.
    const std::vector<std::string>& remarks() const { return remarks_; }

private:
    std::span<const Complex> feed();
    void take(DecodedFrame&& frame);
    Outcome finish();
    void annotate_if_sigmf();

    std::string program_;
    DecodeFiles files_;
    const Spec& spec_;
    RecordingReader& reader_;
    StopSignal stop_;
    cli::Progress progress_;
    cli::ResultFile result_;
    std::optional<AnnotationWriter> annotations_;
    std::optional<ReportWriter> report_;
    OutputStream spool_;  ///< standard input, where the report needs to look at it again
    std::string spool_path_;
    Survey survey_;
    Outcome written_;
    int64_t frames_ = 0;
    bool interrupted_ = false;
    std::vector<std::string> remarks_;
};

}  // namespace wimax::iq
