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
