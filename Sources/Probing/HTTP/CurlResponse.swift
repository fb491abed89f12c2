// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What came of a request.
struct CurlResponse {
    /// Why we ended it ourselves.
    enum Stop {
        /// The body has more bytes than are read.
        case bodyLimit
        /// The headers have.
        case headerLimit
        /// More came from the network than an attempt receives.
        case receiveLimit
    }

    /// libcurl's code, and its name for it or its words.
    var code: Int32 = 0
    var words = ""
    /// What broke the connection, and whether the response was cut short by it.
    var connectionFault: ProbeFault?
    var isCutShort = false
    var stop: Stop?
    /// What went wrong on our side.
    var fault: ProbeFault?

    /// The status of the last response, 0 without one.
    var status = 0
    /// The proxy's status to CONNECT, 0 without one.
    var proxyStatus = 0
    /// 10, 11 or 20; 0 without a response.
    var version = 0
    /// The last response's headers, trailers after them, names in small letters; only if they are kept.
    var headers: [(name: String, value: [UInt8])] = []
    var contentType: [UInt8]?
    var location: [UInt8]?
    var retryAfter: [UInt8]?
    /// What the last response says of its length and age.
    var contentLength: [UInt8]?
    var lastModified: [UInt8]?
    var body: [UInt8] = []
    var bodySize = 0

    /// What the server showed in the TLS handshake, also when that failed thereafter.
    var tls: TLSReport?

    /// Microseconds from the start; 0 when it did not come so far.
    var times = CurlTimes()

    /// The values of a header.
    func values(of name: String) -> [[UInt8]] {
        let name = name.lowercased()
        return headers.filter { $0.name == name }.map(\.value)
    }
}

/// When a transfer had come how far, in microseconds from its start; 0 for not so far.
struct CurlTimes {
    /// The connection, to the proxy if there is one.
    var connected: Int64 = 0
    /// TLS.
    var secured: Int64 = 0
    /// The request is about to be sent.
    var requested: Int64 = 0
    /// The first byte of the answer.
    var answered: Int64 = 0
    /// The end.
    var total: Int64 = 0

    /// The phases that have ended, and for how long.
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
