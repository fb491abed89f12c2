// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ActivityTracking
import HTTPServer
import Monitoring
import Synchronization

/// An answer that many requests share: its bytes and headers are made once, and using it costs one reference.
final class PreparedAnswer: Sendable {
    let body: PreparedBody
    let headers: [HTTPHeader]
    let validator: String
    private let compressed: CompressedBody
    private let compressedHeaders: [HTTPHeader]

    convenience init(
        _ bytes: [UInt8],
        type: String = "application/json",
        validator: String,
        caching: String = "no-cache",
        extra: [HTTPHeader] = []
    ) {
        let body = PreparedBody(bytes)
        let compressed = CompressedBody { GzipChunk(body.bytes).map { GzipChunk.body(of: [$0]) } }
        self.init(body, compressed, type: type, validator: validator, caching: caching, extra: extra)
    }

    init(
        _ body: PreparedBody,
        _ compressed: CompressedBody,
        type: String,
        validator: String,
        caching: String = "no-cache",
        extra: [HTTPHeader] = []
    ) {
        self.body = body
        self.compressed = compressed
        let headers = Self.headers(type: type, validator: validator, caching: caching) + extra
        self.headers = headers
        compressedHeaders = headers + [HTTPHeader("Content-Encoding", "gzip")]
        self.validator = validator
    }

    /// An answer that changes only with its bytes.
    ///
    /// - Parameters:
    ///   - caching: the `Cache-Control`.
    ///   - extra: headers besides those of every answer.
    convenience init(
        constant bytes: [UInt8],
        type: String = "application/json",
        caching: String = "no-cache",
        extra: [HTTPHeader] = []
    ) {
        self.init(bytes, type: type, validator: Self.validator(of: bytes), caching: caching, extra: extra)
    }

    /// Makes the gzip form now, instead of at the first request for it.
    func compress() { _ = compressed.body(shorterThan: body.count) }

    /// The validator of bytes.
    static func validator(of bytes: [UInt8]) -> String { "W/\"\(digest(of: bytes))\"" }

    /// A hash of bytes, as validators have it.
    static func digest(of bytes: [UInt8]) -> String {
        // FNV-1a: a validator must differ when the bytes do; it need not resist attacks.
        let hash = bytes.reduce(into: 0xcbf2_9ce4_8422_2325 as UInt64) { $0 = ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }

    /// The validator of a version of the registry; weak, because times in the bytes may differ.
    static func validator(run: String, version: UInt64) -> String { "W/\"\(run)-\(version)\"" }

    /// The validator of an incident with what changes without it: what was observed of the way to its targets, and what to do.
    static func validator(run: String, version: UInt64, diagnosis: IncidentDiagnosis?, advice: String?) -> String {
        let observed = diagnosis.map { "-\(String(UInt(bitPattern: $0.hashValue), radix: 16))" } ?? ""
        let advised = advice.map { "-\(digest(of: Array($0.utf8)))" } ?? ""
        return "W/\"\(run)-\(version)\(observed)\(advised)\""
    }

    /// The validator of a target with what changes without it: the time of its next probe, and its connections.
    static func validator(run: String, version: UInt64, nextProbe: Timestamp?, traffic: TargetTraffic? = nil) -> String
    {
        let next = nextProbe.map { "-\($0.milliseconds)" } ?? ""
        let connections = traffic.map { "-\(String(UInt(bitPattern: $0.hashValue), radix: 16))" } ?? ""
        return "W/\"\(run)-\(version)\(next)\(connections)\""
    }

    /// The validator of `/status`, which also reports current activity and the sources' states, which are no changes of the
    /// registry.
    static func validator(
        run: String,
        version: UInt64,
        activity: ActivityStatus,
        discovery: [DiscoverySourceStatus] = []
    ) -> String {
        let current = activity == .idle ? "" : "-\(activity.state.name)-\(activity.count)"
        let sources = discovery.isEmpty ? "" : "-\(String(UInt(bitPattern: discovery.hashValue), radix: 16))"
        return "W/\"\(run)-\(version)\(current)\(sources)\""
    }

    static func headers(type: String, validator: String, caching: String = "no-cache") -> [HTTPHeader] {
        [
            HTTPHeader("Content-Type", type), HTTPHeader("Cache-Control", caching), HTTPHeader("ETag", validator),
            HTTPHeader("Vary", "Accept-Encoding"), .noSniffing,
        ]
    }

    /// The answer to a request; 304 if the client has it already.
    func response(to request: HTTPRequest, status: Int = 200) -> HTTPResponse {
        // The server omits the body of a 304; the same headers let it reuse a prepared response.
        let isKnown = status == 200 && Self.isKnown(validator, to: request)
        // The validator is weak, and the same for both codings: their content is the same.
        if !isKnown, body.count >= CompressedBody.leastCount,
            request.acceptsGzip,
            let short = compressed.body(shorterThan: body.count)
        {
            return HTTPResponse(status: status, headers: compressedHeaders, body: .prepared(short))
        }
        return HTTPResponse(status: isKnown ? 304 : status, headers: headers, body: .prepared(body))
    }

    static func notModified(_ validator: String) -> HTTPResponse {
        HTTPResponse(
            status: 304,
            headers: [
                HTTPHeader("Cache-Control", "no-cache"), HTTPHeader("ETag", validator),
                HTTPHeader("Vary", "Accept-Encoding"),
            ]
        )
    }

    /// Whether the request names the validator in `If-None-Match`, by weak comparison (RFC 9110, section 13.1.2).
    static func isKnown(_ validator: String, to request: HTTPRequest) -> Bool {
        guard let field = request.header("If-None-Match") else { return false }
        if field == validator { return true }
        return field.split(separator: ",").contains { part in
            let tag = part.drop { $0 == " " || $0 == "\t" }
            let end = tag.lastIndex { $0 != " " && $0 != "\t" }.map { tag[...$0] } ?? ""
            return end == "*" || opaque(end) == opaque(validator[...])
        }
    }

    private static func opaque(_ tag: Substring) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag }
}

/// The gzip form of an answer, made at the first request for it and shared by later ones.
final class CompressedBody: Sendable {
    /// A shorter answer fits one packet either way.
    static let leastCount = 1_024

    private enum State {
        case unmade
        case made(PreparedBody)
        /// Compression does not make it shorter.
        case useless
    }

    private let make: @Sendable () -> [UInt8]?
    private let state = Mutex(State.unmade)

    /// - Parameter make: compresses; returns nil on failure.
    init(_ make: @escaping @Sendable () -> [UInt8]?) {
        self.make = make
    }

    /// The compressed bytes, if they are shorter than the others.
    func body(shorterThan count: Int) -> PreparedBody? {
        guard count >= Self.leastCount else { return nil }
        switch state.withLock({ $0 }) {
        case .made(let body): return body
        case .useless: return nil
        case .unmade: break
        }
        // Two threads may make the same bytes; either result is correct.
        let bytes = make()
        let body = bytes.flatMap { $0.count < count ? PreparedBody($0) : nil }
        state.withLock { $0 = body.map(State.made) ?? .useless }
        return body
    }
}
