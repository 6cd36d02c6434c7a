// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/config.h"
#include "common/printable.h"
#include "common/suggestion.h"
#include "common/yaml_tree.h"

#include <algorithm>
#include <cstdio>
#include <tuple>

namespace wimax::config {

struct Entry {
    enum class Kind { group, scalar, list };
    Kind kind = Kind::group;
    std::string name, unit, help, allowed, option;
    std::string refused;  ///< allowed values in errors, if longer than in the reference; empty: the same
    bool is_required = false;
    std::vector<std::unique_ptr<Entry>> children;  // group
    std::function<bool(std::string_view)> parse;   // scalar
    std::function<std::string()> print;
    std::function<bool(std::string_view)> parse_word;  // group or list that may be one word
    std::function<std::string()> print_word;
    std::function<void(size_t)> resize;  // list
    std::function<size_t()> size;
    std::function<void(Schema&, size_t)> bind;
    std::function<std::shared_ptr<void>(Schema&)> example;
    size_t min_size = 0, max_size = 0;

    Entry* find(std::string_view child) const {
        for (const auto& c : children)
            if (c->name == child) return c.get();
        return nullptr;
    }
};

namespace {

std::string join(const std::string& prefix, std::string_view key) {
    if (prefix.empty()) return std::string(key);
    if (key.empty()) return prefix;
    return prefix + (key.front() == '[' ? "" : ".") + std::string(key);
}

/// Siblings spelt alike first, then the same name in another group.
std::string suggestion(const Entry& root, const Entry& group, const std::string& path, std::string_view name) {
    std::vector<std::string> siblings;
    for (const auto& child : group.children) siblings.push_back(child->name);
    if (const auto near = nearest(name, siblings); !near.empty()) return join(path, near);
    std::string best;
    const std::function<void(const Entry&, const std::string&)> visit = [&](const Entry& at,
                                                                            const std::string& prefix) {
        for (const auto& child : at.children) {
            const std::string key = join(prefix, child->name);
            if (best.empty() && child->name == name) best = key;
            visit(*child, key);
        }
    };
    visit(root, "");
    return best;
}

std::string names_in(const Entry& group) {
    std::string names;
    for (const auto& child : group.children) names += (names.empty() ? "" : ", ") + child->name;
    return names;
}
std::string size_of(const Entry& list) {
    return "a list of " + std::to_string(list.min_size) + ".." + std::to_string(list.max_size) + " elements";
}

void comment(std::string& out, int indent, const std::string& text) {
    constexpr size_t kWidth = 110;
    const std::string start = std::string(static_cast<size_t>(indent), ' ') + "# ";
    std::string line;
    size_t at = 0;
    while (at < text.size()) {
        size_t end = text.find(' ', at);
        if (end == std::string::npos) end = text.size();
        const std::string word = text.substr(at, end - at);
        if (!line.empty() && start.size() + line.size() + 1 + word.size() > kWidth) {
            out += start + line + "\n";
            line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
        at = end + 1;
    }
    if (!line.empty()) out += start + line + "\n";
}

std::string described(const Entry& entry) {
    std::string text = entry.help;
    if (!entry.unit.empty()) text += " [" + entry.unit + "]";
    if (!entry.allowed.empty()) text += "; allowed: " + entry.allowed;
    if (entry.parse_word) text += entry.kind == Entry::Kind::list ? ", or a list" : ", or keys";
    if (entry.is_required) text += "; required";
    return text;
}

}  // namespace

std::string quote(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto u = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (u < 0x20 || u == 0x7F) {
            char hex[8];
            std::snprintf(hex, sizeof hex, "\\x%02x", u);
            out += hex;
        } else {
            out += c;
        }
    }
    return out + "\"";
}

// --- declaring -----------------------------------------------------------------------------------------------------

Key& Key::required() {
    entry_->is_required = true;
    return *this;
}
Key& Key::option(std::string name) {
    entry_->option = std::move(name);
    return *this;
}
Key& Key::unit(std::string name) {
    entry_->unit = std::move(name);
    return *this;
}

Schema::Schema(std::string program, std::string summary)
    : program_(std::move(program)), summary_(std::move(summary)), root_(std::make_unique<Entry>()) {}
Schema::~Schema() = default;
Schema::Schema(Schema&&) noexcept = default;

Entry& Schema::declare(const std::string& key) {
    Entry* at = root_.get();
    for (size_t start = 0; !key.empty() && start <= key.size();) {
        size_t end = key.find('.', start);
        if (end == std::string::npos) end = key.size();
        const std::string name = key.substr(start, end - start);
        Entry* next = at->find(name);
        if (next == nullptr) {
            at->children.push_back(std::make_unique<Entry>());
            next = at->children.back().get();
            next->name = name;
        }
        at = next;
        start = end + 1;
    }
    return *at;
}

Key Schema::value(std::string key, std::function<bool(std::string_view)> parse, std::function<std::string()> print,
                  std::string allowed, std::string unit, std::string help) {
    Entry& entry = declare(key);
    entry.kind = Entry::Kind::scalar;
    entry.parse = std::move(parse);
    entry.print = std::move(print);
    entry.allowed = std::move(allowed);
    entry.unit = std::move(unit);
    entry.help = std::move(help);
    return Key(entry);
}

Key Schema::text(std::string key, std::string& target, std::string help) {
    declare(key).refused = "text without control characters";
    return value(
        std::move(key),
        [&target](std::string_view text) {
            target = text;
            return is_printable(text);
        },
        [&target] { return quote(target); }, "text", "", std::move(help));
}

Key Schema::flag(std::string key, bool& target, std::string help) {
    return value(
        std::move(key),
        [&target](std::string_view text) {
            if (text != "true" && text != "false") return false;
            target = text == "true";
            return true;
        },
        [&target] { return target ? std::string("true") : std::string("false"); }, "true, false", "", std::move(help));
}

Key Schema::choice(std::string key, std::string& target, std::vector<std::string> names, std::string help) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (auto& name : names) pairs.emplace_back(name, name);
    return choice(std::move(key), target, std::move(pairs), std::move(help));
}

