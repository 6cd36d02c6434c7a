/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/iq/iq_file.h"
#include "tools/iq/sample_type.h"
#include "tools/iq/spec.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace wimax::iq {
namespace {

using nlohmann::ordered_json;
static_assert(std::endian::native == std::endian::little, "cf32 files are little-endian");

constexpr const char* kGenerator = "wimax-iq";

std::string stem(const std::string& path) { return path.substr(0, path.rfind(".sigmf")); }
std::string meta_path(const std::string& path) { return stem(path) + ".sigmf-meta"; }
std::string data_path(const std::string& path) { return stem(path) + ".sigmf-data"; }

/// What the metadata say about the file of samples.
struct Layout {
    SampleType type = *sample_type("cf32_le");
    std::string data;             ///< file of samples
    double sample_rate_hz = 0.0;  ///< 0: not told
    /// Octets that are no samples: behind the last one, and each (octets, of samples before it).
    size_t trailing_octets = 0;
    std::vector<std::pair<size_t, size_t>> headers;
};

tl::expected<std::string, Fault> read_octets(const std::string& path) {
    auto text = read_text(path);
    if (!text)
        return tl::unexpected(
            Fault{"--in", "that cannot be read", ".cf32, .sigmf-data, .sigmf-meta, or - for standard input", path});
    return std::move(*text);
}

bool repair(Complex& sample) {
    if (!std::isfinite(sample.real()) || !std::isfinite(sample.imag())) {
        sample = 0.0F;
        return true;
    }
    if (std::abs(sample.real()) <= kMaxMagnitude && std::abs(sample.imag()) <= kMaxMagnitude) return false;
    sample = {std::clamp(sample.real(), -kMaxMagnitude, kMaxMagnitude),
              std::clamp(sample.imag(), -kMaxMagnitude, kMaxMagnitude)};
    return true;
}

ordered_json read_meta(const std::string& path) {
    const auto text = read_text(meta_path(path));
    return text ? ordered_json::parse(*text, nullptr, false) : ordered_json();
}

/// A count of octets or samples; nullopt if what stands there is none, 0 if there is nothing.
std::optional<size_t> count_at(const ordered_json& object, const char* key) {
    if (!object.contains(key)) return 0;
    return object[key].is_number_unsigned() ? std::optional(object[key].get<size_t>()) : std::nullopt;
}

/// Captures may have headers of other tools before their samples.
Outcome read_headers(const ordered_json& meta, Layout& layout) {
    const bool listed = meta.contains("captures") && meta["captures"].is_array();
    for (const auto& capture : listed ? meta["captures"] : ordered_json::array()) {
        if (!capture.is_object()) return failure("captures", "is not a list of objects");
        const auto header = count_at(capture, "core:header_bytes"), start = count_at(capture, "core:sample_start");
        if (!header) return failure("core:header_bytes", "is not a number of octets");
        if (*header == 0) continue;
        if (!start || *start > std::numeric_limits<size_t>::max() / layout.type.octets)
            return failure("core:sample_start", "is not a number of samples");
        layout.headers.emplace_back(*header, *start * layout.type.octets);
    }
    std::sort(layout.headers.begin(), layout.headers.end(),
              [](const auto& a, const auto& b) { return a.second < b.second; });
    return {};
}

tl::expected<Layout, Fault> read_layout(const std::string& path) {
    const auto fault = [&path](const char* key, const std::string& value, const std::string& allowed) {
        return tl::unexpected(Fault{key, value, allowed, meta_path(path)});
    };
    constexpr const char* kMetadata = "a SigMF metadata file";
    if (path.ends_with(".sigmf") && std::filesystem::is_regular_file(path))
        return tl::unexpected(Fault{"--in", "a SigMF archive", "its .sigmf-meta, unpacked (tar -xf)", path});
    const ordered_json meta = read_meta(path);
    if (meta.is_null()) return fault("", "that cannot be read", kMetadata);
    if (meta.is_discarded()) return fault("", "that is not JSON", kMetadata);
    if (!meta.is_object() || !meta.contains("global") || !meta["global"].is_object())
        return fault("global", "(missing)", kMetadata);
    const ordered_json& global = meta["global"];

    Layout layout;
    const ordered_json name = global.contains("core:datatype") ? global["core:datatype"] : ordered_json();
    const auto type = name.is_string() ? sample_type(name.get<std::string>()) : std::nullopt;
    if (!type) return fault("core:datatype", name.dump(), sample_type_names());
    layout.type = *type;
    if (global.contains("core:num_channels") && global["core:num_channels"] != 1)
        return fault("core:num_channels", global["core:num_channels"].dump(), "1");
    if (global.contains("core:sample_rate")) {
        const ordered_json& rate = global["core:sample_rate"];
        if (!rate.is_number() || !(rate.get<double>() > 0))
            return fault("core:sample_rate", rate.dump(), "a number above 0 (Hz)");
        layout.sample_rate_hz = rate.get<double>();
    }
    const auto trailing = count_at(global, "core:trailing_bytes");
    if (!trailing) return fault("core:trailing_bytes", "", "is not a number of octets");
    layout.trailing_octets = *trailing;
    if (const auto read = read_headers(meta, layout); !read)
        return fault(read.error().key.c_str(), read.error().value, read.error().allowed);
    layout.data = data_path(path);
    if (global.contains("core:dataset") && global["core:dataset"].is_string())
        layout.data = std::filesystem::path(path).replace_filename(global["core:dataset"].get<std::string>()).string();
    return layout;
}

/// Leaves samples only.
void remove_foreign_octets(const Layout& layout, std::string& octets) {
    octets.resize(octets.size() - std::min(octets.size(), layout.trailing_octets));
    for (const auto& [header, samples] : layout.headers)  // earlier ones are gone already
        if (samples < octets.size()) octets.erase(samples, header);
}

// Keys of our own need their name space declared in the metadata.
void declare_extension(ordered_json& global) {
    constexpr const char* kKey = "core:extensions";
    if (!global.is_object()) return;
    if (!global.contains(kKey) || !global[kKey].is_array()) global[kKey] = ordered_json::array();
    for (const auto& item : global[kKey])
        if (item.is_object() && item.contains("name") && item["name"] == "wimax") return;
    global[kKey].push_back({{"name", "wimax"}, {"version", "1.0.0"}, {"optional", true}});
}

}  // namespace

