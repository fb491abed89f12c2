// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CCurl
package import LinuxIO

/// Runs libcurl on our event loop without threads, name lookups or blocking calls, on our sockets. On the loop's
/// thread.
///
/// Each transfer has its own connection, which libcurl reads through a ``SocketRelay``: no call of libcurl processes
/// more than a slice of a peer's data. libcurl also keeps one socket pair for its lifetime, through which other threads
/// could wake it.
@safe final class CurlMulti {
    /// The number of handles kept for reuse; each takes some kilobytes.
    private static let idleLimit = 32

    private struct Socket {
        weak var transfer: CurlTransfer?
        var watch: WatchToken?
        var interest: Int32 = 0
    }

    private let loop: EventLoop
    private var handle: OpaquePointer?
    private var idle: [OpaquePointer] = unsafe []
    private var transfers: [OpaquePointer: CurlTransfer] = unsafe [:]
    private var sockets: [Int32: Socket] = [:]
    private var timer: (token: TimerToken, deadline: UInt64)?

    /// - Throws: ``ProbeFault`` when libcurl is out of memory or cannot be used.
    init(loop: EventLoop) throws(ProbeFault) {
        self.loop = loop
        let code = reachd_curl_prepare()
        guard code == 0 else {
            let words = unsafe String(cString: reachd_curl_words(code))
            throw ProbeFault(reason: .systemError, detail: "libcurl cannot be used: \(words)")
        }
        var driver = unsafe reachd_curl_driver(
            context: Unmanaged.passUnretained(self).toOpaque(),
            watch: { context, socket, interest in unsafe CurlMulti.from(context).watch(socket, interest) },
            schedule: { context, milliseconds in unsafe CurlMulti.from(context).schedule(milliseconds) }
        )
        guard let handle = unsafe reachd_curl_multi_create(&driver) else {
            // libcurl needs memory and two descriptors here, and does not report which it lacks.
            throw ProbeFault(reason: .outOfDescriptors, detail: "libcurl is out of memory or descriptors")
        }
        unsafe self.handle = handle
    }

    deinit {
        close()
    }

    /// Starts a request.
    ///
    /// - Parameter completion: Receives the response, once, in a later turn; not after ``cancel(_:)``.
    /// - Throws: ``ProbeFault`` when the request cannot be started.
    func start(
        _ request: CurlRequest,
        completion: @escaping (CurlResponse) -> Void
    ) throws(ProbeFault) -> CurlTransfer {
        guard let handle = unsafe handle, let easy = unsafe idle.popLast() ?? reachd_curl_easy_create() else {
            throw ProbeFault(reason: .outOfMemory, detail: "libcurl is out of memory")
        }
        let transfer = unsafe CurlTransfer(
            request,
            easy: easy,
            loop: loop,
            opened: { [unowned self] number, transfer in opened(number, by: transfer) },
            completion: completion
        )
        do throws(ProbeFault) {
            try transfer.prepare()
        } catch {
            unsafe recycle(easy)
            throw error
        }
        unsafe transfers[easy] = transfer
        let code = unsafe reachd_curl_multi_add(handle, easy)
        guard code == 0 else {
            unsafe transfers[easy] = nil
            unsafe recycle(easy)
            throw ProbeFault(reason: .systemError, detail: "libcurl cannot start the request, code \(code)")
        }
        return transfer
    }

    /// Ends a transfer without a completion; its socket is closed when this returns. A second call, or one after the
    /// end, does nothing.
    func cancel(_ transfer: CurlTransfer) {
        transfer.completion = nil
        guard let handle = unsafe handle, unsafe transfers[transfer.easy] === transfer else { return }
        unsafe transfers[transfer.easy] = nil
        unsafe reachd_curl_multi_remove(handle, transfer.easy)
        recycle(transfer)
    }

    /// Ends all transfers without a completion; a second call does nothing.
    func close() {
        guard let handle = unsafe handle else { return }
        for transfer in unsafe Array(transfers.values) { cancel(transfer) }
        unsafe self.handle = nil
        unsafe reachd_curl_multi_destroy(handle)
        while let easy = unsafe idle.popLast() { unsafe reachd_curl_easy_destroy(easy) }
        stopTimer()
    }

    // MARK: What libcurl calls

    private static func from(_ context: UnsafeMutableRawPointer) -> CurlMulti {
        unsafe Unmanaged.fromOpaque(context).takeUnretainedValue()
    }

    private func watch(_ number: Int32, _ interest: Int32) {
        guard var socket = sockets[number], socket.interest != interest else { return }
        socket.interest = interest
        var events: EventLoop.Events = []
        if interest & Int32(reachd_curl_interest_read.rawValue) != 0 {
            events.insert(.readable)
        }
        if interest & Int32(reachd_curl_interest_write.rawValue) != 0 { events.insert(.writable) }
        do throws(SystemError) {
            if let token = socket.watch {
                if events.isEmpty {
                    loop.unwatch(token)
                    socket.watch = nil
                } else {
                    try loop.rewatch(token, for: events)
                }
            } else if !events.isEmpty {
                socket.watch = try loop.watch(number, for: events) { [unowned self] in ready(number, $0) }
            }
        } catch {
            // The transfer receives no more events; this fault explains its timeout.
            socket.transfer?.note(ProbeFault(error, at: .setup))
        }
        sockets[number] = socket
    }