Key Schema::add_list(std::string key, std::function<void(size_t)> resize, std::function<size_t()> size,
                     std::function<void(Schema&, size_t)> bind, std::function<std::shared_ptr<void>(Schema&)> example,
                     std::string help, size_t min_size, size_t max_size) {
    Entry& entry = declare(key);
    entry.kind = Entry::Kind::list;
    entry.resize = std::move(resize);
    entry.size = std::move(size);
    entry.bind = std::move(bind);
    entry.example = std::move(example);
    entry.help = std::move(help);
    entry.min_size = min_size;
    entry.max_size = max_size;
    return Key(entry);
}

Key Schema::word(std::string key, std::function<bool(std::string_view)> parse, std::function<std::string()> print,
                 std::string allowed) {
    Entry& entry = declare(key);
    entry.parse_word = std::move(parse);
    entry.print_word = std::move(print);
    entry.allowed = std::move(allowed);
    return Key(entry);
}

void Schema::group(std::string key, std::string help) { declare(key).help = std::move(help); }
void Schema::check(std::function<void(LocatedFaults&)> rule) { checks_.push_back(std::move(rule)); }
bool Schema::is_scalar() const { return root_->kind == Entry::Kind::scalar; }

std::vector<Schema::OptionInfo> Schema::options() const {
    std::vector<OptionInfo> all;
    const std::function<void(const Entry&, const std::string&)> visit = [&](const Entry& at,
                                                                            const std::string& prefix) {
        for (const auto& child : at.children) {
            const std::string key = join(prefix, child->name);
            const auto& print = child->kind == Entry::Kind::scalar ? child->print : child->print_word;
            if (print) all.push_back({key, described(*child) + "; default: " + print(), child->option});
            visit(*child, key);
        }
    };
    visit(*root_, "");
    return all;
}

// --- reading -------------------------------------------------------------------------------------------------------

void LocatedFaults::add(std::string_view key, std::string_view value, std::string_view allowed) {
    add({std::string(key), shorten(value), std::string(allowed)});
}

void LocatedFaults::add(Fault fault) {
    fault.key = join(prefix_, fault.key);
    if (fault.file.empty()) locate(fault);
    all_.add(std::move(fault));
}

bool LocatedFaults::given(std::string_view key) const { return origins_.contains(join(prefix_, key)); }

/// A value left at its default has no line: points at the nearest enclosing key that has one.
void LocatedFaults::locate(Fault& fault) const {
    fault.file = file_;
    for (std::string at = fault.key;;) {
        if (const auto it = origins_.find(at); it != origins_.end()) {
            std::tie(fault.file, fault.line) = it->second;
            return;
        }
        const size_t cut = at.find_last_of(".[");
        if (cut == std::string::npos) return;
        at.resize(cut);
    }
}

