// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO

/// The ICMP sockets of a runner: one a family for all runs, open while a run needs them and two seconds longer.
///
/// On the loop's thread.
final class EchoService {
    private static let linger: UInt64 = 2_000_000_000

    private let loop: EventLoop
    private var sockets: [AddressFamily: EchoSocket] = [:]
    private var users = 0
    /// For identifiers, and for the bytes by which a reply is known.
    var random = RandomPool()
    private var lingering: TimerToken?

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// The family's socket for one more user, who gives it back with ``release()``.
    func acquire(_ family: AddressFamily) throws(ProbeFault) -> EchoSocket {
        let socket: EchoSocket
        if let open = sockets[family] {
            socket = open
        } else {
            socket = try EchoSocket(family, loop: loop)
            sockets[family] = socket
        }
        users += 1
        if let lingering { loop.cancel(lingering) }
        lingering = nil
        return socket
    }

    /// Ends one use.
    func release() {
        users -= 1
        guard users == 0, !sockets.isEmpty else { return }
        lingering = loop.schedule(after: Self.linger) { [weak self] in self?.close() }
    }

    /// Closes what is open.
    func close() {
        if let lingering { loop.cancel(lingering) }
        lingering = nil
        for socket in sockets.values { socket.close() }
        sockets = [:]
    }
}
