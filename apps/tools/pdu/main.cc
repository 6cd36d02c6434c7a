// SPDX-License-Identifier: GPL-3.0-or-later
// wimax-pdu: MAC PDUs, management messages and frame prefixes to JSON and back.
#include "common/safe_files.h"
#include "mac/privacy/file_signature.h"
#include "tools/cli/command.h"
#include "tools/pdu/format.h"

#include <algorithm>
#include <iostream>
#include <iterator>

namespace {

using namespace wimax::pdu;

using wimax::cli::kFailed, wimax::cli::kWrongInput;

constexpr const char* kProgram = "wimax-pdu";

struct Arguments {
    std::string hex, json, direction, what = "pdus", tek, key_log, cbc_iv;
    std::string file, key_file, output;
    uint16_t basic_cid_max = wimax::mac::cid::kBasicMax;
    uint32_t frame_number = 0;
};

std::string read_all(std::istream& in) { return {std::istreambuf_iterator<char>(in), {}}; }

int write_line(const std::string& line) {
    std::cout << line << "\n" << std::flush;
    if (std::cout) return 0;
    return wimax::cli::complain(kProgram, "standard output cannot be written", kFailed);
}

int complain(const std::string& line) { return wimax::cli::complain(kProgram, line, kWrongInput); }

constexpr uint64_t kMaxFileBytes = 256 << 20;
constexpr uint32_t kLastFrameNumber = 0xFFFFFF;

/// No key where none is given.
tl::expected<std::optional<PayloadKey>, wimax::Fault> payload_key(const Arguments& arguments) {
    using wimax::mac::privacy::TrafficKey;
    if (arguments.tek.empty()) return std::nullopt;
    auto octets = from_hex(arguments.tek);
    if (!octets) return wimax::failure("--tek", octets.error().str());
    const auto tek = TrafficKey::of(*octets);
    wimax::mac::privacy::wipe(*octets);
    if (!tek) return wimax::failure("--tek", "a TEK has 32 hex digits (AES-CCM) or 16 (DES-CBC)");
    PayloadKey key{*tek, {}, arguments.frame_number};
    const auto iv = from_hex(arguments.cbc_iv);
    if (!iv || (iv->size() != key.cbc_iv.size() && !iv->empty()))
        return wimax::failure("--cbc-iv", "an initialization vector has 16 hex digits");
    std::ranges::copy(*iv, key.cbc_iv.begin());
    return key;
}

/// nullopt, after a message, if the file cannot be read.
std::optional<std::vector<LoggedKey>> logged_keys(const std::string& path) {
    auto text = wimax::read_regular(path, kMaxFileBytes);
    if (!text) {
        complain("--key-log: " + path + ": cannot be read: " + text.error().allowed);
        return std::nullopt;
    }
    auto keys = read_key_log(*text);
    wimax::mac::privacy::wipe({reinterpret_cast<uint8_t*>(text->data()), text->size()});
    if (keys) return *keys;
    complain("--key-log: " + path + ": " + keys.error().str());
    return std::nullopt;
}

int decode(const Arguments& arguments) {
    const auto read = from_hex(arguments.hex == "-" ? read_all(std::cin) : arguments.hex);
    if (!read) return complain("--hex: " + read.error().str());
    const Octets octets = *read;
    Json out;
    if (arguments.what == "message") {
        out = decode_message(octets);
    } else if (arguments.what == "dlfp") {
        out = decode_frame_prefix(octets);
    } else {
        const auto key = payload_key(arguments);
        if (!key) return complain(key.error().str());
        DecodeOptions options;
        options.key = *key;
        if (!arguments.key_log.empty()) {
            auto keys = logged_keys(arguments.key_log);
            if (!keys) return kWrongInput;
            options.logged = std::move(*keys);
        }
        options.basic_cid_max = arguments.basic_cid_max;
        if (!arguments.direction.empty())
            options.direction = arguments.direction == "downlink" ? Direction::downlink : Direction::uplink;
        out = decode_pdus(octets, options);
    }
    // Texts from the air need not be UTF-8; the output has their octets and the readable form.
    return write_line(out.dump(-1, ' ', true, Json::error_handler_t::replace));
}

std::string source_of(const std::string& path) { return path == "-" ? "standard input" : path; }

/// Contents of a file or of standard input; nullopt, after a message, if it cannot be read.
std::optional<std::string> read_source(const std::string& path, uint64_t most_bytes) {
    if (path == "-") return read_all(std::cin);
    auto whole = wimax::read_regular(path, most_bytes);
    if (whole) return std::move(*whole);
    complain(path + ": cannot be read: " + whole.error().allowed);
    return std::nullopt;
}

/// nullopt, after a message: it cannot be read, or is not JSON.
std::optional<Json> read_tree(const std::string& path) {
    const auto text = read_source(path, kMaxFileBytes);
    if (!text) return std::nullopt;
    try {
        return Json::parse(*text);
    } catch (const Json::exception& error) {
        complain(source_of(path) + ": not JSON: " + error.what());
        return std::nullopt;
    }
}

int encode_file(const Arguments& arguments) {
    const auto tree = read_tree(arguments.json);
    if (!tree) return kWrongInput;
    const auto key = payload_key(arguments);
    if (!key) return complain(key.error().str());
    const auto octets = wimax::pdu::encode(*tree, *key);
    if (octets) return write_line(to_hex(*octets));
    for (const auto& line : octets.error().lines()) complain(source_of(arguments.json) + ": " + line);
    return kWrongInput;
}

using wimax::mac::privacy::kLeastFileKeyOctets, wimax::mac::privacy::kMostFileKeyOctets;

/// The key of signatures. Empty: none is given; nullopt, after a message: it is wrong.
std::optional<Buffer> signature_key(const std::string& path) {
    if (path.empty()) return Buffer();
    auto text = read_source(path, kMaxFileBytes);
    if (!text) return std::nullopt;
    auto key = from_hex(*text);
    wimax::mac::privacy::wipe({reinterpret_cast<uint8_t*>(text->data()), text->size()});
    if (key && key->size() >= kLeastFileKeyOctets && key->size() <= kMostFileKeyOctets) return std::move(*key);
    complain("--key: " + source_of(path) + ": a key has 32 to 128 hex digits");
    return std::nullopt;
}

int show_file(const Arguments& arguments) {
    const auto text = read_source(arguments.file, wimax::kMostConfigurationBytes);
    const auto key = text ? signature_key(arguments.key_file) : std::nullopt;
    if (!key) return kWrongInput;
    const Json out = decode_configuration_file({reinterpret_cast<const uint8_t*>(text->data()), text->size()}, *key);
    const int written = write_line(out.dump(2, ' ', true, Json::error_handler_t::replace));
    const bool right = out["error"].is_null() && (key->empty() || out["signature"] == "right");
    return written != 0 || right ? written : kFailed;
}

int sign_file(const Arguments& arguments) {
    const auto tree = read_tree(arguments.json);
    const auto key = tree ? signature_key(arguments.key_file) : std::nullopt;
    if (!key) return kWrongInput;
    const auto octets = encode_configuration_file(*tree, *key);
    if (!octets) {
        for (const auto& line : octets.error().lines()) complain(source_of(arguments.json) + ": " + line);
        return kWrongInput;
    }
    wimax::cli::ResultFile file;
    const auto done = file.open(arguments.output, "--output").and_then([&] {
        return file.write({octets->begin(), octets->end()});
    });
    return done ? 0 : wimax::cli::complain(kProgram, done.error(), kFailed);
}

void add_tek(CLI::App* command, Arguments& arguments) {
    command->add_option(
        "--tek", arguments.tek,
        "traffic encryption key as hex digits: 32 for AES-CCM, 16 for DES-CBC. Other users of this host "
        "can see it in the list of processes");
}

void describe_files(CLI::App& app, Arguments& arguments) {
    auto* show = app.add_subcommand("show-file",
                                    "configuration file of a managed station to JSON. Exit code 1: the file is "
                                    "malformed, or its signature is not that of --key");
    show->add_option("file,--file", arguments.file, "configuration file, - for standard input")->required();
    show->add_option("--key", arguments.key_file, "file with the key of the signature as hex digits");
    auto* sign = app.add_subcommand("sign-file",
                                    "JSON to a signed configuration file: 'fields' with the names that show-file "
                                    "prints, or its 'tlvs'");
    sign->add_option("json,--json", arguments.json, "JSON file, - for standard input")->required();
    sign->add_option("--key", arguments.key_file, "file with the key of the signature as hex digits, 32 to 128")
        ->required();
    sign->add_option("--output", arguments.output, "configuration file to write, - for standard output")->required();
}

void describe(CLI::App& app, Arguments& arguments) {
    app.require_subcommand(1);
    auto* decode = app.add_subcommand("decode", "octets to JSON; octets that cannot be parsed are reported in 'error'");
    decode->add_option("hex,--hex", arguments.hex, "octets as hex digits, - for standard input")->required();
    decode
        ->add_option(
            "--what", arguments.what,
            "what the octets are: pdus, the PDUs of a burst; message, one management message; dlfp, a frame prefix")
        ->check(CLI::IsMember({"pdus", "message", "dlfp"}))
        ->capture_default_str();
    decode
        ->add_option("--direction", arguments.direction,
                     "direction in which the PDUs were sent (default: both are tried)")
        ->check(CLI::IsMember({"downlink", "uplink"}));
    decode
        ->add_option("--basic-cid-max", arguments.basic_cid_max,
                     "last basic CID m; primary management CIDs end at 2m. Set it to the base station's bs.basic_cids")
        ->transform(wimax::cli::within(uint16_t{1}, kLargestBasicCidMax))
        ->capture_default_str();
    add_tek(decode, arguments);
    decode
        ->add_option("--key-log", arguments.key_log,
                     "file that wimax macd --key-log has written: PDUs of all its keys are decrypted")
        ->excludes("--tek");
    decode
        ->add_option("--cbc-iv", arguments.cbc_iv,
                     "DES-CBC: initialization vector of the TEK parameters, 16 hex digits")
        ->needs("--tek");
    decode->add_option("--frame", arguments.frame_number, "DES-CBC: number of the frame in which the PDUs were sent")
        ->needs("--tek")
        ->transform(wimax::cli::within(uint32_t{0}, kLastFrameNumber));
    auto* encode = app.add_subcommand("encode", "JSON as decode prints it to octets in hex");
    encode
        ->add_option(
            "file,--json", arguments.json,
            "JSON file with a burst (pdus), a message (msg) or a frame prefix (bsid_lsb), - for standard input")
        ->required();
    add_tek(encode, arguments);
    describe_files(app, arguments);
}

int work(const CLI::App& app, const Arguments& arguments) {
    if (app.got_subcommand("decode")) return decode(arguments);
    if (app.got_subcommand("show-file")) return show_file(arguments);
    if (app.got_subcommand("sign-file")) return sign_file(arguments);
    return encode_file(arguments);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{
        "MAC PDUs and management messages of IEEE 802.16-2004 as JSON, and back. Exit codes: 0 done, 2 wrong "
        "arguments or input, 1 failure."};
    wimax::cli::begin(app, kProgram,
                      "  wimax pdu decode 4000050001A1 --direction downlink\n"
                      "  wimax pdu encode message.json\n"
                      "  wimax pdu sign-file station.json --key file.key --output station.cfg\n"
                      "  wimax pdu show-file station.cfg --key file.key");
    Arguments arguments;
    describe(app, arguments);
    return wimax::cli::run(app, kProgram, argc, argv, [&] { return work(app, arguments); });
}