/// One YAML tree into the targets of a schema.
class Schema::Reader {
public:
    Reader(Schema& schema, LocatedFaults& faults) : schema_(schema), faults_(faults) {}

    void apply(const YamlNode& node, const std::string& prefix);
    YamlNode assigned_value(const std::string& key, const std::string& text, const std::string& origin);

private:
    const std::string* present_name(const std::string& path) const;
    void apply_entry(Entry& entry, const YamlNode& node, const std::string& path);
    void apply_group(Entry& group, const YamlNode& node, const std::string& path);
    void apply_list(Entry& entry, const YamlNode& node, const std::string& path);

    Schema& schema_;
    LocatedFaults& faults_;
};

const std::string* Schema::Reader::present_name(const std::string& path) const {
    const auto& prefix = schema_.prefix_;
    const auto& renamed = schema_.renamed_;
    const size_t skip = prefix.empty() ? 0 : prefix.size() + 1;
    const auto now = path.size() < skip ? renamed.end() : renamed.find(std::string_view(path).substr(skip));
    return now == renamed.end() ? nullptr : &now->second;
}

void Schema::Reader::apply(const YamlNode& node, const std::string& prefix) {
    schema_.prefix_ = prefix;
    const size_t before = faults_.all_.count();
    apply_entry(*schema_.root_, node, prefix);
    if (faults_.all_.count() != before) return;  // rules may rely on every single value being right
    const std::string outer = std::exchange(faults_.prefix_, prefix);
    for (const auto& rule : schema_.checks_) rule(faults_);
    faults_.prefix_ = outer;
}

void Schema::Reader::apply_entry(Entry& entry, const YamlNode& node, const std::string& path) {
    if (entry.parse_word && node.kind == YamlNode::Kind::null) return;  // no value given
    if (node.line > 0 || !node.file.empty()) faults_.origins_.try_emplace(path, node.file, node.line);
    if (entry.parse_word && node.kind == YamlNode::Kind::scalar) {
        if (entry.parse_word(node.text)) return;
        const std::string otherwise =
            entry.kind == Entry::Kind::list ? ", or " + size_of(entry) : ", or keys: " + names_in(entry);
        return faults_.all_.add({path, node.shown(), entry.allowed + otherwise, node.file, node.line});
    }
    switch (entry.kind) {
        case Entry::Kind::group: return apply_group(entry, node, path);
        case Entry::Kind::list: return apply_list(entry, node, path);
        case Entry::Kind::scalar: break;
    }
    const bool scalar = node.kind == YamlNode::Kind::scalar;
    const bool null = node.kind == YamlNode::Kind::null && entry.allowed.ends_with("null");
    if ((scalar || null) && entry.parse(scalar ? std::string_view(node.text) : "null")) return;
    const bool of_text = scalar && !entry.refused.empty();
    faults_.all_.add({path, node.shown(), of_text ? entry.refused : entry.allowed, node.file, node.line});
}

void Schema::Reader::apply_group(Entry& group, const YamlNode& node, const std::string& path) {
    if (node.kind == YamlNode::Kind::scalar || node.kind == YamlNode::Kind::sequence) {
        if (const std::string* now = present_name(path))
            return faults_.all_.add({path, {}, "is called " + *now + " now", node.file, node.line});
        return faults_.all_.add({path, node.shown(), "are the keys " + names_in(group), node.file, node.line});
    }
    std::map<std::string_view, int> seen;
    for (const auto& member : node.members) {
        const std::string key = join(path, shorten(member.key));
        const int line = member.line > 0 ? member.line : member.value.line;
        const std::string& file = member.value.file;
        Entry* child = group.find(member.key);
        if (child == nullptr) {
            if (const std::string* now = present_name(key)) {
                faults_.all_.add({key, {}, "is called " + *now + " now", file, line});
                continue;
            }
            const std::string near = suggestion(*schema_.root_, group, path, member.key);
            const auto hint = near.empty() ? "; allowed: " + names_in(group) : ", did you mean " + near + "?";
            faults_.all_.add({key, {}, "unknown key" + hint, file, line});
            continue;
        }
        const auto [first, is_new] = seen.try_emplace(member.key, line);
        if (!is_new) {
            faults_.all_.add({key,
                              {},
                              "given twice: allowed once, the first is in line " + std::to_string(first->second),
                              file,
                              line});
            continue;
        }
        if (member.value.kind == YamlNode::Kind::null) {  // the key's line: the parser gives the next key's
            YamlNode nothing = member.value;
            nothing.line = line;
            apply_entry(*child, nothing, key);
            continue;
        }
        apply_entry(*child, member.value, key);
    }
    for (const auto& child : group.children) {
        if (seen.contains(child->name)) continue;
        if (child->is_required)
            faults_.all_.add({join(path, child->name), "(missing)",
                              child->kind == Entry::Kind::list ? "a list" : child->allowed,
                              node.file.empty() ? faults_.file_ : node.file, node.line});
        // Required keys may sit in a group that is absent as a whole.
        if (child->kind == Entry::Kind::group) {
            YamlNode nothing;
            nothing.file = node.file;
            nothing.line = node.line;
            apply_group(*child, nothing, join(path, child->name));
        }
    }
}

