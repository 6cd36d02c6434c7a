// SPDX-License-Identifier: GPL-3.0-or-later
#include "recording/sigmf_file.h"

#include "common/safe_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>

namespace wimax::iq {
namespace {

using nlohmann::ordered_json;

constexpr uint64_t kMaxMetaBytes = 256 << 20;  // metadata with many annotations

std::string stem(const std::string& path) { return path.substr(0, path.rfind(".sigmf")); }

ordered_json read_meta(const std::string& path) {
    const auto text = read_regular(sigmf_meta_path(path), kMaxMetaBytes);
    return text ? ordered_json::parse(*text, nullptr, false) : ordered_json();
}

/// A count of octets or samples; nullopt if the value is no count, 0 without the key.
std::optional<size_t> count_at(const ordered_json& object, const char* key) {
    if (!object.contains(key)) return 0;
    return object[key].is_number_unsigned() ? std::optional(object[key].get<size_t>()) : std::nullopt;
}

using Headers = std::vector<std::pair<uint64_t, uint64_t>>;  // octets, octets of samples before

/// Captures may have headers of other tools before their samples.
Outcome read_headers(const ordered_json& meta, const SampleType& type, Headers& headers) {
    const bool listed = meta.contains("captures") && meta["captures"].is_array();
    for (const auto& capture : listed ? meta["captures"] : ordered_json::array()) {
        if (!capture.is_object()) return failure("captures", "is not a list of objects");
        const auto header = count_at(capture, "core:header_bytes"), start = count_at(capture, "core:sample_start");
        if (!header) return failure("core:header_bytes", "is not a number of octets");
        if (*header == 0) continue;
        if (!start || *start > std::numeric_limits<size_t>::max() / type.octets)
            return failure("core:sample_start", "is not a number of samples");
        headers.emplace_back(*header, *start * type.octets);
    }
    std::sort(headers.begin(), headers.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return {};
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

bool is_ours(const ordered_json& item) {
    return item.is_object() && item.contains("core:generator") && item["core:generator"] == kGenerator;
}

double start_of(const ordered_json& item) {
    const bool has = item.is_object() && item.contains("core:sample_start");
    return has && item["core:sample_start"].is_number() ? item["core:sample_start"].get<double>() : 0.0;
}

// Others' texts may be no UTF-8.
std::string written(const ordered_json& json, int indent) {
    return json.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

std::string sigmf_meta_path(const std::string& path) { return stem(path) + ".sigmf-meta"; }
std::string sigmf_data_path(const std::string& path) { return stem(path) + ".sigmf-data"; }

bool is_sigmf(const std::string& path) {
    return path.ends_with(".sigmf-data") || path.ends_with(".sigmf-meta") || path.ends_with(".sigmf");
}

tl::expected<SampleLayout, Fault> sigmf_layout(const std::string& path) {
    const auto fault = [&path](const char* key, const std::string& value, const std::string& allowed) {
        return tl::unexpected(Fault{key, value, allowed, sigmf_meta_path(path)});
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

    SampleLayout layout;
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
    Headers headers;
    if (const auto read = read_headers(meta, layout.type, headers); !read)
        return fault(read.error().key.c_str(), read.error().value, read.error().allowed);
    layout.path = sigmf_data_path(path);
    if (global.contains("core:dataset") && global["core:dataset"].is_string())
        layout.path = std::filesystem::path(path).replace_filename(global["core:dataset"].get<std::string>()).string();
    std::error_code error;
    const uint64_t octets = std::filesystem::file_size(layout.path, error);
    if (error || !open_regular(layout.path))
        return tl::unexpected(
            Fault{"--in", "that cannot be read", "the file of samples that the metadata name", layout.path});
    layout.samples = stretches(octets, *trailing, headers);
    return layout;
}

Outcome AnnotationWriter::open(const std::string& path) {
    meta_path_ = sigmf_meta_path(path);
    ordered_json meta = read_meta(path);
    if (!meta.is_object()) return failure(meta_path_, "cannot be read again");
    if (meta.contains("annotations") && meta["annotations"].is_array())
        for (auto& item : meta["annotations"])
            if (!is_ours(item)) foreign_.push_back(std::move(item));
    std::stable_sort(foreign_.begin(), foreign_.end(),
                     [](const auto& a, const auto& b) { return start_of(a) < start_of(b); });
    // Indices of SigMF count from the first file of a split recording.
    const bool split = meta.contains("global") && meta["global"].is_object();
    offset_ = split ? count_at(meta["global"], "core:offset").value_or(0) : 0;
    declare_extension(meta["global"]);
    meta.erase("annotations");
    // Writes a new file first, so that existing metadata are never truncated.
    if (const auto opened = file_.open(meta_path_ + ".new"); !opened)
        return failure(meta_path_, "annotations cannot be written: " + opened.error().allowed);
    std::string text = written(meta, 2);
    text.resize(text.size() - std::string_view("\n}").size());
    file_ << text << ",\n  \"annotations\": [";
    return file_ ? Outcome() : failure(meta_path_, "annotations cannot be written");
}

AnnotationWriter::~AnnotationWriter() {
    if (file_.is_open()) file_.file().remove();
}

void AnnotationWriter::put(const ordered_json& annotation) {
    file_ << (first_ ? "\n    " : ",\n    ") << written(annotation, -1);
    first_ = false;
}

void AnnotationWriter::add(ordered_json annotation) {
    annotation["core:sample_start"] = annotation["core:sample_start"].get<size_t>() + offset_;
    annotation.emplace("core:generator", kGenerator);
    while (next_foreign_ < foreign_.size() && start_of(foreign_[next_foreign_]) <= start_of(annotation))
        put(foreign_[next_foreign_++]);
    put(annotation);
}

Outcome AnnotationWriter::finish() {
    while (next_foreign_ < foreign_.size()) put(foreign_[next_foreign_++]);
    file_ << (first_ ? "]\n}\n" : "\n  ]\n}\n") << std::flush;
    const auto named = file_ ? file_.file().rename(std::filesystem::path(meta_path_).filename().string())
                             : failure(meta_path_, std::strerror(EIO));
    if (!named) return failure(meta_path_, "annotations cannot be written: " + named.error().allowed);
    file_.close();
    return {};
}

}  // namespace wimax::iq
