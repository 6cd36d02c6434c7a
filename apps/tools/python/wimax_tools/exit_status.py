# SPDX-License-Identifier: GPL-3.0-or-later
"""Exit statuses of the daemons: the names and numbers of apps/common/exit_status.h."""
import errno
from enum import IntEnum


class ExitStatus(IntEnum):
    DONE = 0                   # stopped by request
    FAILED = 1                 # the machine lacks something now: a restart may help
    CONFIGURATION_REFUSED = 2  # every start would end the same way until the configuration is changed
    SERVED_ALREADY = 3         # another process serves the address: a restart helps once that process has ended


LACKS = (errno.EADDRNOTAVAIL, errno.EAGAIN, errno.EINTR, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS, errno.ENOSPC, errno.EDQUOT)
FINAL = (ExitStatus.DONE, ExitStatus.CONFIGURATION_REFUSED)  # no restart follows


def exit_status_of(error):
    """After a system call that failed with this errno while an address was opened."""
    if error == errno.EADDRINUSE:
        return ExitStatus.SERVED_ALREADY
    return ExitStatus.FAILED if error in LACKS else ExitStatus.CONFIGURATION_REFUSED
