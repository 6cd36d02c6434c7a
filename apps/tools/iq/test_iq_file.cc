// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/scratch.h"
#include "recording/iq_file.h"
#include "recording/sigmf_file.h"
#include "tools/iq/impair.h"
#include "tools/iq/spec.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace wimax::iq {
namespace {

std::string temporary(const std::string& name) { return wimax::Scratch::path(name); }

std::vector<Complex> ramp(size_t count) {
    std::vector<Complex> x(count);
    for (size_t i = 0; i < count; ++i) x[i] = Complex(static_cast<float>(i), -0.5F);
    return x;
}

void put(const std::string& path, const std::string& octets) { std::ofstream(path, std::ios::binary) << octets; }

Outcome annotate(const std::string& path, const nlohmann::ordered_json& annotation) {
    AnnotationWriter out;
    return out.open(path).and_then([&] {
        out.add(annotation);
        return out.finish();
    });
}

TEST(IqFile, Cf32RoundTrip) {
    const auto path = temporary("a.cf32");
    const auto x = ramp(1000);
    RecordingWriter out;
    EXPECT_TRUE(out.open(path, 5.76e6, ""));
    EXPECT_TRUE(out.write(std::vector<Complex>(3)));
    EXPECT_TRUE(out.write(x));
    EXPECT_TRUE(out.close());
    const auto back = read_recording(path);
    ASSERT_TRUE(back);
    ASSERT_EQ(back->samples.size(), 1003U);
    EXPECT_EQ(back->samples[2], Complex{});
    EXPECT_EQ(back->samples[13], x[10]);
    EXPECT_EQ(back->sample_rate_hz, 0.0);
}

TEST(IqFile, NothingIsWrittenUnderTheNameOfAnotherFormat) {
    for (const std::string name : {"a.wav", "a.NPY", "a.ci16"}) {
        const auto path = temporary(name);
        RecordingWriter out;
        const auto done = out.open(path, 5.76e6, "");
        ASSERT_FALSE(done) << name;
        EXPECT_NE(done.error().str().find("--out: value the name of a "), std::string::npos) << done.error().str();
        EXPECT_FALSE(std::ifstream(path).good()) << name;
    }
    for (const std::string name : {"a.fc32", "a.cfile", "a.bin", "noise"}) {
        RecordingWriter out;
        EXPECT_TRUE(out.open(temporary(name), 5.76e6, "")) << name;
    }
}

TEST(IqFile, SigmfRoundTripAndAnnotations) {
    const auto base = temporary("b");
    RecordingWriter out;
    EXPECT_TRUE(out.open(base + ".sigmf-meta", 8e6, "test"));
    EXPECT_TRUE(out.write(ramp(50)));
    EXPECT_TRUE(out.close());
    const auto back = read_recording(base + ".sigmf-data");
    ASSERT_TRUE(back) << back.error().str();
    EXPECT_EQ(back->samples, ramp(50));
    EXPECT_EQ(back->sample_rate_hz, 8e6);
    const auto meta = [&base] { return nlohmann::json::parse(*read_text(base + ".sigmf-meta")); };
    auto foreign = meta();
    foreign["annotations"] = {{{"core:sample_start", 30}, {"core:label", "mine"}}};
    put(base + ".sigmf-meta", foreign.dump());
    for (int run = 0; run < 2; ++run) {  // our own are replaced, others stay
        EXPECT_TRUE(annotate(base + ".sigmf-data", {{"core:sample_start", 5}, {"core:label", "burst 1"}}));
        ASSERT_EQ(meta()["annotations"].size(), 2U);
        EXPECT_EQ(meta()["global"]["core:extensions"].size(), 1U);
        EXPECT_EQ(meta()["annotations"][0]["core:label"], "burst 1");
        EXPECT_EQ(meta()["annotations"][1]["core:label"], "mine");
        EXPECT_EQ(meta()["global"]["core:datatype"], "cf32_le");
    }
}

std::string fault_of(const std::string& path) {
    const auto read = read_recording(path);
    return read ? "" : read.error().str();
}

TEST(IqFile, DataTypesOfOtherTools) {
    const auto base = temporary("c");
    using namespace std::string_literals;
    // 0.5 and -0.5, or the nearest values of unsigned integers.
    const std::vector<std::pair<std::string, std::string>> files{
        {"ci16_le", "\x00\x40\x00\xC0"s},
        {"ci16_be", "\x40\x00\xC0\x00"s},
        {"cu16_le", "\x00\xC0\x00\x40"s},
        {"cu16_be", "\xC0\x00\x40\x00"s},
        {"ci32_le", "\x00\x00\x00\x40\x00\x00\x00\xC0"s},
        {"cu32_be", "\xC0\x00\x00\x00\x40\x00\x00\x00"s},
        {"ci8", "\x40\xC0"s},
        {"cu8", "\xC0\x40"s},
        {"cf32_be", "\x3F\x00\x00\x00\xBF\x00\x00\x00"s},
        {"cf64_le", "\x00\x00\x00\x00\x00\x00\xE0\x3F\x00\x00\x00\x00\x00\x00\xE0\xBF"s},
        {"cf64_be", "\x3F\xE0\x00\x00\x00\x00\x00\x00\xBF\xE0\x00\x00\x00\x00\x00\x00"s}};
    for (const auto& [name, octets] : files) {
        put(base + ".sigmf-meta", R"({"global": {"core:datatype": ")" + name + R"("}})");
        put(base + ".sigmf-data", octets);
        const auto back = read_recording(base + ".sigmf-data");
        ASSERT_TRUE(back) << back.error().str();
        ASSERT_EQ(back->samples.size(), 1U) << name;
        // The middle of an unsigned type's range is between two values.
        const float step = name == "cu8" ? 0x1p-7F : name.starts_with("cu16") ? 0x1p-15F : 0;
        EXPECT_FLOAT_EQ(back->samples[0].real(), 0.5F + step / 2) << name;
        EXPECT_FLOAT_EQ(back->samples[0].imag(), -0.5F + step / 2) << name;
        // The same by --format, and octets that are no whole sample.
        put(base + ".bin", octets);
        EXPECT_EQ(read_recording(base + ".bin", name)->samples, back->samples) << name;
        put(base + ".sigmf-data", octets + "\x01");
        EXPECT_NE(fault_of(base + ".sigmf-data").find("a multiple of " + std::to_string(octets.size())),
                  std::string::npos);
    }
}

TEST(IqFile, FormatByName) {
    using namespace std::string_literals;
    const std::vector<std::pair<std::string, std::string>> files{
        {"a.cf32", "\0\0\0\x3F\0\0\0\xBF"s},
        {"a.cfile", "\0\0\0\x3F\0\0\0\xBF"s},
        {"a.ci16", "\0\x40\0\xC0"s},
        {"A.CS16", "\0\x40\0\xC0"s},
        {"a.ci8", "\x40\xC0"s},
        {"a.cf64", "\0\0\0\0\0\0\xE0\x3F\0\0\0\0\0\0\xE0\xBF"s}};
    for (const auto& [name, octets] : files) {
        put(temporary(name), octets + octets);
        const auto back = read_recording(temporary(name));
        ASSERT_TRUE(back) << back.error().str();
        EXPECT_EQ(back->samples, std::vector<Complex>(2, {0.5F, -0.5F})) << name;
    }
    for (const auto& [name, octets, word] :
         std::vector<std::array<std::string, 3>>{{"a.iq", "12345678", "--format"},
                                                 {"a.cf32", "", "empty"},
                                                 {"a.cf32", "123456789", "multiple of 8"},
                                                 {"b.wav", "12345678", "WAV header"},
                                                 {"b.npy", "12345678", "NumPy header"}}) {
        put(temporary(name), octets);
        EXPECT_NE(fault_of(temporary(name)).find(word), std::string::npos) << fault_of(temporary(name));
    }
    EXPECT_FALSE(read_recording("-", "wav"));
}

std::string npy(const std::string& dictionary, const std::string& octets) {
    std::string text = "\x93NUMPY" + std::string("\x01\x00", 2);
    text += {static_cast<char>(dictionary.size()), '\0'};
    return text + dictionary + octets;
}

TEST(IqFile, Npy) {
    using namespace std::string_literals;
    const auto path = temporary("x.cf32");  // the header specifies more than the name
    const std::string sample = "\0\0\0\x3F\0\0\0\xBF"s, wide = "\0\0\0\0\0\0\xE0\x3F\0\0\0\0\0\0\xE0\xBF"s;
    for (const auto& [type, octets] :
         std::vector<std::pair<std::string, std::string>>{{"<c8", sample}, {"<c16", wide}}) {
        put(path, npy("{'descr': '" + type + "', 'fortran_order': False, 'shape': (3,), }", octets + octets + octets));
        const auto back = read_recording(path);
        ASSERT_TRUE(back) << back.error().str();
        EXPECT_EQ(back->samples, std::vector<Complex>(3, {0.5F, -0.5F}));
    }
    for (const auto& [text, word] : std::vector<std::pair<std::string, std::string>>{
             {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "complex64"},
             {"{'descr': '<c8', 'fortran_order': False, 'shape': (1, 1), }", "dimension"},
             {"{'descr': '<c8', 'fortran_order': False, 'shape': (2,), }", "octets"}}) {
        put(path, npy(text, sample));
        EXPECT_NE(fault_of(path).find(word), std::string::npos) << fault_of(path);
    }
}

std::string wav(uint16_t channels, const std::string& octets) {
    const auto number = [](uint32_t value, size_t size) {
        return std::string(reinterpret_cast<const char*>(&value), size);
    };
    const std::string format = number(1, 2) + number(channels, 2) + number(5'760'000, 4) + number(5'760'000 * 4, 4) +
                               number(2U * channels, 2) + number(16, 2);
    const std::string body =
        "WAVEfmt " + number(16, 4) + format + "data" + number(static_cast<uint32_t>(octets.size()), 4);
    return "RIFF" + number(static_cast<uint32_t>(body.size() + octets.size()), 4) + body + octets;
}

TEST(IqFile, Wav) {
    const auto path = temporary("x.wav");
    put(path, wav(2, std::string("\x00\x40\x00\xC0\x00\x20\x00\x00", 8)));
    auto back = read_recording(path);
    ASSERT_TRUE(back) << back.error().str();
    EXPECT_EQ(back->samples, (std::vector<Complex>{{0.5F, -0.5F}, {0.25F, 0}}));
    EXPECT_EQ(back->sample_rate_hz, 5.76e6);
    put(path, wav(1, std::string(8, 'x')));
    EXPECT_NE(fault_of(path).find("1 channels"), std::string::npos) << fault_of(path);
    put(path, wav(2, ""));
    EXPECT_FALSE(read_recording(path));
}

TEST(IqFile, PartsAndPlaces) {
    constexpr size_t kSamples = 2 * RecordingReader::kChunkSamples + 7;
    const auto path = temporary("long.cf32");
    RecordingWriter out;
    ASSERT_TRUE(out.open(path, 1, ""));
    ASSERT_TRUE(out.write(ramp(kSamples)));
    ASSERT_TRUE(out.close());
    auto reader = RecordingReader::open(path);
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->size(), static_cast<int64_t>(kSamples));
    size_t seen = 0;
    for (auto part = reader->next(); !part.empty(); part = reader->next()) {
        EXPECT_LE(part.size(), RecordingReader::kChunkSamples);
        EXPECT_EQ(part[0], ramp(kSamples)[seen]);
        seen += part.size();
    }
    EXPECT_EQ(seen, kSamples);
    ASSERT_TRUE(reader->seek(kSamples - 3));
    EXPECT_EQ(reader->next().size(), 3U);
}

