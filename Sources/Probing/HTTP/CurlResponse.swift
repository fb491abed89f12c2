// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The result of a request.
struct CurlResponse {
    /// The reason why we ended the transfer.
    enum Stop {
        /// The body exceeds the limit.
        case bodyLimit
        /// The headers exceed the limit.
        case headerLimit
        /// The attempt received more from the network than allowed.
        case receiveLimit
    }

    /// libcurl's code, and its message or the code's name.
    var code: Int32 = 0
    var words = ""
    /// The error that broke the connection, and whether it truncated the response.
    var connectionFault: ProbeFault?
    var isCutShort = false
    var stop: Stop?
    /// An error on our side.
    var fault: ProbeFault?
    /// What is wrong with the body of a response that arrived.
    var bodyFault: ProbeFault?
    /// That the body has an encoding that is not decoded, in words.
    var foreignEncoding: String?
    /// The cookies after this response, in libcurl's form; empty unless they are kept.
    var cookies: [String] = []

    /// The status of the last response; 0 without one.
    var status = 0
    /// The proxy's status for CONNECT; 0 without one.
    var proxyStatus = 0
    /// The HTTP version: 10, 11 or 20; 0 without a response.
    var version = 0
    /// The last response's headers followed by trailers, with lower-case names; empty unless they are kept.
    var headers: [(name: String, value: [UInt8])] = []
    var contentType: [UInt8]?
    var location: [UInt8]?
    var retryAfter: [UInt8]?
    /// The length and age headers of the last response.
    var contentLength: [UInt8]?
    var lastModified: [UInt8]?
    var body: [UInt8] = []
    var bodySize = 0

    /// The report of the TLS handshake, also after a failure.
    var tls: TLSReport?

    /// The times in microseconds from the start; 0 for stages not reached.
    var times = CurlTimes()

    /// Returns the values of a header.
    func values(of name: String) -> [[UInt8]] {
        let name = name.lowercased()
        return headers.filter { $0.name == name }.map(\.value)
    }
}

/// The stages of a transfer, in microseconds from its start; 0 for stages not reached.
struct CurlTimes {
    /// The connection is established, to the proxy if there is one.
    var connected: Int64 = 0
    /// The TLS handshake is complete.
    var secured: Int64 = 0
    /// The request is about to be sent.
    var requested: Int64 = 0
    /// The first byte of the response has arrived.
    var answered: Int64 = 0
    /// The transfer has ended.
    var total: Int64 = 0

    /// The durations of the completed phases.
    var phases: [(ProbePhase, Duration)] {
        var phases: [(ProbePhase, Duration)] = []
        func add(_ phase: ProbePhase, from start: Int64, to end: Int64) {
            phases.append((phase, .microseconds(max(0, end - start))))
        }
        guard connected > 0 else { return phases }
        add(.connect, from: 0, to: connected)
        if secured > 0 { add(.tls, from: connected, to: secured) }
        guard answered > 0 else { return phases }
        add(.request, from: max(connected, secured), to: answered)
        add(.transfer, from: answered, to: total)
        return phases
    }
}
