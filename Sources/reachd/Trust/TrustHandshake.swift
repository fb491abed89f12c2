// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Probing
import ReachAPI
import ServerTrust
import Synchronization

/// One handshake with a server, for its certificates; nothing is said after it.
final class TrustHandshake: Sendable {
    /// Why there is no certificate to judge.
    struct Failure: Error {
        let words: String
    }

    private let request: ProbeRequest
    private let time: Int64
    private let answer = Mutex<ProbeResult?>(nil)
    private let completion = Semaphore()

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
                    words: "the certificates are accepted, but the server did not prove that they are its own: "
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
        throw Failure(words: "no certificate to judge: \(Self.phase(of: result)) failed: \(result.detail)\(reason)")
    }

    /// What the run did not get through.
    private static func phase(of result: ProbeResult) -> String {
        guard let address = result.address else {
            return result.reason?.rawValue.hasPrefix("name_") == true ? "the look-up of the name" : "the run"
        }
        return switch result.reason {
        case .tlsFilesUnreadable: "the reading of the files"
        case .startTLSRefused: "STARTTLS with \(address)"
        default:
            result.phases[.connect] == nil ? "the connection to \(address)" : "the handshake with \(address)"
        }
    }

    private func probe() throws(Failure) -> ProbeResult {
        let loop: EventLoop
        do throws(SystemError) {
            loop = try EventLoop(name: "reachd-trust")
        } catch {
            throw Failure(words: error.description)
        }
        defer { loop.close() }
        let problem = loop.executeAndWait { [self] () -> ResolverError? in
            do throws(ResolverError) {
                try start(on: loop)
                return nil
            } catch {
                return error
            }
        }
        if let problem, let problem { throw Failure(words: problem.description) }
        completion.wait()
        guard let result = answer.withLock({ $0 }) else { throw Failure(words: "the handshake was cancelled") }
        return result
    }

    private func start(on loop: EventLoop) throws(ResolverError) {
        let resolver = try Resolver(loop: loop)
        let runner = ProbeRunner(loop: loop, resolver: resolver) { [time] in time }
        // The run keeps both until its end.
        runner.start(request) { [self] result in
            runner.close()
            resolver.close()
            answer.withLock { $0 = result }
            completion.post()
        }
    }
}