TEST(IqFile, MetadataThatCannotBeFollowedAreRefused) {
    const auto base = temporary("e");
    put(base + ".sigmf-data", "01234567");
    const std::vector<std::pair<std::string, std::string>> cases{
        {R"("core:datatype": "rf32_le")", "cf32_le"},
        {R"("core:datatype": 5)", "core:datatype"},
        {R"("core:datatype": "cf32_le", "core:num_channels": 2)", "core:num_channels"},
        {R"("core:datatype": "cf32_le", "core:sample_rate": "5.76e6")", "core:sample_rate"},
        {R"("core:datatype": "cf32_le", "core:sample_rate": 0)", "core:sample_rate"},
        {R"("core:datatype": "cf32_le", "core:trailing_bytes": -1)", "core:trailing_bytes"},
        {R"("core:datatype": "cf32_le", "core:dataset": "none.bin")", "none.bin"}};
    for (const auto& [global, word] : cases) {
        put(base + ".sigmf-meta", "{\"global\": {" + global + "}}");
        const auto back = read_recording(base + ".sigmf-data");
        ASSERT_FALSE(back) << global;
        EXPECT_NE(back.error().str().find(word), std::string::npos) << back.error().str();
    }
    put(base + ".sigmf-meta", "[");
    EXPECT_NE(read_recording(base + ".sigmf-data").error().str().find("JSON"), std::string::npos);
    put(base + ".sigmf-meta", "[]");
    EXPECT_NE(read_recording(base + ".sigmf-data").error().str().find("global"), std::string::npos);
    put(base + ".sigmf", "archive");
    EXPECT_NE(read_recording(base + ".sigmf").error().str().find("archive"), std::string::npos);
}

