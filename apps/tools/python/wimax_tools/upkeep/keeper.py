# SPDX-License-Identifier: GPL-3.0-or-later
"""The supervisor: supervisord in this process, with the rules of this project for restarts. Its configuration is standard input."""
import fcntl
import os
import sys
import time

from wimax_tools.exit_status import FINAL, ExitStatus

PRIVATE, USUAL = 0o027, "022"  # umask of the supervisor's logs; of its programs
LONGEST_PAUSE_S = 10           # between two starts


def rule_restarts(process):
    """Changes supervisord's class of processes. supervisord treats an exit within the first second as a failed start, whatever the status
    is. On a slow machine a refusal happens later, on a fast one sooner. Here the status alone decides. Pauses have a limit."""
    from supervisor.options import decode_wait_status
    from supervisor.states import ProcessStates
    finish, change_state = process.finish, process.change_state

    def finish_by_status(self, pid, wait_status):
        status, words = decode_wait_status(wait_status)
        stopping = self.killing
        if status in FINAL:
            self.laststart = min(self.laststart, time.time() - self.config.startsecs - 1)
        finish(self, pid, wait_status)
        if not stopping:
            self.spawnerr = words  # "exit status 2", "terminated by SIGKILL": what `wimax status` shows

    def change_state_with_limit(self, new_state, expected=True):
        result = change_state(self, new_state, expected)
        if new_state == ProcessStates.BACKOFF and self.backoff > LONGEST_PAUSE_S:
            self.backoff, self.delay = LONGEST_PAUSE_S, time.time() + LONGEST_PAUSE_S
        return result

    process.finish, process.change_state = finish_by_status, change_state_with_limit


def main(lock):
    """`lock`: descriptor of the lock file, which only one supervisor holds."""
    from supervisor import process, supervisord
    os.set_inheritable(lock, False)
    os.umask(PRIVATE)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("another supervisor serves this folder", file=sys.stderr)
        return ExitStatus.SERVED_ALREADY
    if os.fstat(lock).st_nlink == 0:
        print("another supervisor has just ended: try again", file=sys.stderr)
        return ExitStatus.FAILED
    rule_restarts(process.Subprocess)
    supervisord.main(["--nodaemon", "--silent", "--configuration", "/dev/stdin"])
    return ExitStatus.DONE


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
