// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import LinuxIO

/// A runner's ICMP sockets: one per family for all runs, opened on demand and closed two seconds after the last use.
///
/// On the loop's thread.
final class EchoService {
    private static let linger: UInt64 = 2_000_000_000

    private let loop: EventLoop
    private var sockets: [AddressFamily: EchoSocket] = [:]
    private var users = 0
    /// For identifiers, and for the bytes that identify a run's replies.
    var random = RandomPool()
    private var lingering: TimerToken?

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// Acquires the family's socket; release it with ``release()``.
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

    /// Ends one use of a socket.
    func release() {
        users -= 1
        guard users == 0, !sockets.isEmpty else { return }
        lingering = loop.schedule(after: Self.linger) { [weak self] in self?.close() }
    }

    /// Closes the open sockets.
    func close() {
        if let lingering { loop.cancel(lingering) }
        lingering = nil
        for socket in sockets.values { socket.close() }
        sockets = [:]
    }
}

/// An echo request to send.
struct EchoPacket {
    let address: IPAddress
    let origin: ProbeOrigin
    /// The run's identifier; the kernel replaces it on a datagram socket.
    let identifier: UInt16
    /// The payload. It begins with the run's random bytes, which distinguish late replies to other requests.
    let data: [UInt8]
    let timeToLive: UInt8?
    let dontFragment: Bool
}

/// The outcome of an echo request.
enum EchoEvent: Equatable {
    /// A reply, with the round trip in nanoseconds and the received hop limit, if the kernel reports it.
    case reply(UInt64, hopLimit: UInt8?)
    /// An ICMP error about the request.
    case error(PacketError)
}

/// The system's random numbers, read in batches of thirty-two: one system call each would be an eighth of an echo
/// request's cost.
struct RandomPool {
    private static let length = 32
    private var numbers: [UInt64] = []

    /// Returns an unpredictable number.
    mutating func next() -> UInt64 {
        if numbers.isEmpty {
            // One call for the batch; getentropy(3) returns at most 256 bytes.
            numbers = unsafe [UInt64](unsafeUninitializedCapacity: Self.length) { buffer, count in
                let size = Self.length * MemoryLayout<UInt64>.size
                count = unsafe getentropy(buffer.baseAddress, size) == 0 ? Self.length : 0
            }
        }
        var generator = SystemRandomNumberGenerator()
        return numbers.popLast() ?? generator.next()
    }
}
