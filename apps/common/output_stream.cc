// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/output_stream.h"

#include <unistd.h>

#include <cerrno>

namespace wimax {

Outcome OutputStream::open(const std::string& path, mode_t mode) {
    auto opened = OutputFile::open(path, OutputFile::Existing::replace, mode);
    if (!opened) {
        setstate(std::ios::failbit);
        return tl::unexpected(opened.error());
    }
    buffer_.file = std::move(*opened);
    clear();
    return {};
}

bool OutputStream::close() {
    flush();
    buffer_.file.close();
    return good();
}

int OutputStream::Buffer::sync() {
    for (const char* at = pbase(); at < pptr();) {
        const auto n = ::write(file.fd(), at, static_cast<size_t>(pptr() - at));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return -1;
        at += n;
    }
    setp(octets.data(), octets.data() + octets.size());
    return 0;
}

OutputStream::Buffer::int_type OutputStream::Buffer::overflow(int_type next) {
    if (sync() != 0) return traits_type::eof();
    return traits_type::eq_int_type(next, traits_type::eof()) ? traits_type::not_eof(next)
                                                              : sputc(traits_type::to_char_type(next));
}

}  // namespace wimax
