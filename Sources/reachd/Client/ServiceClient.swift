// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import BlockingHTTP
import Configuration
import JSON
import LinuxIO
import Schema

/// Queries a running service, and explains missing answers.
final class ServiceClient {
    /// The most bytes of a body.
    static let bodyLimit = 64 << 20
    /// The most of a list that is asked for at once.
    static let pageSize = 10_000

    /// Where it may be, the first that takes the connection counts; only that one after the first answer.
    private(set) var askers: [BlockingHTTPClient]
    /// All addresses, for the error of a failed connection.
    private let tried: String

    /// - Parameter askers: Where it may be; the first that takes the connection counts.
    init(_ askers: [BlockingHTTPClient]) {
        self.askers = askers
        tried = askers.map { "\($0.place)" }.joined(separator: ", ")
    }

    /// Where it is.
    var place: String { askers.first.map { "\($0.place)" } ?? "" }

    /// Gets a body.
    ///
    /// - Parameter accepting: Statuses that are an answer.
    /// - Throws: ``ExitStatus``, after it said why.
    func get(_ path: String, accepting: Set<Int> = [200]) throws -> BlockingHTTPClient.Answer {
        do throws(ServiceFault) {
            return try ask(path, accepting: accepting)
        } catch {
            throw error.report()
        }
    }

    /// The same, for callers with another form of error.
    func ask(_ path: String, accepting: Set<Int>) throws(ServiceFault) -> BlockingHTTPClient.Answer {
        let answer: BlockingHTTPClient.Answer
        do throws(HTTPClientError) {
            answer = try firstAnswer { (client) throws(HTTPClientError) in try client.get(path, limit: Self.bodyLimit) }
        } catch {
            throw fault(of: error)
        }
        guard accepting.contains(answer.status) else { throw fault(of: answer) }
        return answer
    }

    /// Gets a body and takes it apart.
    func document(_ path: String, accepting: Set<Int> = [200]) throws -> (
        document: JSONValue, answer: BlockingHTTPClient.Answer
    ) {
        let answer = try get(path, accepting: accepting)
        return (try parsed(answer), answer)
    }

    private func parsed(_ answer: BlockingHTTPClient.Answer) throws -> JSONValue {
        do throws(JSONError) {
            return try JSONValue(reading: answer.body)
        } catch {
            throw CommandError.report(
                "\(place) does not answer like reachd: the body is not JSON; check --url",
                .protocolFault
            )
        }
    }

    /// Sends a merge patch and takes the answer apart.
    func patch(_ path: String, _ body: [UInt8], accepting: Set<Int> = [200]) throws -> (
        document: JSONValue, answer: BlockingHTTPClient.Answer
    ) {
        let answer: BlockingHTTPClient.Answer
        do throws(HTTPClientError) {
            answer = try firstAnswer { (client) throws(HTTPClientError) in
                try client.patch(path, body: body, limit: Self.bodyLimit)
            }
        } catch {
            throw complain(error)
        }
        guard accepting.contains(answer.status) else { throw complain(answer) }
        return (try parsed(answer), answer)
    }

    /// Reads a stream; what went wrong is the caller's to say.
    func stream(
        _ path: String,
        headers: [String],
        silence: Duration,
        idle: @escaping () -> Void = {},
        take: @escaping ([UInt8]) -> Bool
    ) throws(HTTPClientError) -> BlockingHTTPClient.Answer {
        try firstAnswer { (client) throws(HTTPClientError) in
            try client.stream(path, headers: headers, silence: silence, idle: idle, take: take)
        }
    }

    /// Explains an unexpected answer.
    func complain(_ answer: BlockingHTTPClient.Answer) -> ExitStatus { fault(of: answer).report() }

    /// Explains a missing answer.
    func complain(_ error: HTTPClientError) -> ExitStatus { fault(of: error).report() }

    private func fault(of answer: BlockingHTTPClient.Answer) -> ServiceFault {
        let problem = try? JSONValue(reading: answer.body)
        let title = problem?["detail"]?.text ?? problem?["title"]?.text
        switch answer.status {
        case 401 where askers.first?.authorization != nil:
            return ServiceFault("\(place) rejected the access token; see --token-file", .noPermission)
        case 401:
            return ServiceFault(
                "\(place) requires an access token; pass its file with --token-file or REACHD_TOKEN_FILE",
                .noPermission
            )
        case 403: return ServiceFault("\(place) refused the request: \(title ?? "HTTP 403")", .noPermission)
        case 400, 422:
            let errors = problem?["errors"]?.elements?.prefix(8).compactMap(Self.words) ?? []
            let words = errors.isEmpty ? title ?? "HTTP \(answer.status)" : errors.joined(separator: " ")
            return ServiceFault("\(place) rejected the request: \(words)", .usage)
        case 404 where problem?["type"]?.text?.hasPrefix("urn:reachd:") != true:
            let words = "the server at \(place) is not reachd, or its base_path differs; check --url"
            return ServiceFault(words, .protocolFault)
        case 503 where problem?["type"]?.text == "urn:reachd:problem:fleet_unavailable":
            return ServiceFault(
                "\(place) cannot read the fleet's database: \(title ?? "no reason given") (--scope node)",
                .unavailable
            )
        default:
            return ServiceFault(
                "\(place) answers HTTP \(answer.status)\(title.map { ": \($0)" } ?? "")",
                .protocolFault
            )
        }
    }

