// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CMicroHTTPD
import Glibc

/// A response object of the HTTP library: a reference that its creator releases with ``release()``.
@safe struct LibraryResponse: Sendable {
    /// Safe to share: the library counts references under a lock, and nothing else in it changes once it is made.
    nonisolated(unsafe) let pointer: OpaquePointer

    /// A response over shared bytes, which the library keeps alive.
    init?(_ bytes: SharedBytes, headers: [HTTPHeader], log: (String) -> Void) {
        let retained = unsafe Unmanaged.passRetained(bytes)
        let response = unsafe reachd_http_response_create(bytes.address, bytes.count, releaseBytes, retained.toOpaque())
        guard let response = unsafe response else { return nil }
        unsafe pointer = response
        add(headers, log: log)
    }

    /// A response over a copy of bytes.
    init?(copying bytes: [UInt8], headers: [HTTPHeader], log: (String) -> Void) {
        let response = unsafe bytes.withUnsafeBytes { unsafe reachd_http_response_copy($0.baseAddress, $0.count) }
        guard let response = unsafe response else { return nil }
        unsafe pointer = response
        add(headers, log: log)
    }

    /// Releases the reference; requests in progress keep theirs.
    func release() {
        unsafe reachd_http_response_release(pointer)
    }

    private func add(_ headers: [HTTPHeader], log: (String) -> Void) {
        for header in headers {
            guard header.isSendable, unsafe reachd_http_response_add(pointer, header.name, header.value) == 0 else {
                log("response header omitted, it cannot be sent: \(header.name.prefix(64).debugDescription)")
                continue
            }
        }
    }
}

/// Called when the library no longer needs a body.
private func releaseBytes(_ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<SharedBytes>.fromOpaque(context).release()
}

/// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7), independent of the process's locale.
enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// A time in seconds since 1970 as text.
    static func text(_ seconds: Int) -> String {
        var time = time_t(seconds)
        var parts = unsafe tm()
        guard unsafe gmtime_r(&time, &parts) != nil else { return "Thu, 01 Jan 1970 00:00:00 GMT" }
        let day = unsafe two(parts.tm_mday)
        let clock = unsafe "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
        let year = unsafe parts.tm_year + 1900
        return unsafe "\(days[Int(parts.tm_wday)]), \(day) \(months[Int(parts.tm_mon)]) \(year) \(clock) GMT"
    }

    /// The time now.
    static func now() -> String {
        text(time(nil))
    }

    private static func two(_ number: Int32) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
