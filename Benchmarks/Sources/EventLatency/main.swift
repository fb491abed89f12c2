// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

// Measures the time from a change in the kernel until a client has read the event. Reads `/events` of a running reachd, makes
// changes through one `ip -batch -` process, and takes the time from writing the command (a little before the kernel's change)
// until the expected events are read.
//
// Arguments: PORT ROUNDS NAME "COMMAND" EVENTS "UNDO COMMAND" EVENTS PAUSE_MS [NAMESPACE]
//   NAME      printed
//   COMMAND   the command for `ip`; EVENTS is the number of `reachability` events that it must cause
//   PAUSE_MS  quiet before each change
//   NAMESPACE where the changes are made, if not here
// Run by Benchmarks/event-latency inside a network namespace.

func milliseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
}

func fail(_ words: String) -> Never {
    let line = Array("event-latency: \(words)\n".utf8)
    _ = write(2, line, line.count)
    exit(1)
}

/// The stream of events as bytes. It only finds the ends of events, with little work, because the reader shares the machine with
/// the measured service.
struct Stream {
    let socket: Int32
    private var buffer = [UInt8](repeating: 0, count: 1 << 20)
    /// Whether the current block is an event; a keep-alive begins with a colon.
    private var isEvent = false
    private var isLineEmpty = true
    private var isBlockEmpty = true

    init(port: UInt16) {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { fail("nothing listens on port \(port)") }
        let request = Array("GET /events?event=reachability HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        _ = write(socket, request, request.count)
    }

    /// Reads until `count` reachability events are complete, and returns the times when each was read.
    mutating func await(_ count: Int) -> [Double] {
        var times: [Double] = []
        while times.count < count {
            var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, 10_000) == 1 else { fail("\(times.count) of \(count) events in 10 s") }
            let length = read(socket, &buffer, buffer.count)
            guard length > 0 else { fail("the stream ended") }
            let now = milliseconds()
            for _ in 0..<endedEvents(length) { times.append(now) }
        }
        return times
    }

    /// The number of events that end in the first bytes of the buffer.
    private mutating func endedEvents(_ length: Int) -> Int {
        var count = 0
        var position = 0
        buffer.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            while position < length {
                if isBlockEmpty, isLineEmpty, bytes[position] != UInt8(ascii: "\n") {
                    isEvent = bytes[position] == UInt8(ascii: "e")
                    isBlockEmpty = false
                }
                guard let found = memchr(start + position, 10, length - position) else {
                    isLineEmpty = false
                    return
                }
                let end = UnsafeRawPointer(found) - start
                if end == position, isLineEmpty {
                    if isEvent { count += 1 }
                    isEvent = false
                    isBlockEmpty = true
                }
                isLineEmpty = true
                position = end + 1
            }
        }
        return count
    }

    /// Reads until nothing arrives for `pause` milliseconds.
    mutating func settle(_ pause: Int32) {
        while true {
            var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, pause) == 1 else { return }
            let length = read(socket, &buffer, buffer.count)
            guard length > 0 else { fail("the stream ended") }
            _ = endedEvents(length)
        }
    }
}

func percentile(_ values: [Double], _ part: Double) -> Double {
    let sorted = values.sorted()
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
}

func text(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }

let arguments = CommandLine.arguments
guard (9...10).contains(arguments.count), let port = UInt16(arguments[1]), let rounds = Int(arguments[2]),
    let events = Int(arguments[5]), let undoEvents = Int(arguments[7]), let pause = Int32(arguments[8])
else { fail("usage: PORT ROUNDS NAME COMMAND EVENTS UNDO EVENTS PAUSE_MS [NAMESPACE]") }

let place = arguments.count == 10 ? "-n \(arguments[9])" : ""
guard let ip = popen("ip \(place) -force -batch - >/dev/null", "w") else { fail("ip cannot be started") }
setlinebuf(ip)
var stream = Stream(port: port)
stream.settle(1000)

var first: [Double] = []
var all: [Double] = []
var last: [Double] = []
for _ in 0..<rounds {
    for (command, count, isMeasured) in [(arguments[4], events, true), (arguments[6], undoEvents, false)] {
        stream.settle(pause)
        let start = milliseconds()
        for part in command.split(separator: ";") { fputs("\(part)\n", ip) }
        let times = stream.await(count).map { $0 - start }
        guard isMeasured else { continue }
        first.append(times[0])
        last.append(times[count - 1])
        all += times
    }
}
pclose(ip)
print(
    "\(arguments[3]): events=\(events) rounds=\(rounds)",
    "every event ms: median=\(text(percentile(all, 0.5))) p99=\(text(percentile(all, 0.99)))",
    "first: median=\(text(percentile(first, 0.5)))",
    "last: median=\(text(percentile(last, 0.5))) p99=\(text(percentile(last, 0.99))) max=\(text(last.max() ?? 0))"
)
