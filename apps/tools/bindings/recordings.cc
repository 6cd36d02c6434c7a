// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings on arrays: every format that wimax-iq reads; SigMF pairs and raw files that it writes.
#include "recording/iq_file.h"
#include "recording/sigmf_file.h"
#include "tools/bindings/bindings.h"

#include <pybind11/stl.h>

#include <optional>
#include <tuple>

namespace wimax::bindings {
namespace {

/// Samples, sample rate (0: unknown), samples that were not finite or too large.
std::tuple<ComplexArray, double, size_t> read(const std::string& path, const std::string& format, int64_t first,
                                              std::optional<int64_t> count) {
    std::vector<iq::Complex> samples;
    std::optional<tl::expected<iq::RecordingReader, Fault>> reader;
    Outcome done;
    {
        const py::gil_scoped_release others;
        reader.emplace(iq::RecordingReader::open(path, format));
        if (*reader) {
            if (first > 0) done = (*reader)->seek(first);
            const auto wanted = static_cast<size_t>(count.value_or(INT64_MAX));
            while (done && samples.size() < wanted) {
                const auto part = (*reader)->next();
                if (part.empty()) break;
                samples.insert(samples.end(), part.begin(),
                               part.begin() + static_cast<ptrdiff_t>(std::min(part.size(), wanted - samples.size())));
            }
            if (done) done = (*reader)->whole();
        }
    }
    if (!*reader) refuse({reader->error().str()});
    if (!done) refuse({done.error().str()});
    return {array_of(samples), (*reader)->sample_rate_hz(), (*reader)->repaired()};
}

void write(const std::string& path, const ComplexArray& array, double sample_rate_hz, const std::string& description) {
    const auto samples = samples_of("samples", array);
    Outcome done;
    {
        const py::gil_scoped_release others;
        iq::RecordingWriter writer;
        done = writer.open(path, sample_rate_hz, description)
                   .and_then([&] { return writer.write(samples); })
                   .and_then([&] { return writer.close(); });
    }
    if (!done) refuse({done.error().str()});
}

void annotate(const std::string& path, const std::vector<std::string>& annotations) {
    iq::AnnotationWriter writer;
    auto done = writer.open(path);
    if (done)
        for (const auto& text : annotations) {
            auto one = nlohmann::ordered_json::parse(text, nullptr, false);
            if (one.is_discarded()) refuse({"annotations: " + text + ": allowed valid Unicode"});
            writer.add(std::move(one));
        }
    done = done.and_then([&] { return writer.finish(); });
    if (!done) refuse({done.error().str()});
}

}  // namespace

void add_recordings(py::module_& m) {
    m.def("read_recording", &read, py::arg("path"), py::arg("format"), py::arg("first"), py::arg("count"));
    m.def("write_recording", &write, py::arg("path"), py::arg("samples"), py::arg("sample_rate_hz"),
          py::arg("description"));
    m.def("annotate_recording", &annotate, py::arg("path"), py::arg("annotations"));
    m.def("sigmf_meta_path", &iq::sigmf_meta_path, py::arg("path"));
    m.def("is_sigmf", &iq::is_sigmf, py::arg("path"));
    m.attr("recording_generator") = iq::kGenerator;
}

}  // namespace wimax::bindings