TEST(IqFile, HeadersTrailersAndOtherNames) {
    const auto base = temporary("f");
    put(base + ".sigmf-meta",
        R"({"global": {"core:datatype": "ci8", "core:dataset": "other.bin", "core:trailing_bytes": 3},
        "captures": [{"core:sample_start": 0, "core:header_bytes": 4}, {"core:sample_start": 2, "core:header_bytes": 1}]})");
    put(std::filesystem::path(base).replace_filename("other.bin"),
        "HEAD" + std::string("\x01\x01\x02\x02", 4) + "H" + std::string("\x03\x03", 2) + "END");
    const auto back = read_recording(base + ".sigmf-meta");
    ASSERT_TRUE(back) << back.error().str();
    ASSERT_EQ(back->samples.size(), 3U);
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(back->samples[i].real(), static_cast<float>(i + 1) / 128.0F);
    EXPECT_EQ(back->ignored_octets, 0U);
}

TEST(IqFile, AnnotationsOfASplitRecordingCountFromItsFirstFile) {
    const auto base = temporary("g");
    put(base + ".sigmf-meta", R"({"global": {"core:datatype": "ci8", "core:offset": 1000}})");
    EXPECT_TRUE(annotate(base + ".sigmf-meta", {{"core:sample_start", 5}}));
    EXPECT_EQ(nlohmann::json::parse(*read_text(base + ".sigmf-meta"))["annotations"][0]["core:sample_start"], 1005);
}

