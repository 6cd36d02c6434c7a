/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <iq/generate.h>
#include <iq/report.h>

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace wimax::iq {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPython = "/usr/bin/python3";

fs::path script() {
    std::error_code ignored;
    const fs::path installed =
        fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path() / WIMAX_IQ_INSTALLED_SCRIPT;
    return fs::exists(installed, ignored) ? installed : fs::path(WIMAX_IQ_REPORT_SCRIPT);
}

// The frame as it was sent, if it was decoded without error; the reference of all modulation measurements.
std::vector<Complex> reference(const Spec& spec, const DecodedFrame& frame) {
    Spec sent = spec;
    sent.cp = frame.sync.cp;
    sent.bsid = frame.sync.prefix.bsid_lsb;
    FrameSpec content;
    content.frame_number = frame.sync.prefix.frame_lsb;
    content.change_count = frame.sync.prefix.change_count_lsb;
    int next = spec.direction == phy::Direction::uplink ? 0 : 3;
    for (const auto& burst : frame.bursts) {
        if (burst.start_symbol != next || !burst.fec_ok || burst.payload.empty()) break;
        content.bursts.push_back({burst.format, burst.payload});
        next += burst.format.total_symbols();
    }
    if (content.bursts.empty()) return {};
    return modulate(sent, content);
}

bool write_samples(const fs::path& path, std::span<const Complex> samples) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(samples.data()), static_cast<std::streamsize>(samples.size_bytes()));
    return file.good();
}

std::string run(const std::string& program, const std::string& argument) {
    const pid_t child = fork();
    if (child < 0) return "report: cannot start a process";
    if (child == 0) {
        dup2(STDERR_FILENO, STDOUT_FILENO);  // standard output may be the result
        execl(kPython, kPython, program.c_str(), argument.c_str(), static_cast<char*>(nullptr));
        _exit(127);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return "report: " + std::string(kPython) + " " + program +
               " failed; it needs python3-numpy and python3-matplotlib";
    }
    return {};
}

}  // namespace

std::string write_report(const std::string& directory, const Spec& spec, std::span<const Complex> samples,
                         const std::vector<DecodedFrame>& frames) {
    const fs::path base(directory);
    std::error_code error;
    fs::create_directories(base, error);
    if (error) return directory + ": --report: cannot be made: " + error.message();
    auto data = to_json(spec, frames);
    data["bandwidth_hz"] = spec.bandwidth_hz;
    data["sample_rate_hz"] = spec.numerology().sample_rate_hz;
    data["direction"] = spec.direction == phy::Direction::uplink ? "uplink" : "downlink";
    bool good = write_samples(base / "recording.cf32", samples);
    for (size_t i = 0; i < frames.size(); ++i) {
        const auto sent = reference(spec, frames[i]);
        const std::string name = "reference-" + std::to_string(i) + ".cf32";
        data["frames"][i]["reference"] = sent.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(name);
        if (!sent.empty()) good = write_samples(base / name, sent) && good;
        for (size_t b = 0; b < frames[i].bursts.size(); ++b) {
            const auto& burst = frames[i].bursts[b];
            data["frames"][i]["bursts"][b]["end_symbol"] = burst.start_symbol + burst.format.total_symbols();
        }
    }
    good = static_cast<bool>(std::ofstream(base / "measured.json") << data.dump(1) << "\n") && good;
    if (!good) return directory + ": --report: cannot be written";
    return run(script().string(), base.string());
}

}  // namespace wimax::iq
