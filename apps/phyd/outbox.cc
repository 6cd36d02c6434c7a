// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/transceiver.h"

#include <sys/eventfd.h>
#include <unistd.h>

namespace wimax::phyd {

Outbox::Outbox() : fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
Outbox::~Outbox() { close(fd_); }

void Outbox::push(Report report) {
    const std::lock_guard guard(mutex_);
    queue_.push_back(std::move(report));
    eventfd_write(fd_, 1);
}

void Outbox::take(std::vector<Report>& out) {
    out.clear();
    const std::lock_guard guard(mutex_);
    eventfd_t count = 0;
    eventfd_read(fd_, &count);
    out.swap(queue_);
}

}  // namespace wimax::phyd
