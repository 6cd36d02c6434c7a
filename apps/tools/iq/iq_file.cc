/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <iq/iq_file.h>
#include <iq/spec.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>

namespace wimax::iq {
namespace {

using nlohmann::ordered_json;
static_assert(std::endian::native == std::endian::little, "cf32 files are little-endian");

constexpr const char* kGenerator = "wimax-iq";

std::string stem(const std::string& path) { return path.substr(0, path.rfind(".sigmf")); }
std::string meta_path(const std::string& path) { return stem(path) + ".sigmf-meta"; }
std::string data_path(const std::string& path) { return stem(path) + ".sigmf-data"; }

struct SampleType {
    const char* name;
    size_t octets;
    Complex (*read)(const char*);
};

template <class T>
Complex read_pair(const char* from, float offset, float scale) {
    std::array<T, 2> v;
    std::memcpy(v.data(), from, sizeof v);
    return {(static_cast<float>(v[0]) - offset) * scale, (static_cast<float>(v[1]) - offset) * scale};
}
constexpr std::array<SampleType, 4> kTypes{{
    {"cf32_le", 8, [](const char* p) { return read_pair<float>(p, 0.0F, 1.0F); }},
    {"ci16_le", 4, [](const char* p) { return read_pair<int16_t>(p, 0.0F, 1.0F / 32768.0F); }},
    {"ci8", 2, [](const char* p) { return read_pair<int8_t>(p, 0.0F, 1.0F / 128.0F); }},
    {"cu8", 2, [](const char* p) { return read_pair<uint8_t>(p, 127.5F, 1.0F / 128.0F); }},
}};

tl::expected<std::string, std::string> read_octets(const std::string& path) {
    auto text = read_text(path);
    if (!text) {
        return tl::unexpected(
            path + ": --in: cannot be read; allowed: .cf32, .sigmf-data, .sigmf-meta, or - for standard input");
    }
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

tl::expected<Recording, std::string> read_recording(const std::string& path) {
    Recording recording;
    const SampleType* type = &kTypes[0];
    if (is_sigmf(path)) {
        const ordered_json meta = read_meta(path);
        const bool good = meta.is_object() && meta.contains("global") && meta["global"].is_object();
        if (!good) return tl::unexpected(meta_path(path) + ": global: missing; allowed: a SigMF metadata file");
        const ordered_json& global = meta["global"];
        const auto name = global.contains("core:datatype") ? global["core:datatype"] : ordered_json();
        const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& t) { return name == t.name; });
        if (found == kTypes.end()) {
            return tl::unexpected(meta_path(path) + ": core:datatype: " + name.dump() +
                                  " is not one of cf32_le, ci16_le, ci8, cu8");
        }
        type = &*found;
        if (global.contains("core:sample_rate") && global["core:sample_rate"].is_number()) {
            recording.sample_rate_hz = global["core:sample_rate"].get<double>();
        }
    }
    const auto octets = read_octets(is_sigmf(path) ? data_path(path) : path);
    if (!octets) return tl::unexpected(octets.error());
    recording.samples.resize(octets->size() / type->octets);
    recording.ignored_octets = octets->size() % type->octets;
    for (size_t i = 0; i < recording.samples.size(); ++i) {
        recording.samples[i] = type->read(octets->data() + i * type->octets);
        recording.repaired += repair(recording.samples[i]) ? 1 : 0;
    }
    return recording;
}

RecordingWriter::~RecordingWriter() { close(); }

std::string RecordingWriter::fail(const char* what) const {
    return path_ + ": --out: " + what + ": " + std::strerror(errno);
}

std::string RecordingWriter::open(const std::string& path, double sample_rate_hz, const std::string& description) {
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
    return file_ == nullptr ? fail("cannot be opened") : std::string();
}

std::string RecordingWriter::write(std::span<const Complex> samples) {
    const size_t written = std::fwrite(samples.data(), sizeof(Complex), samples.size(), file_);
    return written == samples.size() ? std::string() : fail("cannot be written");
}

std::string RecordingWriter::zeros(int64_t count) {
    static const std::vector<Complex> silence(65536);
    while (count > 0) {
        const auto now = std::min<int64_t>(count, static_cast<int64_t>(silence.size()));
        if (auto error = write(std::span(silence).first(static_cast<size_t>(now))); !error.empty()) return error;
        count -= now;
    }
    return {};
}

std::string RecordingWriter::close() {
    if (file_ == nullptr) return {};
    const bool good = file_ == stdout ? std::fflush(file_) == 0 : std::fclose(file_) == 0;
    file_ = nullptr;
    if (!good) return fail("cannot be written");
    if (!meta_path_.empty() && !(std::ofstream(meta_path_) << meta_.dump(2) << "\n")) {
        return meta_path_ + ": --out: cannot be written";
    }
    return {};
}

std::string annotate(const std::string& path, const ordered_json& annotations) {
    ordered_json meta = read_meta(path);
    if (!meta.is_object()) return meta_path(path) + ": cannot be read again";
    ordered_json kept = ordered_json::array();
    if (meta.contains("annotations") && meta["annotations"].is_array()) {
        for (const auto& item : meta["annotations"]) {
            const bool ours =
                item.is_object() && item.contains("core:generator") && item["core:generator"] == kGenerator;
            if (!ours) kept.push_back(item);
        }
    }
    for (auto item : annotations) {
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
    const std::string text = meta.dump(2, ' ', false, ordered_json::error_handler_t::replace);
    if (!(std::ofstream(meta_path(path)) << text << "\n")) return meta_path(path) + ": annotations cannot be written";
    return {};
}

}  // namespace wimax::iq