void Schema::Reader::apply_list(Entry& entry, const YamlNode& node, const std::string& path) {
    const bool list = node.kind == YamlNode::Kind::sequence;
    const size_t n = node.items.size();
    if (!list || n < entry.min_size || n > entry.max_size) {
        const std::string shown = list ? std::to_string(n) + " elements" : node.shown();
        const std::string or_word = entry.parse_word ? entry.allowed + ", or " : "";
        // A key without a value may be where the file was cut: an empty list has to be written.
        const char* empty = node.kind == YamlNode::Kind::null && entry.min_size == 0 ? "; [] for an empty list" : "";
        return faults_.all_.add({path, shown, or_word + size_of(entry) + empty, node.file, node.line});
    }
    entry.resize(n);
    for (size_t i = 0; i < n; ++i) {
        Schema item;
        entry.bind(item, i);
        Reader(item, faults_).apply(node.items[i], path + "[" + std::to_string(i) + "]");
    }
}

namespace {

/// Values of the command line have no line numbers. Empty values have it as their origin, too.
void forget_lines(YamlNode& node, const std::string& origin) {
    node.file = origin;
    node.line = 0;
    for (auto& item : node.items) forget_lines(item, origin);
    for (auto& member : node.members) {
        member.line = 0;
        forget_lines(member.value, origin);
    }
}

}  // namespace

/// Plain words for scalars, so that "-" or "a: b" need no quoting twice; YAML for all else.
YamlNode Schema::Reader::assigned_value(const std::string& key, const std::string& text, const std::string& origin) {
    const Entry* entry = schema_.root_.get();
    for (size_t start = 0; entry != nullptr && start <= key.size();) {
        const size_t end = std::min(key.find('.', start), key.size());
        entry = entry->find(std::string_view(key).substr(start, end - start));
        start = end + 1;
    }
    YamlNode value;
    if (entry != nullptr && entry->kind == Entry::Kind::scalar && !text.starts_with('"') && !text.starts_with('\'')) {
        value.kind = YamlNode::Kind::scalar;
        value.text = text;
    } else {
        value = parse_yaml(text, origin, faults_.all_);
    }
    forget_lines(value, origin);
    return value;
}

Faults Schema::load(std::string_view yaml, const std::string& file, const std::vector<std::string>& assignments) {
    LocatedFaults faults;
    Reader reader(*this, faults);
    faults.file_ = file;
    YamlNode root = parse_yaml(yaml, file, faults.all_);
    if (root.kind == YamlNode::Kind::null) root.file = file;
    if (!faults.all_.empty() && root.kind == YamlNode::Kind::null) return faults.all_;
    for (const auto& assignment : assignments) {
        const std::string origin = "--set " + shorten(assignment);
        const size_t equals = assignment.find('=');
        if (equals == std::string::npos || equals == 0) {
            faults.all_.add({{}, {}, "allowed KEY=VALUE", origin, 0});
            continue;
        }
        YamlNode value = reader.assigned_value(assignment.substr(0, equals), assignment.substr(equals + 1), origin);
        if (auto done = assign(root, std::string_view(assignment).substr(0, equals), std::move(value)); !done) {
            done.error().file = origin;
            faults.all_.add(std::move(done.error()));
        }
    }
    reader.apply(root, "");
    faults.all_.sort();
    return std::move(faults.all_);
}

// --- writing -------------------------------------------------------------------------------------------------------

