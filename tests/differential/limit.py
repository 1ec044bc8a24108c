# SPDX-License-Identifier: BSD-3-Clause
"""A bound on the time that one program may take."""

import contextlib
import signal


class Slow(BaseException):
    """Not an Exception: nothing that a program may raise is confused with it."""


def _raise(signum, frame):
    raise Slow


@contextlib.contextmanager
def limit(seconds):
    """Raises Slow in the block after so many seconds, or once the call into the library that runs then has returned."""
    before = signal.signal(signal.SIGALRM, _raise)
    # repeated, for Python drops what is raised inside a callback from C
    signal.setitimer(signal.ITIMER_REAL, seconds, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
