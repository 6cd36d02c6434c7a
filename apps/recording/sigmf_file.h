// SPDX-License-Identifier: GPL-3.0-or-later
// SigMF pairs: `.sigmf-data` with `.sigmf-meta`. Either name of a pair stands for both.
#pragma once

#include "common/faults.h"
#include "common/output_stream.h"
#include "recording/sample_layout.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace wimax::iq {

/// core:generator and core:recorder of what this project writes.
inline constexpr const char* kGenerator = "wimax-iq";

bool is_sigmf(const std::string& path);
std::string sigmf_meta_path(const std::string& path);
std::string sigmf_data_path(const std::string& path);

/// Layout from the metadata: every complex data type (sample_type.h), one channel, headers and trailing octets of other
/// tools, and a file of samples under another name (core:dataset).
tl::expected<SampleLayout, Fault> sigmf_layout(const std::string& path);

/// Replaces this program's annotations in a pair's metadata; others stay. Annotations are written one by one, because
/// those of a long recording exceed memory. Nothing is changed before finish().
class AnnotationWriter {
public:
    Outcome open(const std::string& path);
    ~AnnotationWriter();
    /// Call it in order of core:sample_start. Later writers keep an annotation with another core:generator.
    void add(nlohmann::ordered_json annotation);
    Outcome finish();

private:
    void put(const nlohmann::ordered_json& annotation);

    std::string meta_path_;
    OutputStream file_;
    std::vector<nlohmann::ordered_json> foreign_;  ///< by their start, those not written yet from next_foreign_
    size_t next_foreign_ = 0, offset_ = 0;
    bool first_ = true;
};

}  // namespace wimax::iq
