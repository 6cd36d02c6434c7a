// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/iq/decode_run.h"
#include "tools/cli/provenance.h"

#include <cstdio>
#include <filesystem>

namespace wimax::iq {
namespace {

constexpr unsigned kStopWithinSeconds = 60;  // the report of what there is takes a while

std::string indented(const nlohmann::ordered_json& json) {
    std::string text = json.dump(2), out;
    for (const char c : text) {
        out += c;
        if (c == '\n') out += "    ";
    }
    return out;
}

}  // namespace

DecodeRun::DecodeRun(const std::string& program, DecodeFiles files, const Spec& spec, RecordingReader& reader)
    : program_(program),
      files_(std::move(files)),
      spec_(spec),
      reader_(reader),
      stop_(kStopWithinSeconds),
      progress_(program),
      survey_(spec) {}

Outcome DecodeRun::open() {
    if (const auto opened = result_.open(files_.json, "--json"); !opened) return opened;
    if (files_.report.empty()) return {};
    if (const auto made = make_report_folder(files_.report); !made) return made;
    report_.emplace(files_.report, spec_);
    if (files_.in == "-") {
        spool_path_ = (std::filesystem::path(files_.report) / "standard-input.cf32").string();
        return spool_.open(spool_path_);
    }
    return {};
}

std::span<const Complex> DecodeRun::feed() {
    if (stop_.raised() || !written_) return {};
    const auto part = reader_.next();
    survey_.add(part);
    if (spool_.is_open())
        spool_.write(reinterpret_cast<const char*>(part.data()), static_cast<std::streamsize>(part.size_bytes()));
    const auto size = reader_.size();
    const double share = size ? static_cast<double>(survey_.samples()) / static_cast<double>(*size) : -1;
    progress_.show(share, std::to_string(frames_) + " frames");
    return part;
}

void DecodeRun::take(DecodedFrame&& frame) {
    const auto text = (frames_ == 0 ? "\n    " : ",\n    ") + indented(frame_json(spec_, frame));
    if (written_) written_ = result_.add(text);
    if (annotations_)
        for (auto& note : frame_annotations(frame)) annotations_->add(std::move(note));
    if (report_) report_->add(frame);
    ++frames_;
}

Outcome DecodeRun::decode_all() {
    annotate_if_sigmf();
    written_ = result_.add("{\n  \"frames\": [");
    decode(
        spec_, [this] { return feed(); }, [this](DecodedFrame&& frame) { take(std::move(frame)); },
        report_ ? kReportFrames : 0);
    progress_.clear();
    interrupted_ = stop_.raised();
    return finish();
}

void DecodeRun::annotate_if_sigmf() {
    if (!is_sigmf(files_.in)) return;
    annotations_.emplace();
    if (const auto opened = annotations_->open(files_.in); opened) return;
    else remarks_.push_back(opened.error().str());
    annotations_.reset();
}

Outcome DecodeRun::finish() {
    const auto provenance = cli::provenance(program_);
    std::string tail = frames_ == 0 ? "]" : "\n  ]";
    tail += ",\n  \"provenance\": " + provenance.dump() + "\n}\n";
    if (written_) written_ = result_.add(tail).and_then([this] { return result_.close(); });
    if (!written_) return written_;
    if (annotations_)
        if (const auto noted = annotations_->finish(); !noted) remarks_.push_back(noted.error().str());
    if (const auto whole = reader_.whole(); !whole) return whole;
    const bool nothing = frames_ == 0;
    ReportSource source{files_.in, files_.format, files_.in, provenance, files_.transmitter, {}, {}};
    if (nothing) {
        source.repetition = repetition(survey_.excerpt());
        source.reasons = why_nothing(spec_, survey_, source.repetition);
        std::string line = files_.in == "-" ? "standard input" : files_.in;
        line += ": nothing found";
        for (const auto& reason : source.reasons) line += (&reason == &source.reasons[0] ? ": " : "; ") + reason;
        remarks_.push_back(line);
    }
    if (interrupted_)
        remarks_.push_back("stopped after " + std::to_string(survey_.samples()) + " samples; " +
                           std::to_string(frames_) + " frames so far are written");
    if (!report_) return {};
    if (spool_.is_open()) {
        spool_.close();
        source.path = spool_path_;
        source.format.clear();
        source.name = "standard input";
    }
    return report_->finish(source, survey_);
}

}  // namespace wimax::iq
