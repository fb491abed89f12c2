// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

/// The signals that the service takes, one after the other, on the thread that waits for them.
///
/// They are blocked before any thread is started, so that every thread inherits that and none is interrupted.
struct SignalSet {
    /// What a signal asks for.
    enum Request {
        /// SIGTERM, SIGINT
        case stop
        /// SIGHUP
        case reload
    }

    private var set = sigset_t()

    /// Blocks the signals for this thread and all that it starts.
    init() {
        unsafe sigemptyset(&set)
        for signal in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&set, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Lets every signal do what it does by itself: the parent process may have left some blocked, as threads of
    /// libdispatch do, or SIGPIPE ignored, as Python does. First thing in the program.
    static func reset() {
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
        signal(SIGPIPE, SIG_DFL)
    }

    /// Waits for the next signal.
    func next() -> Request {
        var set = set
        while true {
            var number: Int32 = 0
            // Fails only for a set that holds no signal.
            guard unsafe sigwait(&set, &number) == 0 else { continue }
            return number == SIGHUP ? .reload : .stop
        }
    }
}
