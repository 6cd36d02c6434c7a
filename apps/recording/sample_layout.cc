// SPDX-License-Identifier: GPL-3.0-or-later
#include "recording/sample_layout.h"
#include "recording/sigmf_file.h"

#include "common/safe_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <regex>

namespace wimax::iq {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWav = "wav", kNpy = "npy";
constexpr std::string_view kNpyMagic("\x93NUMPY", 6);

struct Ending {
    std::string_view ending, format;
};
// Suffixes of GNU Radio, UHD and other receivers; .iq, .bin, .dat and .raw do not denote a format.
constexpr std::array<Ending, 20> kEndings{
    {{".cf32", "cf32"}, {".fc32", "cf32"},    {".cfile", "cf32"}, {".cf64", "cf64"}, {".fc64", "cf64"},
     {".ci32", "ci32"}, {".cs32", "ci32"},    {".sc32", "ci32"},  {".ci16", "ci16"}, {".cs16", "ci16"},
     {".sc16", "ci16"}, {".cu16", "cu16"},    {".ci8", "ci8"},    {".cs8", "ci8"},   {".sc8", "ci8"},
     {".cu8", "cu8"},   {".complex", "cf32"}, {".wav", kWav},     {".rf64", kWav},   {".npy", kNpy}}};

tl::unexpected<Fault> refused(const std::string& path, const std::string& what, const std::string& allowed) {
    return tl::unexpected(Fault{"--in", what, allowed, path});
}

/// The first `count` octets of a file, or all of a shorter one.
std::string beginning(const std::string& path, size_t count) {
    std::string octets(count, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(octets.data(), static_cast<std::streamsize>(count));
    octets.resize(static_cast<size_t>(std::max<std::streamsize>(0, file.gcount())));
    return octets;
}

bool is_wav(const std::string& begin) {
    return begin.size() >= 12 && (begin.starts_with("RIFF") || begin.starts_with("RF64")) &&
           begin.substr(8, 4) == "WAVE";
}

std::string known_names() {
    std::string text = ".sigmf-meta";
    for (const auto& entry : kEndings) text += " " + std::string(entry.ending);
    return text + ", or --format with what it is";
}

/// NumPy's dictionary: {'descr': '<c8', 'fortran_order': False, 'shape': (1000,), }
tl::expected<SampleLayout, Fault> npy_layout(const std::string& path, uint64_t file_octets) {
    constexpr size_t kMostHeader = 65536 + 12;
    const std::string begin = beginning(path, kMostHeader);
    const auto octet = [&begin](size_t i) { return i < begin.size() ? static_cast<uint8_t>(begin[i]) : 0U; };
    if (!begin.starts_with(kNpyMagic)) return refused(path, "no NumPy header", "a .npy file as numpy.save writes it");
    const bool first = octet(6) == 1;  // its length has two octets, later ones' four
    const size_t head = first ? 10 : 12;
    const size_t length = octet(8) + 256 * octet(9) + (first ? 0 : 65536 * octet(10) + 16777216 * octet(11));
    const std::string text = begin.substr(std::min(head, begin.size()), length);
    std::smatch type, shape;
    const bool named = std::regex_search(text, type, std::regex("'descr': *'([<>=|])(\\w+)'"));
    const bool shaped = std::regex_search(text, shape, std::regex("'shape': *\\((\\d{1,18}),? *\\)"));
    const std::string order = named && type[1] == ">" ? "_be" : "_le";
    const std::string element = named ? type[2].str() : "";
    if (element != "c8" && element != "c16")
        return refused(path, "an array of " + (named ? type[1].str() + element : "an unknown type"),
                       "complex64 or complex128");
    if (!shaped) return refused(path, "an array of more than one dimension", "one dimension");
    SampleLayout layout;
    layout.type = *sample_type((element == "c8" ? "cf32" : "cf64") + order);
    const uint64_t wanted = std::stoull(shape[1]) * layout.type.octets;
    if (head + length + wanted != file_octets)
        return refused(path, std::to_string(file_octets) + " octets",
                       std::to_string(head + length + wanted) + " by its header");
    layout.samples = {{head + length, wanted}};
    return layout;
}

tl::expected<std::string, Fault> format_of_file(const std::string& path, const std::string& format) {
    const std::string begin = beginning(path, 12);
    if (format.empty() && is_wav(begin)) return std::string(kWav);
    if (format.empty() && begin.starts_with(kNpyMagic)) return std::string(kNpy);
    const std::string name = format.empty() ? format_of_name(path) : format;
    if (name.empty()) return refused(path, "of unknown format by name and header", known_names());
    if (name == kWav && !is_wav(begin)) return refused(path, "no WAV header", "RIFF or RF64 with WAVE");
    return name;
}

tl::expected<SampleLayout, Fault> file_layout(const std::string& path, const std::string& format) {
    if (const auto opened = open_regular(path); !opened)
        return refused(path, "that cannot be read (" + opened.error().allowed + ")",
                       "a recording in a regular file, or - for standard input");
    std::error_code error;
    const uint64_t octets = fs::file_size(path, error);
    if (error || octets == 0) return refused(path, "an empty file", "at least one sample");
    const auto name = format_of_file(path, format);
    if (!name) return tl::unexpected(name.error());
    if (*name == kNpy) return npy_layout(path, octets);
    SampleLayout layout;
    layout.wav = *name == kWav;
    if (layout.wav) return layout;
    layout.type = *sample_type_or_short(*name);
    layout.samples = stretches(octets, 0, {});
    return layout;
}

/// A part of a sample at the end shows that the file has another format.
tl::expected<SampleLayout, Fault> whole(SampleLayout layout) {
    uint64_t octets = 0;
    for (const auto& stretch : layout.samples) octets += stretch.octets;
    if (!layout.wav && octets == 0) return refused(layout.path, "without samples", "at least one");
    if (octets % layout.type.octets != 0)
        return refused(layout.path, std::to_string(octets) + " octets of samples",
                       "a multiple of " + std::to_string(layout.type.octets) + "; --format if it is another format");
    return layout;
}

}  // namespace

std::string format_of_name(const std::string& path) {
    std::string ending = fs::path(path).extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto* found =
        std::find_if(kEndings.begin(), kEndings.end(), [&](const Ending& e) { return e.ending == ending; });
    return found == kEndings.end() ? "" : std::string(found->format);
}

std::vector<std::string> sample_formats() {
    std::vector<std::string> names{"cf32", "cf64", "ci32", "cu32", "ci16", "cu16"};
    for (const char* order : {"_le", "_be"})
        for (size_t i = 0; i < 6; ++i) names.push_back(names[i] + order);
    for (const char* other : {"ci8", "cu8", "wav", "npy"}) names.emplace_back(other);
    return names;
}

std::vector<SampleLayout::Stretch> stretches(uint64_t file_octets, uint64_t trailing_octets,
                                             const std::vector<std::pair<uint64_t, uint64_t>>& headers) {
    std::vector<SampleLayout::Stretch> found;
    uint64_t at = 0, before = 0;
    const uint64_t end = file_octets - std::min(file_octets, trailing_octets);
    const auto take = [&](uint64_t octets) {
        const uint64_t there = std::min(octets, end - std::min(at, end));
        if (there > 0) found.push_back({at, there});
        at += there;
        before += there;
        return there == octets;
    };
    for (const auto& [octets, samples] : headers) {
        if (!take(samples - std::min(samples, before))) return found;
        at += std::min(octets, end - at);
    }
    take(end - at);
    return found;
}

tl::expected<SampleLayout, Fault> find_layout(const std::string& path, const std::string& format) {
    if (path == "-") {
        if (format == kWav || format == kNpy)
            return refused("--format", format + " from standard input", "a file, or samples without a header");
        SampleLayout layout;
        layout.path = path;
        if (!format.empty()) layout.type = *sample_type_or_short(format);
        return layout;
    }
    if (is_sigmf(path))
        return format.empty() ? sigmf_layout(path).and_then(whole)
                              : refused(path, "--format " + format, "what its metadata say");
    return file_layout(path, format).and_then([&path](SampleLayout layout) {
        layout.path = path;
        return whole(std::move(layout));
    });
}

}  // namespace wimax::iq
