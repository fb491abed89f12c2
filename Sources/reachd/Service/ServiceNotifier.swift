// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import History
import LinuxIO
import Logging
import Monitoring
import NetworkPaths
import Notifying

/// Notifies a service manager of the service's state: the `sd_notify(3)` protocol, one datagram a message.
///
/// Without `NOTIFY_SOCKET` in the environment every call does nothing. A manager that does not
/// accept the message is not an error.
struct ServiceNotifier: Sendable {
    private let path: [UInt8]?

    /// - Parameter environment: Names the socket: a path, or `@` and the name of an abstract one.
    init(environment: [String: String]) {
        var path = environment["NOTIFY_SOCKET"].map { Array($0.utf8) } ?? []
        if path.first == UInt8(ascii: "@") { path[0] = 0 }
        let isKnown = path.first == 0 || path.first == UInt8(ascii: "/")
        self.path = isKnown && (2...107).contains(path.count) ? path : nil
    }

    /// The service answers.
    func ready(_ words: String) {
        send("READY=1\nSTATUS=\(words)")
    }

    /// The configuration is being read again; ``ready(_:)`` follows.
    func reloading() {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        send("RELOADING=1\nMONOTONIC_USEC=\(Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)")
    }

    /// The service's threads take work; see ``Watchdog``.
    func alive() {
        send("WATCHDOG=1")
    }

    /// The service ends.
    func stopping() {
        send("STOPPING=1")
    }

    private func send(_ message: String) {
        guard let path else { return }
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        let bytes = Array(message.utf8)
        unsafe SocketAddress.withUnix(path: path) { address, length in
            _ = unsafe sendto(
                socket,
                bytes,
                bytes.count,
                Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT),
                address,
                length
            )
        }
    }
}

extension Notifier {
    /// A notifier of the service, without receivers yet.
    static func service(
        _ registry: Registry,
        hasFleet: Bool,
        ledger: HistoryRecorder?,
        log: Logger
    ) throws(SystemError) -> Notifier {
        try Notifier(
            source: registry,
            hasFleet: hasFleet,
            ledger: ledger,
            statusChanged: { registry.noteServiceChange() },
            log: { log.log($0) }
        )
    }
}