namespace {

void comment_out(std::string& out, int indent, const std::string& lines) {
    const auto margin = static_cast<size_t>(indent);
    for (size_t at = 0; at < lines.size();) {
        const size_t end = lines.find('\n', at);
        out += std::string(margin, ' ') + "#" + lines.substr(at + margin, end - at - margin) + "\n";
        at = end + 1;
    }
}

}  // namespace

/// The values of a schema as YAML.
class Schema::Printer {
public:
    explicit Printer(const Schema& schema) : schema_(schema) {}

    std::string print_at(int indent, bool comments) const;
    void print_entry(const Entry& entry, int indent, bool comments, std::string& out) const;

private:
    void print_alternative(const Entry& entry, int indent, std::string& out) const;

    const Schema& schema_;
};

std::string Schema::print(bool comments) const { return Printer(*this).print_at(0, comments); }

std::map<std::string, std::string> Schema::values() const {
    std::map<std::string, std::string> all;
    const std::function<void(const Entry&, const std::string&)> visit = [&](const Entry& at,
                                                                            const std::string& prefix) {
        for (const auto& child : at.children) {
            const std::string key = join(prefix, child->name);
            if (child->kind == Entry::Kind::group) visit(*child, key);
            else Printer(*this).print_entry(*child, 0, false, all[key]);
        }
    };
    visit(*root_, "");
    return all;
}

std::string Schema::Printer::print_at(int indent, bool comments) const {
    std::string out;
    for (const auto& child : schema_.root_->children) print_entry(*child, indent, comments, out);
    return out;
}

void Schema::Printer::print_entry(const Entry& entry, int indent, bool comments, std::string& out) const {
    const std::string margin(static_cast<size_t>(indent), ' ');
    if (comments && entry.kind == Entry::Kind::group && indent == 0) out += "\n";
    if (comments) comment(out, indent, described(entry));
    out += margin + entry.name + ":";
    if (entry.kind == Entry::Kind::scalar) {
        out += " " + entry.print() + "\n";
        return;
    }
    const std::string word = entry.print_word ? entry.print_word() : "";
    if (!word.empty()) {
        out += " " + word + "\n";
        if (comments) print_alternative(entry, indent, out);
        return;
    }
    if (entry.kind == Entry::Kind::group) {
        out += entry.children.empty() ? " {}\n" : "\n";
        for (const auto& child : entry.children) print_entry(*child, indent + 2, comments, out);
        return;
    }
    // A list: each element's first line gets the dash in place of two spaces.
    const auto element = [&](Schema& item, bool with_comments) {
        if (item.is_scalar()) return margin + "  - " + item.root_->print() + "\n";
        if (item.root_->kind == Entry::Kind::list) {
            std::string inner;
            Entry& list = *item.root_;
            for (size_t i = 0; i < list.size(); ++i) {
                Schema leaf;
                list.bind(leaf, i);
                inner += (i == 0 ? "" : ", ") + (leaf.is_scalar() ? leaf.root_->print() : std::string("{}"));
            }
            return margin + "  - [" + inner + "]\n";
        }
        std::string text = Printer(item).print_at(indent + 4, with_comments);
        // The dash belongs to the first line that is not a comment.
        size_t at = 0;
        while (at < text.size() && text[text.find_first_not_of(' ', at)] == '#') at = text.find('\n', at) + 1;
        if (at < text.size()) text[at + static_cast<size_t>(indent) + 2] = '-';
        return text.empty() ? margin + "  - {}\n" : text;
    };
    const size_t n = entry.size();
    if (n > 0) {
        out += "\n";
        for (size_t i = 0; i < n; ++i) {
            Schema item;
            entry.bind(item, i);
            out += element(item, comments && i == 0);
        }
        return;
    }
    out += " []\n";
    if (!comments) return;
    Schema item;
    const auto holder = entry.example(item);
    out += margin + "# one element, for example:\n";
    comment_out(out, indent, element(item, true));
}

/// The keys that may be given in place of a word.
void Schema::Printer::print_alternative(const Entry& entry, int indent, std::string& out) const {
    if (entry.kind != Entry::Kind::group) return;
    std::string keys;
    for (const auto& child : entry.children) print_entry(*child, indent + 2, true, keys);
    out += std::string(static_cast<size_t>(indent), ' ') + "# or keys, with their defaults:\n";
    comment_out(out, indent, keys);
}

}  // namespace wimax::config
