// SPDX-License-Identifier: GPL-3.0-or-later
#include "recording/iq_file.h"
#include "recording/sigmf_file.h"

#include "common/output_stream.h"

#include <sndfile.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>

namespace wimax::iq {
namespace {

using nlohmann::ordered_json;
static_assert(std::endian::native == std::endian::little, "cf32 files are little-endian");

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

}  // namespace

struct RecordingReader::Impl {
    struct Close {
        void operator()(std::FILE* opened) const {
            if (opened != stdin) std::fclose(opened);
        }
        void operator()(SNDFILE* opened) const { sf_close(opened); }
    };

    SampleLayout layout;
    std::unique_ptr<std::FILE, Close> file;
    std::unique_ptr<SNDFILE, Close> wav;
    std::optional<int64_t> size;
    size_t stretch = 0;  ///< at hand, of the layout's
    uint64_t done = 0;   ///< octets of it
    std::vector<char> raw;
    std::vector<Complex> samples;
    size_t repaired = 0, ignored_octets = 0;
    bool broken = false;

    Outcome open_wav() {
        SF_INFO info{};
        wav.reset(sf_open(layout.path.c_str(), SFM_READ, &info));
        const auto refused = [&](const std::string& value, const std::string& allowed) {
            return tl::unexpected(Fault{"--in", value, allowed, layout.path});
        };
        if (!wav) return refused("a WAV file that cannot be read", sf_strerror(nullptr));
        if (info.channels != 2)
            return refused("a WAV file of " + std::to_string(info.channels) + " channels", "2, I and Q");
        if (info.frames == 0) return refused("a WAV file without samples", "at least one");
        layout.sample_rate_hz = info.samplerate;
        size = info.frames;
        return {};
    }
    Outcome open_raw() {
        if (layout.path == "-") {
            file.reset(stdin);
        } else if (auto opened = open_regular(layout.path)) {
            file.reset(::fdopen(opened->get(), "rb"));
            if (file) opened->release();  // the stream closes it
        }
        if (!file) return tl::unexpected(Fault{"--in", "", std::strerror(errno), layout.path});
        if (layout.path == "-") return {};
        uint64_t octets = 0;
        for (const auto& part : layout.samples) octets += part.octets;
        size = static_cast<int64_t>(octets / layout.type.octets);
        return seek(0) ? Outcome() : tl::unexpected(Fault{"--in", "", std::strerror(errno), layout.path});
    }
    bool seek(uint64_t octet) {
        for (stretch = 0; stretch < layout.samples.size(); ++stretch) {
            const auto& part = layout.samples[stretch];
            if (octet < part.octets) {
                done = octet;
                return fseeko(file.get(), static_cast<off_t>(part.at + octet), SEEK_SET) == 0;
            }
            octet -= part.octets;
        }
        return true;
    }
    /// Octets read after the first `have`, up to the end of the stretch.
    size_t read_octets(size_t have) {
        size_t most = raw.size() - have;
        if (size) {
            if (stretch >= layout.samples.size()) return 0;
            most = std::min<uint64_t>(most, layout.samples[stretch].octets - done);
        }
        const size_t got = std::fread(raw.data() + have, 1, most, file.get());
        // A signal that ends the program interrupts standard input, which is no fault.
        const bool ended = errno == EINTR && std::ferror(file.get()) != 0 && !size;
        broken = broken || (std::ferror(file.get()) != 0 && !ended) || (size && got < most);
        done += got;
        if (size && done == layout.samples[stretch].octets && ++stretch < layout.samples.size()) {
            done = 0;
            broken = fseeko(file.get(), static_cast<off_t>(layout.samples[stretch].at), SEEK_SET) != 0 || broken;
        }
        return got;
    }
    void next_raw() {
        const size_t octets = layout.type.octets;
        raw.resize(kChunkSamples * octets);
        size_t have = 0;
        while (have < raw.size()) {
            const size_t got = read_octets(have);
            if (got == 0) break;
            have += got;
        }
        ignored_octets = have % octets;
        samples.resize(have / octets);
        for (size_t i = 0; i < samples.size(); ++i) samples[i] = layout.type.read(raw.data() + i * octets);
    }
    void next_wav() {
        samples.resize(kChunkSamples);
        const auto got = sf_readf_float(wav.get(), reinterpret_cast<float*>(samples.data()), kChunkSamples);
        samples.resize(static_cast<size_t>(std::max<sf_count_t>(0, got)));
    }
};

RecordingReader::RecordingReader() : impl_(std::make_unique<Impl>()) {}
RecordingReader::~RecordingReader() = default;
RecordingReader::RecordingReader(RecordingReader&&) noexcept = default;

tl::expected<RecordingReader, Fault> RecordingReader::open(const std::string& path, const std::string& format) {
    auto layout = find_layout(path, format);
    if (!layout) return tl::unexpected(layout.error());
    RecordingReader reader;
    reader.impl_->layout = std::move(*layout);
    const auto opened = reader.impl_->layout.wav ? reader.impl_->open_wav() : reader.impl_->open_raw();
    if (!opened) return tl::unexpected(opened.error());
    return reader;
}

double RecordingReader::sample_rate_hz() const { return impl_->layout.sample_rate_hz; }
std::optional<int64_t> RecordingReader::size() const { return impl_->size; }
size_t RecordingReader::repaired() const { return impl_->repaired; }
size_t RecordingReader::ignored_octets() const { return impl_->ignored_octets; }

std::span<const Complex> RecordingReader::next() {
    if (impl_->layout.wav) impl_->next_wav();
    else impl_->next_raw();
    for (auto& sample : impl_->samples) impl_->repaired += repair(sample) ? 1 : 0;
    return impl_->samples;
}

Outcome RecordingReader::seek(int64_t sample) {
    sample = std::min(sample, impl_->size.value_or(sample));  // the end; octets of later samples would overflow
    const bool done = impl_->layout.wav ? sf_seek(impl_->wav.get(), sample, SEEK_SET) >= 0
                                        : impl_->seek(static_cast<uint64_t>(sample) * impl_->layout.type.octets);
    return done ? Outcome() : tl::unexpected(Fault{"--in", "", "cannot be read again", impl_->layout.path});
}

Outcome RecordingReader::whole() const {
    if (!impl_->broken) return {};
    return tl::unexpected(Fault{"--in", "", "reading failed before the end of the file", impl_->layout.path});
}

tl::expected<Recording, Fault> read_recording(const std::string& path, const std::string& format) {
    auto reader = RecordingReader::open(path, format);
    if (!reader) return tl::unexpected(reader.error());
    Recording recording;
    recording.sample_rate_hz = reader->sample_rate_hz();
    recording.samples.reserve(static_cast<size_t>(reader->size().value_or(0)));
    for (auto part = reader->next(); !part.empty(); part = reader->next())
        recording.samples.insert(recording.samples.end(), part.begin(), part.end());
    recording.repaired = reader->repaired();
    recording.ignored_octets = reader->ignored_octets();
    if (const auto whole = reader->whole(); !whole) return tl::unexpected(whole.error());
    return recording;
}

RecordingWriter::~RecordingWriter() { (void)close(); }

tl::unexpected<Fault> RecordingWriter::failed(const char* what) const {
    return tl::unexpected(Fault{"--out", "", std::string(what) + ": " + std::strerror(errno), path_});
}

Outcome RecordingWriter::open(const std::string& path, double sample_rate_hz, const std::string& description) {
    if (const auto named = format_of_name(path); !named.empty() && named != "cf32")
        return tl::unexpected(Fault{"--out", "the name of a " + named + " file", ".cf32 or .sigmf-data", path});
    path_ = path;
    if (is_sigmf(path)) {
        path_ = sigmf_data_path(path);
        meta_path_ = sigmf_meta_path(path);
        meta_["global"] = {{"core:datatype", "cf32_le"},
                           {"core:version", "1.0.0"},
                           {"core:sample_rate", sample_rate_hz},
                           {"core:recorder", kGenerator},
                           {"core:description", description}};
        meta_["captures"] = ordered_json::array({{{"core:sample_start", 0}}});
        meta_["annotations"] = ordered_json::array();
    }
    if (path_ == "-") {
        file_ = stdout;
        return {};
    }
    auto opened = OutputFile::open(path_, OutputFile::Existing::replace);
    if (!opened) return tl::unexpected(Fault{"--out", "", "cannot be opened: " + opened.error().allowed, path_});
    file_ = ::fdopen(opened->fd(), "wb");
    if (file_ == nullptr) return failed("cannot be opened");
    opened->release();  // the stream closes it
    return {};
}

Outcome RecordingWriter::write(std::span<const Complex> samples) {
    const size_t written = std::fwrite(samples.data(), sizeof(Complex), samples.size(), file_);
    return written == samples.size() ? Outcome() : failed("cannot be written");
}

Outcome RecordingWriter::close() {
    if (file_ == nullptr) return {};
    const bool good = file_ == stdout ? std::fflush(file_) == 0 : std::fclose(file_) == 0;
    file_ = nullptr;
    if (!good) return failed("cannot be written");
    if (meta_path_.empty()) return {};
    OutputStream meta;
    const auto opened = meta.open(meta_path_);
    meta << meta_.dump(2) << "\n";
    if (meta.close()) return {};
    const std::string reason = opened ? "" : ": " + opened.error().allowed;
    return tl::unexpected(Fault{"--out", "", "cannot be written" + reason, meta_path_});
}

}  // namespace wimax::iq
