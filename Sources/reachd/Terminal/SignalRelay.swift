// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import Synchronization

/// Signals as values, for a loop that waits for descriptors. They are blocked in all threads that are started later.
final class SignalRelay: Sendable {
    private let received = Mutex<[Int32]>([])
    private let wake: OwnedDescriptor

    /// - Parameters:
    ///   - signals: those to take.
    ///   - wake: an event counter that is signalled for each.
    /// - Throws: ``SystemError`` when the thread that waits for them cannot be started.
    init(_ signals: [Int32], wake: OwnedDescriptor) throws(SystemError) {
        self.wake = wake
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        let wanted = signals
        try Thread(name: "signals") { [self] in
            var set = sigset_t()
            unsafe sigemptyset(&set)
            for signal in wanted { unsafe sigaddset(&set, signal) }
            while true {
                var number: Int32 = 0
                // Fails only for a set without a signal.
                guard unsafe sigwait(&set, &number) == 0 else { continue }
                received.withLock { $0.append(number) }
                self.wake.signal()
            }
        }.detach()
    }

    /// Takes the signals that arrived.
    func take() -> [Int32] {
        received.withLock { signals in
            defer { signals = [] }
            return signals
        }
    }
}