TEST(IqFile, ImpossibleSamplesAreRepaired) {
    const auto path = temporary("d.cf32");
    const std::vector<float> values{NAN, 1.0F, 1e30F, 0.0F, 2.0F, -INFINITY, 0.5F, 0.25F, -3.0F, -2e6F, -1e7F, 1e6F};
    put(path, std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)));
    const auto back = read_recording(path);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->repaired, 5U);
    EXPECT_EQ(back->samples[0], Complex{});
    EXPECT_EQ(back->samples[1], Complex(kMaxMagnitude, 0.0F));
    EXPECT_EQ(back->samples[3], Complex(0.5F, 0.25F));
    EXPECT_EQ(back->samples[4], Complex(-3.0F, -kMaxMagnitude));
    EXPECT_EQ(back->samples[5], Complex(-kMaxMagnitude, kMaxMagnitude));
    EXPECT_FALSE(read_recording(temporary("missing.cf32")));
}

std::vector<Complex> impaired(const std::vector<Complex>& in, const Impairments& impairments) {
    std::vector<Complex> out;
    EXPECT_TRUE(impair(in, 5.76e6, impairments, [&out](std::span<const Complex> part) {
        out.insert(out.end(), part.begin(), part.end());
        return Outcome();
    }));
    return out;
}

TEST(Impair, NothingAskedNothingChanged) { EXPECT_EQ(impaired(ramp(1000), {}), ramp(1000)); }

TEST(Impair, DelayGainNoise) {
    Impairments impairments;
    impairments.delay_samples = 25;
    impairments.gain_db = -20;
    const auto out = impaired(std::vector<Complex>(200'000, Complex(1, 0)), impairments);
    ASSERT_EQ(out.size(), 200'025U);
    EXPECT_EQ(out[24], Complex{});
    EXPECT_NEAR(out[25].real(), 0.1, 1e-6);
    impairments.snr_db = 10;
    const auto noisy = impaired(std::vector<Complex>(200'000, Complex(1, 0)), impairments);
    double power = 0;
    for (size_t i = 0; i < out.size(); ++i) power += std::norm(noisy[i] - out[i]) / static_cast<double>(out.size());
    EXPECT_NEAR(power, 1.28 * 0.1 * 0.01, 2e-5);
    EXPECT_EQ(noisy, impaired(std::vector<Complex>(200'000, Complex(1, 0)), impairments));
    impairments.seed = 2;
    EXPECT_NE(noisy, impaired(std::vector<Complex>(200'000, Complex(1, 0)), impairments));
}

TEST(Impair, LengthFollowsClockAndDelay) {
    Impairments impairments;
    impairments.sfo_ppm = 100;  // a fast receiver takes more samples
    impairments.delay_samples = 2.5;
    EXPECT_EQ(impaired(ramp(100'000), impairments).size(), 100'013U);
    impairments.sfo_ppm = -100;
    EXPECT_EQ(impaired(ramp(100'000), impairments).size(), 99'993U);
    EXPECT_TRUE(impaired({}, impairments).empty());
}

}  // namespace
}  // namespace wimax::iq
