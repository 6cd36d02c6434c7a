// SPDX-License-Identifier: GPL-3.0-or-later
// Any octets as a station's certificate: none is accepted, since it would
// have to be signed.
#include "mac/privacy/certificates.h"
#include "mac/privacy/test_authority.h"

#include <cstdlib>

using namespace wimax::mac;
using namespace wimax::mac::privacy;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const test::TestAuthority authority;
    static const auto trust = TrustedAuthorities::from_pem(authority.pem_text(), "");
    static const Buffer genuine = authority.station({.common_name = "02:00:00:00:00:02"}).der();
    if (size < 2) return 0;
    // Octets alone, or written over a genuine certificate, to get past the first length fields.
    Buffer der(data + 2, data + size);
    if (data[0] & 1) {
        const size_t at = (size_t{data[0]} << 8 | data[1]) % genuine.size();
        Buffer changed = genuine;
        for (size_t i = 0; i < der.size() && at + i < changed.size(); ++i) changed[at + i] = der[i];
        der = changed;
    }
    if (trust->verify(der, MacAddress{2, 0, 0, 0, 0, 1}, test::kNow)) std::abort();
    // As the certificate of a manufacturer: that of a station is not needed and stays good.
    if (!trust->verify(genuine, MacAddress{2, 0, 0, 0, 0, 2}, test::kNow, der)) std::abort();
    return 0;
}