    private func schedule(_ milliseconds: Int64) {
        guard milliseconds >= 0 else { return stopTimer() }
        let delay = UInt64(milliseconds).multipliedReportingOverflow(by: 1_000_000)
        let now = milliseconds == 0 ? 0 : loop.clock.now()
        let deadline = delay.overflow ? .max : now.addingReportingOverflow(delay.partialValue).partialValue
        if let timer, timer.deadline == deadline { return }
        stopTimer()
        let token = loop.schedule(at: deadline) { [unowned self] in
            timer = nil
            guard let handle = unsafe handle else { return }
            _ = unsafe reachd_curl_multi_timeout(handle)
            finishEnded()
        }
        timer = (token, deadline)
    }

    private func opened(_ number: Int32, by transfer: CurlTransfer) -> SocketRelay.Events {
        // The number may have belonged to a socket that libcurl closed without notice.
        forget(number)
        sockets[number] = Socket(transfer: transfer)
        transfer.descriptors.append(number)
        let start = loop.clock.now()
        return SocketRelay.Events(
            connected: { [weak transfer, loop] in transfer?.noteConnected(after: loop.clock.now() - start) },
            delivered: { [weak self, weak transfer] in self?.delivered(number, to: transfer) },
            refused: { [weak self, weak transfer] fault in self?.end(transfer) { $0.end(with: fault) } },
            exceeded: { [weak self, weak transfer] in self?.end(transfer) { $0.endExceeded() } }
        )
    }

    // MARK: Progress

    /// Lets libcurl read delivered data at once, so that at most one slice waits when another call enters libcurl: each
    /// call continues any transfer with pending work.
    ///
    /// Twice for possible HTTP/2: libcurl 8 notices the fatal error of such a connection in one call and reports it in
    /// the next, which no event triggers.
    private func delivered(_ number: Int32, to transfer: CurlTransfer?) {
        guard let transfer, sockets[number]?.transfer === transfer else { return }
        ready(number, .readable)
        guard transfer.request.version != .http1, sockets[number]?.transfer === transfer else { return }
        ready(number, .readable)
    }

    /// Ends a transfer whose connection has ended.
    private func end(_ transfer: CurlTransfer?, with response: (CurlTransfer) -> CurlResponse) {
        guard let transfer, let handle = unsafe handle, unsafe transfers[transfer.easy] === transfer else { return }
        unsafe transfers[transfer.easy] = nil
        let response = response(transfer)
        unsafe reachd_curl_multi_remove(handle, transfer.easy)
        recycle(transfer)
        let completion = transfer.completion
        transfer.completion = nil
        completion?(response)
    }

    private func ready(_ number: Int32, _ events: EventLoop.Events) {
        guard let handle = unsafe handle else { return }
        var interest: Int32 = 0
        if events.contains(.readable) { interest |= Int32(reachd_curl_interest_read.rawValue) }
        if events.contains(.writable) { interest |= Int32(reachd_curl_interest_write.rawValue) }
        // The code only reports incorrect use; a transfer's own result comes with its end.
        _ = unsafe reachd_curl_multi_ready(handle, number, interest)
        finishEnded()
    }

    private func finishEnded() {
        var ended: [(CurlTransfer, CurlResponse)] = []
        var code: Int32 = 0
        while let handle = unsafe handle, let easy = unsafe reachd_curl_multi_next(handle, &code) {
            let transfer = unsafe transfers.removeValue(forKey: easy)
            if let transfer { ended.append((transfer, transfer.end(with: code))) }
            unsafe reachd_curl_multi_remove(handle, easy)
            if let transfer { recycle(transfer) }
        }
        for (transfer, response) in ended {
            let completion = transfer.completion
            transfer.completion = nil
            completion?(response)
        }
    }

    /// Removes a transfer: its sockets are closed, its handle can be reused.
    private func recycle(_ transfer: CurlTransfer) {
        transfer.closeConnection()
        for number in transfer.descriptors where sockets[number]?.transfer === transfer { forget(number) }
        unsafe recycle(transfer.easy)
    }

    private func forget(_ number: Int32) {
        if let token = sockets.removeValue(forKey: number)?.watch { loop.unwatch(token) }
    }

    private func recycle(_ easy: OpaquePointer) {
        if unsafe idle.count < Self.idleLimit {
            unsafe idle.append(easy)
        } else {
            unsafe reachd_curl_easy_destroy(easy)
        }
    }

    private func stopTimer() {
        if let timer { loop.cancel(timer.token) }
        timer = nil
    }
}

extension SystemLibrary {
    /// libcurl, which provides HTTP for probes.
    package static var curl: SystemLibrary {
        SystemLibrary(
            "libcurl",
            version: unsafe String(cString: reachd_curl_library_version()),
            supported: [Series("7.88", "8.14")]
        )
    }
}
