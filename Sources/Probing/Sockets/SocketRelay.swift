// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CLinux
import Glibc
import LinuxIO

/// Relays a connection to a library that reads from its own socket, a slice at a time. On the loop's thread.
///
/// libcurl, and OpenSSL and nghttp2 below it, read until the socket is empty or data for their caller has arrived. A
/// peer that sends discarded input faster than it is parsed (empty DATA frames, PRIORITY, chunk extensions, session
/// tickets) blocks such a call forever, and none of their options limits it. So the library connects to this process
/// (``RelayListener``), which fills its socket on the same thread, with one slice per turn and only when the previous
/// one was read: every call finds an empty socket after at most one slice, whatever layer consumes it, and every byte
/// is counted.
final class SocketRelay {
    /// The number of bytes relayed in each direction per turn.
    static let slice = 16 << 10
    /// The delay before a library that does not read is checked again, in nanoseconds.
    private static let rest: UInt64 = 1_000_000

    /// The events of a relay; all are called from the loop.
    struct Events {
        /// The connection is established.
        var connected: () -> Void
        /// The library's socket has new data, or its end.
        var delivered: () -> Void
        /// The connection failed; no more events follow.
        var refused: (ProbeFault) -> Void
        /// The meter's limit is exceeded; no more events follow.
        var exceeded: () -> Void
    }

    /// The error that broke the connection, in either direction; nil otherwise.
    private(set) var fault: ProbeFault?
    /// Whether ``fault`` truncated the received data: the library only sees an end.
    private(set) var isCutShort = false

    private let loop: EventLoop
    private let meter: ReceiveMeter
    private let events: Events
    private var socket: ProbeSocket?
    /// The listener; nil once the library has connected.
    private var entrance: RelayListener?
    private var near: OwnedDescriptor?
    private var isConnected = false
    /// Whether events have stopped.
    private var isStopped = false
    private var networkHasEnded = false
    private var libraryHasEnded = false
    /// The data not yet accepted by the library and by the network.
    private var inbound: ArraySlice<UInt8> = []
    private var outbound: ArraySlice<UInt8> = []
    private var socketWatch: (token: WatchToken, events: EventLoop.Events)?
    private var nearWatch: (token: WatchToken, events: EventLoop.Events)?
    private var timer: TimerToken?

    /// - Parameters:
    ///   - socket: The network's socket, not connected yet.
    ///   - entrance: The listener that the library's socket connects to.
    ///   - meter: Counts received bytes.
    init(_ socket: ProbeSocket, _ entrance: RelayListener, loop: EventLoop, meter: ReceiveMeter, events: Events) {
        self.socket = socket
        self.entrance = entrance
        self.loop = loop
        self.meter = meter
        self.events = events
    }

    deinit {
        close()
    }

    /// Starts to connect. A failure is reported in a later turn.
    func start() {
        do throws(ProbeFault) {
            guard let socket else { return }
            if try socket.connect() { connected() }
            try update()
        } catch {
            timer = loop.schedule(at: 0) { [weak self] in
                self?.timer = nil
                self?.refuse(error)
            }
        }
    }

    /// What the kernel knows of the connection; nil unless it is established.
    var stall: StalledConnection? { isConnected ? socket?.stall : nil }

    /// Sends the library's last data, such as close_notify, if the network accepts it now, and closes both sockets. A
    /// second call does nothing.
    func close() {
        guard socket != nil else { return }
        if isConnected {
            try? flushOutbound()
            takeFromLibrary()
            try? flushOutbound()
        }
        stop()
        socket = nil
        entrance = nil
        near = nil
    }

    // MARK: Turns

    private func connected() {
        isConnected = true
        socket?.endErrorReports()
        events.connected()
    }

    private func refuse(_ fault: ProbeFault) {
        stop()
        self.fault = fault
        events.refused(fault)
    }

    private func socketReady(_ ready: EventLoop.Events) {
        guard isConnected else {
            do throws(ProbeFault) {
                try socket?.checkError("connect")
                connected()
                try update()
            } catch {
                refuse(error)
            }
            return
        }
        attempt { () throws(ProbeFault) in
            if ready.contains(.writable) { try flushOutbound() }
            if ready.contains(.readable) { try takeFromNetwork() }
        }
    }

    /// Accepts the library's connection.
    private func enter() {
        guard let arrived = entrance?.accept() else { return }
        unwatch(&nearWatch)
        entrance = nil
        near = arrived
        if networkHasEnded { shutdown(arrived.number, Int32(SHUT_WR)) }
        attempt { () throws(ProbeFault) in }
    }

    private func nearReady(_ ready: EventLoop.Events) {
        attempt { () throws(ProbeFault) in
            if ready.contains(.writable), !inbound.isEmpty { flushInbound() }
            if ready.contains(.readable) {
                takeFromLibrary()
                try flushOutbound()
            }
        }
    }

