// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/yaml_tree.h"
#include "common/safe_files.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <cctype>
#include <charconv>
#include <sstream>

namespace wimax::config {
namespace {

constexpr size_t kMaxDepth = 32;
constexpr size_t kMaxIndex = 10'000;

class TreeBuilder : public YAML::EventHandler {
public:
    TreeBuilder(std::string file, Faults& faults) : file_(std::move(file)), faults_(faults) {}

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        place(make(mark, anchor, YamlNode::Kind::null));
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
        refuse(mark, "alias");
        place(make(mark, 0, YamlNode::Kind::null));
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        // Plain (unquoted, tag "?") null words mean null; quoted ones are text.
        const bool plain = tag == "?";
        if (plain && (value == "~" || value == "null" || value.empty()))
            return place(make(mark, anchor, YamlNode::Kind::null));
        YamlNode node = make(mark, anchor, YamlNode::Kind::scalar);
        node.text = value;
        place(std::move(node));
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(make(mark, anchor, YamlNode::Kind::sequence));
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(make(mark, anchor, YamlNode::Kind::map));
    }
    void OnMapEnd() override { close(); }

    YamlNode root;

private:
    struct Level {
        YamlNode node;
        std::string key;
        int key_line = 0;
        bool have_key = false;
    };

    void refuse(const YAML::Mark& mark, const char* what) {
        faults_.add({{}, {}, std::string(what) + ": allowed are plain values", file_, mark.line + 1});
    }
    YamlNode make(const YAML::Mark& mark, YAML::anchor_t anchor, YamlNode::Kind kind) {
        if (anchor != 0) refuse(mark, "anchor");
        YamlNode node;
        node.kind = kind;
        node.file = file_;
        node.line = mark.line + 1;
        return node;
    }
    void open(YamlNode node) {
        if (levels_.size() >= kMaxDepth)
            throw YAML::Exception(YAML::Mark::null_mark(), "nested deeper than " + std::to_string(kMaxDepth));
        levels_.push_back({std::move(node), "", 0, false});
    }
    void close() {
        YamlNode node = std::move(levels_.back().node);
        levels_.pop_back();
        place(std::move(node));
    }
    void place(YamlNode node) {
        if (levels_.empty()) {
            root = std::move(node);
            return;
        }
        Level& level = levels_.back();
        if (level.node.kind == YamlNode::Kind::sequence) {
            level.node.items.push_back(std::move(node));
        } else if (!level.have_key) {
            if (node.kind != YamlNode::Kind::scalar)
                faults_.add({{}, {}, "key " + node.shown() + ": allowed are words", file_, node.line});
            level.key = node.kind == YamlNode::Kind::scalar ? node.text : node.shown();
            level.key_line = node.line;
            level.have_key = true;
        } else {
            level.node.members.push_back({level.key, level.key_line, std::move(node)});
            level.have_key = false;
        }
    }

    std::string file_;
    Faults& faults_;
    std::vector<Level> levels_;
};

YamlNode& member(YamlNode& map, const std::string& key) {
    // The last of repeated keys is in force.
    for (auto it = map.members.rbegin(); it != map.members.rend(); ++it)
        if (it->key == key) return it->value;
    map.members.push_back({key, 0, {}});
    return map.members.back().value;
}

}  // namespace

std::string shorten(std::string_view text) {
    constexpr size_t kLongest = 60;
    std::string out;
    for (const char c : text.substr(0, kLongest)) {
        const auto u = static_cast<unsigned char>(c);
        if (u < 0x20 || u == 0x7F) {
            char hex[8];
            std::snprintf(hex, sizeof hex, "\\x%02x", u);
            out += hex;
        } else {
            out += c;
        }
    }
    if (text.size() > kLongest) out += "...";
    return out;
}

std::string YamlNode::shown() const {
    switch (kind) {
        case Kind::null: return "(nothing)";
        case Kind::scalar: return text.empty() ? "\"\"" : shorten(text);
        case Kind::sequence: return "(list)";
        case Kind::map: return "(keys)";
    }
    return {};
}

YamlNode parse_yaml(std::string_view yaml, const std::string& file, Faults& faults) {
    if (yaml.size() > kMostConfigurationBytes) {
        faults.add({{}, {}, "size " + std::to_string(yaml.size()) + " bytes: allowed at most 1048576", file, 0});
        return {};
    }
    try {
        std::istringstream in{std::string(yaml)};
        YAML::Parser parser(in);
        TreeBuilder builder(file, faults);
        if (!parser.HandleNextDocument(builder)) return {};
        if (parser) {
            Faults ignored(0);
            TreeBuilder second(file, ignored);
            if (parser.HandleNextDocument(second))
                faults.add({{}, {}, "second document: allowed is one", file, second.root.line});
        }
        return std::move(builder.root);
    } catch (const YAML::Exception& e) {
        faults.add({{}, {}, "not YAML: " + shorten(e.msg), file, e.mark.is_null() ? 0 : e.mark.line + 1});
    } catch (const std::exception& e) {
        faults.add({{}, {}, std::string("not YAML: ") + shorten(e.what()), file, 0});
    }
    return {};
}

Outcome assign(YamlNode& root, std::string_view path, YamlNode value) {
    YamlNode* at = &root;
    while (!path.empty()) {
        if (path.front() == '.') path.remove_prefix(1);
        if (path.empty()) return failure({}, "key ends with a point");
        if (path.front() == '[') {
            const size_t end = path.find(']');
            size_t index = 0;
            const auto digits = path.substr(1, end == std::string_view::npos ? end : end - 1);
            const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
            if (end == std::string_view::npos || error != std::errc{} || last != digits.data() + digits.size())
                return failure({}, "index is not [number]");
            if (at->kind != YamlNode::Kind::sequence) {
                at->kind = YamlNode::Kind::sequence;
                at->members.clear();
                at->items.clear();
            }
            if (index > at->items.size() || index > kMaxIndex)
                return failure({},
                               "index " + std::to_string(index) + ": allowed 0.." + std::to_string(at->items.size()));
            if (index == at->items.size()) at->items.emplace_back();
            at = &at->items[index];
            path.remove_prefix(end + 1);
        } else {
            const size_t end = path.find_first_of(".[");
            const std::string key(path.substr(0, end));
            if (key.empty()) return failure({}, "empty key");
            if (at->kind != YamlNode::Kind::map) {
                at->kind = YamlNode::Kind::map;
                at->items.clear();
                at->members.clear();
            }
            at = &member(*at, key);
            path.remove_prefix(end == std::string_view::npos ? path.size() : end);
        }
        if (at->file.empty()) {
            at->file = value.file;
            at->line = value.line;
        }
    }
    *at = std::move(value);
    return {};
}

}  // namespace wimax::config
