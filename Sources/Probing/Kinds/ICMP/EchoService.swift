// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
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

/// One echo request to send.
struct EchoPacket {
    let address: IPAddress
    let origin: ProbeOrigin
    /// The run's identifier; a datagram socket replaces it by its own.
    let identifier: UInt16
    /// Begins with the run's random bytes, by which a late reply to somebody else's request is told apart.
    let data: [UInt8]
    let timeToLive: UInt8?
    let dontFragment: Bool
}

/// What became of an echo request.
enum EchoEvent: Equatable {
    /// The reply, with the round trip in nanoseconds, and the hop limit that it arrived with where the kernel says it.
    case reply(UInt64, hopLimit: UInt8?)
    /// An ICMP error about it.
    case error(ProbeReason)
}

/// The system's random numbers, fetched thirty-two at a time: a system call for each would be an eighth of an echo request's cost.
struct RandomPool {
    private static let length = 32
    private var numbers: [UInt64] = []

    /// A number that nobody can guess.
    mutating func next() -> UInt64 {
        if numbers.isEmpty {
            // One call for all of them; getentropy(3) gives 256 bytes at most.
            numbers = unsafe [UInt64](unsafeUninitializedCapacity: Self.length) { buffer, count in
                let size = Self.length * MemoryLayout<UInt64>.size
                count = unsafe getentropy(buffer.baseAddress, size) == 0 ? Self.length : 0
            }
        }
        var generator = SystemRandomNumberGenerator()
        return numbers.popLast() ?? generator.next()
    }
}