    private static func words(_ error: JSONValue) -> String? {
        error["detail"]?.text.map { detail in error["parameter"]?.text.map { "\($0): \(detail)" } ?? detail }
    }

    private func fault(of error: HTTPClientError) -> ServiceFault {
        switch error.code {
        case .unreachable:
            let words =
                "no answer from reachd at \(tried); start it with reachd serve, or pass its address with --url"
            return ServiceFault("\(words) (\(error.detail))", .unavailable)
        case .timeout:
            return ServiceFault(
                "\(place) did not respond in time; increase --timeout (\(error.detail))",
                .unavailable
            )
        case .handshake:
            let words = "TLS with \(place) failed; the server may expect http://"
            return ServiceFault("\(words) (\(error.detail))", .unavailable)
        case .insecure:
            let words = "the certificate of \(place) is not trusted; pass its authority with --cacert"
            return ServiceFault("\(words) (\(error.detail))", .unavailable)
        case .authorities, .credentials:
            return ServiceFault("the file of --cacert contains no usable certificate (\(error.detail))", .usage)
        case .garbled, .tooLarge, .cancelled:
            return ServiceFault("the server at \(place) is not reachd: \(error.detail)", .protocolFault)
        case .invalid: return ServiceFault("invalid address \(place): \(error.detail)", .usage)
        }
    }

    private func firstAnswer(
        _ ask: (BlockingHTTPClient) throws(HTTPClientError) -> BlockingHTTPClient.Answer
    ) throws(HTTPClientError) -> BlockingHTTPClient.Answer {
        while let client = askers.first {
            do throws(HTTPClientError) {
                let answer = try ask(client)
                askers = [client]
                return answer
            } catch {
                guard error.code == .unreachable, askers.count > 1 else { throw error }
                askers.removeFirst()
            }
        }
        throw HTTPClientError(.invalid, "no address to query")
    }
}

extension ServiceClient {
    /// What was meant with an id that no target has, or which there are: the end of a sentence.
    ///
    /// - Throws: ``ExitStatus``, after it said why.
    func hint(near id: String) throws -> String {
        let list = try document("/targets?fields=id&limit=\(Self.pageSize)").document
        let ids = list["targets"]?.elements?.compactMap { $0["id"]?.text } ?? []
        if let near = NearestName.of(id, among: ids) { return "; did you mean \(near)?" }
        guard !ids.isEmpty else { return "; there are no targets" }
        let shown = ids.prefix(8).joined(separator: ", ")
        return "; known: \(shown)" + (ids.count > 8 ? " and \(ids.count - 8) more" : "")
    }

    /// Says on the standard error which of these ids no target has: it may come, or be a slip.
    ///
    /// - Throws: ``ExitStatus``, after it said why.
    func warnOfAbsent(_ ids: [String]) throws {
        for id in ids {
            let answer = try get("/targets/" + URLText.escaped(id), accepting: [200, 400, 404])
            guard answer.status != 200 else { continue }
            let words = "no target \(id) yet\(try hint(near: id))"
            StandardStream.error.write(line: "reachd: \(TerminalText.safe(words))")
        }
    }
}

/// Why a running service gave no answer: in words for people, and what the command ends with.
struct ServiceFault: Error {
    let words: String
    let status: ExitStatus

    init(_ words: String, _ status: ExitStatus) {
        self.words = words
        self.status = status
    }

    /// Says it on the standard error; returns what the command is to end with.
    func report() -> ExitStatus {
        CommandError.report(words, status)
    }
}

/// A query of a URL, put together.
struct URLQuery {
    private var pairs: [String] = []

    mutating func add(_ name: String, _ value: String) {
        pairs.append("\(name)=\(URLText.escaped(value))")
    }

    mutating func add(_ name: String, each values: [String]) {
        for value in values { add(name, value) }
    }

    /// With its question mark; "" for none.
    var text: String { pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&") }
}
