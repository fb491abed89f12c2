// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Probing
import ReachAPI
import ServerTrust

/// One handshake with a server, for its certificates; nothing is said after it.
final class TrustHandshake: Sendable {
    /// Why there is no certificate to evaluate.
    struct Failure: Error {
        let words: String
    }

    private let request: ProbeRequest
    private let time: Int64

    /// - Parameter time: When the certificates are judged, in seconds since 1970.
    init(_ request: ProbeRequest, at time: Int64) {
        self.request = request
        self.time = time
    }

    /// Runs to the end.
    func run() throws(Failure) -> TrustListing.Handshake {
        let result = try probe()
        // Addresses may show different certificates: whichever was asked first and showed any is judged.
        if let answer = result.addresses.first(where: { $0.tls != nil }), let report = answer.tls {
            let failure = report.trust.isAccepted && answer.outcome == .failure ? answer.reason : nil
            // Anybody can show certificates; only the end of the handshake proves that the server has the key. It may still
            // ask for one of ours thereafter, and refuse.
            if failure != nil, answer.phases[.tls] == nil {
                throw Failure(
                    words: "the certificates are accepted, but the server did not prove that it has their key: "
                        + answer.detail
                )
            }
            return TrustListing.Handshake(
                report: report,
                address: answer.address,
                duration: answer.duration,
                failure: failure,
                detail: failure == nil ? "" : answer.detail
            )
        }
        let reason = result.reason.map { " (\($0.rawValue))" } ?? ""
        throw Failure(words: "no certificate to evaluate: \(Self.phase(of: result)) failed: \(result.detail)\(reason)")
    }

    /// What the run did not get through.
    private static func phase(of result: ProbeResult) -> String {
        guard let address = result.address else {
            return result.reason?.rawValue.hasPrefix("name_") == true ? "name resolution" : "the probe"
        }
        return switch result.reason {
        case .tlsFilesUnreadable: "reading the files"
        case .startTLSRefused: "STARTTLS with \(address)"
        default:
            result.phases[.connect] == nil ? "the connection to \(address)" : "the handshake with \(address)"
        }
    }

    private func probe() throws(Failure) -> ProbeResult {
        do throws(CheckFailure) {
            return try SingleProbe.run(request, at: time)
        } catch {
            throw Failure(words: error.words)
        }
    }
}
