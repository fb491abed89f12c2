// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import LinuxIO
import Synchronization
import TestSupport

@testable import Discovery

/// An API server that plays recorded responses over TLS, and the source that watches it.
final class RecordedAPI: Sendable {
    /// A recorded response.
    enum Reply: Sendable {
        case body(Int, String)
        /// Lines of a watch, which ends after them or stays open.
        case watch(String, ends: Bool)
    }

    let folder: TemporaryFolder
    let token: String
    /// The requests, with `timeoutSeconds` left out.
    let requests = Recorder<String>()
    let reports = Recorder<SourceReport>()
    private let server: HTTPServer
    private let certificate: SelfSignedCertificate
    private let source = Mutex<KubernetesSource?>(nil)

    /// - Parameters:
    ///   - replies: The responses for each path, in order; after them lists are empty and watches stay open.
    ///   - permits: Whether a token is accepted; called for each request.
    init(
        _ replies: [String: [Reply]],
        permits: @escaping @Sendable (String) -> Bool = { $0 == "Bearer one" }
    ) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        token = try folder.write("one\n", to: "token")
        certificate = try SelfSignedCertificate("kubernetes", in: folder)
        var settings = HTTPServerSettings(listen: [])
        settings.listeners = [
            Listener(
                .address(.tcp(host: "127.0.0.1", port: 0)),
                certificate: CertificateFiles(certificate: certificate.path, key: certificate.key)
            )
        ]
        settings.limits.heartbeat = .seconds(3_600)
        settings.limits.idleTimeout = .seconds(3_600)
        let left = Mutex(replies)
        let requests = requests
        server = HTTPServer(settings: settings) { request in
            let query = (request.query ?? "").split(separator: "&").filter { !$0.hasPrefix("timeoutSeconds=") }
            requests.record("\(request.path)?\(query.joined(separator: "&"))")
            guard permits(request.headers.first { $0.name.lowercased() == "authorization" }?.value ?? "") else {
                return Self.response(401, RecordedObjects.status(401, "Unauthorized", "Unauthorized"))
            }
            let reply = left.withLock { left -> Reply? in
                guard left[request.path]?.isEmpty == false else { return nil }
                return left[request.path]?.removeFirst()
            }
            switch reply {
            case .body(let status, let text): return Self.response(status, text)
            case .watch(let text, let ends): return Self.stream(text, ends: ends)
            case nil where query.contains("watch=1"): return Self.stream("", ends: false)
            case nil: return Self.response(200, RecordedObjects.list([]))
            }
        }
        try server.start()
    }

    deinit {
        source.withLock { $0 }?.stop()
        server.stop(deadline: .zero)
    }

    /// Starts a source whose pauses take no time: each moves its clock.
    func start(_ resources: [KubernetesResource], adjust: (inout KubernetesSettings) -> Void = { _ in }) {
        var settings = KubernetesSettings()
        settings.resources = resources
        settings.server.url = "https://localhost:\(server.port)"
        settings.server.useToken(of: token)
        settings.server.authorities = certificate.path
        adjust(&settings)
        let clock = ManualClock()
        let made = KubernetesSource(settings, server: KubernetesHTTPServer(settings.server), clock: clock) { name in
            SourceThread(name: name, pauses: MovingPauses(clock: clock))
        }
        let reports = reports
        made.start { reports.record($0) }
        source.withLock { $0 = made }
    }

    /// Waits for a report with exactly these ids, and returns it.
    @discardableResult
    func items(_ ids: [String], after mark: Int = 0) async throws -> SourceReport {
        try await reports.next(after: mark) { $0.items?.map(\.id) == ids }
    }

    private static func response(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: [HTTPHeader("Content-Type", "application/json")],
            body: .bytes(Array(text.utf8))
        )
    }

    private static func stream(_ text: String, ends: Bool) -> HTTPResponse {
        let lines = RecordedLines(text, ends: ends)
        return HTTPResponse(
            status: 200,
            headers: [HTTPHeader("Content-Type", "application/json")],
            body: .stream(lines)
        )
    }
}

/// Pauses that move a clock instead of waiting.
private struct MovingPauses: SourcePauses {
    let clock: ManualClock

    func wait(_ length: Duration) { clock.advance(by: length.nanoseconds) }

    func end() {}
}

/// The body of a watch.
private final class RecordedLines: StreamSource {
    private let left: Mutex<[UInt8]?>
    private let ends: Bool
    let heartbeat: [UInt8] = []

    init(_ text: String, ends: Bool) {
        left = Mutex(Array(text.utf8))
        self.ends = ends
    }

    func next() -> StreamChunk {
        left.withLock { left in
            defer { left = nil }
            if ends { return .end(left ?? []) }
            guard let bytes = left, !bytes.isEmpty else { return .idle }
            return .bytes(bytes)
        }
    }

    func didEnd() {}
}