    /// Executes a step; a thrown fault ends the receiving direction.
    private func attempt(_ step: () throws(ProbeFault) -> Void) {
        do throws(ProbeFault) {
            try step()
        } catch {
            fault = fault ?? error
            outbound = []
            libraryHasEnded = true
        }
        guard socket != nil else { return }
        do throws(ProbeFault) {
            try update()
        } catch {
            fault = fault ?? error
            end()
        }
    }

    private func takeFromNetwork() throws(ProbeFault) {
        guard let socket, inbound.isEmpty, !networkHasEnded else { return }
        guard isTaken else {
            // The library has not read the last slice: stop reading from the network.
            unwatch(&socketWatch)
            timer =
                timer
                ?? loop.schedule(after: Self.rest) { [weak self] in
                    self?.timer = nil
                    self?.attempt { () throws(ProbeFault) in }
                }
            return
        }
        do throws(ProbeFault) {
            guard case .done(let bytes) = try socket.receive(Self.slice) else { return }
            guard !bytes.isEmpty else { return end() }
            meter.add(bytes.count)
            guard !meter.isExceeded else {
                stop()
                return events.exceeded()
            }
            inbound = bytes[...]
        } catch {
            fault = error
            isCutShort = true
            return end()
        }
        flushInbound()
        events.delivered()
    }

    /// Ends the receiving direction.
    private func end() {
        guard !networkHasEnded else { return }
        networkHasEnded = true
        if let near { shutdown(near.number, Int32(SHUT_WR)) }
        events.delivered()
    }

    /// Whether the library has read everything.
    private var isTaken: Bool {
        guard let near else { return false }
        var count: Int32 = 0
        return unsafe ioctl(near.number, UInt(TIOCOUTQ), &count) != 0 || count == 0
    }

    private func flushInbound() {
        guard let near, !inbound.isEmpty else { return }
        // A library that has closed its socket accepts nothing more; its transfer reports why.
        let result = try? nonBlockingCall("send") {
            unsafe inbound.withUnsafeBytes {
                unsafe send(near.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
        }
        switch result {
        case .done(let count)?: inbound.removeFirst(count)
        case .wouldBlock?: break
        case nil: inbound = []
        }
    }

    private func takeFromLibrary() {
        guard let near, outbound.isEmpty, !libraryHasEnded else { return }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.slice) { buffer, count in
            let result = try? nonBlockingCall("recv") {
                unsafe recv(near.number, buffer.baseAddress, buffer.count, 0)
            }
            switch result {
            case .done(let received)?:
                count = received
                libraryHasEnded = received == 0
            case .wouldBlock?: break
            // The library closed its socket with unread data.
            case nil: libraryHasEnded = true
            }
        }
        outbound = bytes[...]
    }

    private func flushOutbound() throws(ProbeFault) {
        guard let socket, isConnected else { return }
        while !outbound.isEmpty {
            guard case .done(let count) = try socket.send(outbound) else { return }
            outbound.removeFirst(count)
        }
    }

    // MARK: Watches

    private func update() throws(ProbeFault) {
        guard let socket, !isStopped else { return }
        var wanted: EventLoop.Events = []
        if !isConnected || !outbound.isEmpty { wanted.insert(.writable) }
        if isConnected, near != nil, !networkHasEnded, inbound.isEmpty, timer == nil { wanted.insert(.readable) }
        try watch(&socketWatch, socket.descriptor.number, wanted) { [weak self] in self?.socketReady($0) }
        guard let near else {
            guard let entrance else { return }
            return try watch(&nearWatch, entrance.listener.number, .readable) { [weak self] _ in self?.enter() }
        }
        wanted = []
        if isConnected, outbound.isEmpty, !libraryHasEnded { wanted.insert(.readable) }
        if !inbound.isEmpty { wanted.insert(.writable) }
        try watch(&nearWatch, near.number, wanted) { [weak self] in self?.nearReady($0) }
    }

    private func watch(
        _ watch: inout (token: WatchToken, events: EventLoop.Events)?,
        _ number: Int32,
        _ wanted: EventLoop.Events,
        _ handler: @escaping (EventLoop.Events) -> Void
    ) throws(ProbeFault) {
        guard watch?.events ?? [] != wanted else { return }
        do throws(SystemError) {
            if wanted.isEmpty {
                unwatch(&watch)
            } else if let token = watch?.token {
                try loop.rewatch(token, for: wanted)
                watch?.events = wanted
            } else {
                watch = (try loop.watch(number, for: wanted, handler: handler), wanted)
            }
        } catch {
            throw ProbeFault(error, at: .setup)
        }
    }

    private func unwatch(_ watch: inout (token: WatchToken, events: EventLoop.Events)?) {
        if let token = watch?.token { loop.unwatch(token) }
        watch = nil
    }

    private func stop() {
        isStopped = true
        unwatch(&socketWatch)
        unwatch(&nearWatch)
        if let timer { loop.cancel(timer) }
        timer = nil
    }
}
