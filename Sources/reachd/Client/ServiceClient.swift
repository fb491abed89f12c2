// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Asking
import Configuration
import JSON
import Schema

/// Asks a running service, and says for people why there is no answer.
final class ServiceClient {
    /// The most bytes of a body.
    static let bodyLimit = 64 << 20
    /// The most of a list that is asked for at once.
    static let pageSize = 10_000

    private var askers: [Asker]
    /// All places, for who finds nobody.
    private let tried: String

    /// - Parameter askers: Where it may be; the first that takes the connection counts.
    init(_ askers: [Asker]) {
        self.askers = askers
        tried = askers.map { "\($0.place)" }.joined(separator: ", ")
    }

    /// Where it is.
    var place: String { askers.first.map { "\($0.place)" } ?? "" }

    /// Gets a body.
    ///
    /// - Parameter accepting: Statuses that are an answer.
    /// - Throws: ``ExitStatus``, after it said why.
    func get(_ path: String, accepting: Set<Int> = [200]) throws -> Asker.Answer {
        do throws(ServiceFault) {
            return try ask(path, accepting: accepting)
        } catch {
            throw error.tell()
        }
    }

    /// The same, for who says why in another way.
    func ask(_ path: String, accepting: Set<Int>) throws(ServiceFault) -> Asker.Answer {
        let answer: Asker.Answer
        do throws(AskingError) {
            answer = try firstAnswer { (asker) throws(AskingError) in try asker.get(path, limit: Self.bodyLimit) }
        } catch {
            throw fault(of: error)
        }
        guard accepting.contains(answer.status) else { throw fault(of: answer) }
        return answer
    }

    /// Gets a body and takes it apart.
    func document(_ path: String, accepting: Set<Int> = [200]) throws -> (document: JSONValue, answer: Asker.Answer) {
        let answer = try get(path, accepting: accepting)
        do throws(JSONError) {
            return (try JSONValue(reading: answer.body), answer)
        } catch {
            throw Complaint.tell("what \(place) answers is not reachd's: it is no JSON", .protocolFault)
        }
    }

    /// Reads a stream; what went wrong is the caller's to say.
    func stream(
        _ path: String,
        headers: [String],
        silence: Duration,
        idle: @escaping () -> Void = {},
        take: @escaping ([UInt8]) -> Bool
    ) throws(AskingError) -> Asker.Answer {
        try firstAnswer { (asker) throws(AskingError) in
            try asker.stream(path, headers: headers, silence: silence, idle: idle, take: take)
        }
    }

    /// Says what an answer that is none means.
    func complain(_ answer: Asker.Answer) -> ExitStatus { fault(of: answer).tell() }

    /// Says why nobody answered.
    func complain(_ error: AskingError) -> ExitStatus { fault(of: error).tell() }

    private func fault(of answer: Asker.Answer) -> ServiceFault {
        let problem = try? JSONValue(reading: answer.body)
        let title = problem?["detail"]?.text ?? problem?["title"]?.text
        switch answer.status {
        case 401 where askers.first?.token != nil:
            return ServiceFault("\(place) does not know the token that was shown", .noPermission)
        case 401:
            return ServiceFault(
                "\(place) wants a token: name its file with --token-file or REACHD_TOKEN_FILE",
                .noPermission
            )
        case 403: return ServiceFault("\(place) does not allow it: \(title ?? "HTTP 403")", .noPermission)
        case 400, 422:
            let errors = problem?["errors"]?.elements?.prefix(8).compactMap(Self.words) ?? []
            let words = errors.isEmpty ? title ?? "HTTP \(answer.status)" : errors.joined(separator: " ")
            return ServiceFault("\(place) does not take the question: \(words)", .usage)
        case 404 where problem?["type"]?.text?.hasPrefix("urn:reachd:") != true:
            let words = "what answers at \(place) is not reachd, or its routes are below another path (base_path)"
            return ServiceFault(words, .protocolFault)
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

    private func fault(of error: AskingError) -> ServiceFault {
        switch error.code {
        case .unreachable:
            let words =
                "no reachd answers at \(tried): is it running? Start it with reachd serve, or name another address with --url"
            return ServiceFault("\(words) (\(error.detail))", .unavailable)
        case .timeout:
            return ServiceFault(
                "\(place) does not answer in time; give it longer with --timeout (\(error.detail))",
                .unavailable
            )
        case .handshake:
            let words = "no TLS with \(place): is it http:// that is spoken there?"
            return ServiceFault("\(words) (\(error.detail))", .unavailable)
        case .insecure:
            let words = "the certificate of \(place) is not trusted; name its authority with --cacert"
            return ServiceFault("\(words) (\(error.detail))", .unavailable)
        case .authorities:
            return ServiceFault("the file of --cacert holds no certificate that can be used (\(error.detail))", .usage)
        case .garbled, .tooLarge:
            return ServiceFault("what answers at \(place) is not reachd: \(error.detail)", .protocolFault)
        case .invalid: return ServiceFault("\(place) cannot be asked: \(error.detail)", .usage)
        }
    }

    private func firstAnswer(
        _ ask: (Asker) throws(AskingError) -> Asker.Answer
    ) throws(AskingError) -> Asker.Answer {
        while let asker = askers.first {
            do throws(AskingError) {
                let answer = try ask(asker)
                askers = [asker]
                return answer
            } catch {
                guard error.code == .unreachable, askers.count > 1 else { throw error }
                askers.removeFirst()
            }
        }
        throw AskingError(.invalid, "there is nobody to ask")
    }
}