bool is_sigmf(const std::string& path) {
    return path.ends_with(".sigmf-data") || path.ends_with(".sigmf-meta") || path.ends_with(".sigmf");
}

tl::expected<Recording, Fault> read_recording(const std::string& path) {
    Layout layout;
    layout.data = path;
    if (is_sigmf(path)) {
        auto told = read_layout(path);
        if (!told) return tl::unexpected(told.error());
        layout = std::move(*told);
    }
    auto octets = read_octets(layout.data);
    if (!octets) return tl::unexpected(octets.error());
    remove_foreign_octets(layout, *octets);
    Recording recording;
    recording.sample_rate_hz = layout.sample_rate_hz;
    recording.samples.resize(octets->size() / layout.type.octets);
    recording.ignored_octets = octets->size() % layout.type.octets;
    for (size_t i = 0; i < recording.samples.size(); ++i) {
        recording.samples[i] = layout.type.read(octets->data() + i * layout.type.octets);
        recording.repaired += repair(recording.samples[i]) ? 1 : 0;
    }
    return recording;
}

RecordingWriter::~RecordingWriter() { (void)close(); }

tl::unexpected<Fault> RecordingWriter::failed(const char* what) const {
    return tl::unexpected(Fault{"--out", "", std::string(what) + ": " + std::strerror(errno), path_});
}

Outcome RecordingWriter::open(const std::string& path, double sample_rate_hz, const std::string& description) {
    path_ = path;
    if (is_sigmf(path)) {
        path_ = data_path(path);
        meta_path_ = meta_path(path);
        meta_["global"] = {{"core:datatype", "cf32_le"},
                           {"core:version", "1.0.0"},
                           {"core:sample_rate", sample_rate_hz},
                           {"core:recorder", kGenerator},
                           {"core:description", description}};
        meta_["captures"] = ordered_json::array({{{"core:sample_start", 0}}});
        meta_["annotations"] = ordered_json::array();
    }
    file_ = path_ == "-" ? stdout : std::fopen(path_.c_str(), "wb");
    return file_ == nullptr ? failed("cannot be opened") : Outcome();
}

Outcome RecordingWriter::write(std::span<const Complex> samples) {
    const size_t written = std::fwrite(samples.data(), sizeof(Complex), samples.size(), file_);
    return written == samples.size() ? Outcome() : failed("cannot be written");
}

Outcome RecordingWriter::zeros(int64_t count) {
    static const std::vector<Complex> silence(65536);
    while (count > 0) {
        const auto now = std::min<int64_t>(count, static_cast<int64_t>(silence.size()));
        if (const auto written = write(std::span(silence).first(static_cast<size_t>(now))); !written) return written;
        count -= now;
    }
    return {};
}

Outcome RecordingWriter::close() {
    if (file_ == nullptr) return {};
    const bool good = file_ == stdout ? std::fflush(file_) == 0 : std::fclose(file_) == 0;
    file_ = nullptr;
    if (!good) return failed("cannot be written");
    if (!meta_path_.empty() && !(std::ofstream(meta_path_) << meta_.dump(2) << "\n"))
        return tl::unexpected(Fault{"--out", "", "cannot be written", meta_path_});
    return {};
}

Outcome annotate(const std::string& path, const ordered_json& annotations) {
    ordered_json meta = read_meta(path);
    if (!meta.is_object()) return failure(meta_path(path), "cannot be read again");
    ordered_json kept = ordered_json::array();
    if (meta.contains("annotations") && meta["annotations"].is_array()) {
        for (const auto& item : meta["annotations"]) {
            const bool ours =
                item.is_object() && item.contains("core:generator") && item["core:generator"] == kGenerator;
            if (!ours) kept.push_back(item);
        }
    }
    // Indices of SigMF count from the first file of a split recording.
    const bool split = meta.contains("global") && meta["global"].is_object();
    const auto offset = split ? count_at(meta["global"], "core:offset").value_or(0) : 0;
    for (auto item : annotations) {
        item["core:sample_start"] = item["core:sample_start"].get<size_t>() + offset;
        item["core:generator"] = kGenerator;
        kept.push_back(std::move(item));
    }
    std::stable_sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
        const auto start = [](const ordered_json& item) {
            const bool has = item.is_object() && item.contains("core:sample_start");
            return has && item["core:sample_start"].is_number() ? item["core:sample_start"].template get<double>()
                                                                : 0.0;
        };
        return start(a) < start(b);
    });
    meta["annotations"] = kept;
    declare_extension(meta["global"]);
    // Never half a file in place of somebody's metadata.
    const std::string text = meta.dump(2, ' ', false, ordered_json::error_handler_t::replace);
    const std::string fresh = meta_path(path) + ".new";
    std::error_code error;
    if (std::ofstream file(fresh); !(file << text << "\n" << std::flush))
        error = std::make_error_code(std::errc::io_error);
    if (!error) std::filesystem::rename(fresh, meta_path(path), error);
    if (!error) return {};
    std::error_code ignored;
    std::filesystem::remove(fresh, ignored);
    return failure(meta_path(path), "annotations cannot be written: " + error.message());
}

}  // namespace wimax::iq
