// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO
import Probing
import Synchronization

/// Traces the path to one host on an event loop of its own, and waits for the result.
final class SingleTrace: Sendable {
    /// Why there is no result.
    struct Failure: Error {
        let words: String
        /// Whether the name has no usable address.
        var isName = false
    }

    private let host: ProbeHost
    private let family: ProbeFamily
    private let template: TraceRequest
    private let outcome = Mutex<Result<TraceResult, Failure>?>(nil)
    private let completion = Semaphore()

    private init(_ host: ProbeHost, _ family: ProbeFamily, _ template: TraceRequest) {
        self.host = host
        self.family = family
        self.template = template
    }

    /// Resolves the host and traces its first address.
    ///
    /// - Parameter template: The request, with any destination.
    static func run(
        _ host: ProbeHost,
        _ family: ProbeFamily,
        _ template: TraceRequest
    ) throws(Failure) -> TraceResult {
        try SingleTrace(host, family, template).result()
    }

    private func result() throws(Failure) -> TraceResult {
        let loop: EventLoop
        do throws(SystemError) {
            loop = try EventLoop(name: "reachd-trace")
        } catch {
            throw Failure(words: error.description)
        }
        defer { loop.close() }
        loop.execute { [self] in
            do throws(ResolverError) {
                try start(on: loop)
            } catch {
                end(.failure(Failure(words: error.description)))
            }
        }
        completion.wait()
        guard let outcome = outcome.withLock({ $0 }) else { throw Failure(words: "the trace was cancelled") }
        return try outcome.get()
    }

    private func start(on loop: EventLoop) throws(ResolverError) {
        switch host {
        case .address(let address): trace(address, on: loop)
        case .name(let name):
            let resolver = try Resolver(loop: loop)
            _ = resolver.resolve(name) { [self] answer in
                resolver.close()
                guard case .addresses(let found) = answer.outcome else {
                    return end(.failure(Failure(words: "\(name) cannot be resolved to an address", isName: true)))
                }
                guard let address = found.map(\.address).first(where: { family.allows($0.family) }) else {
                    return end(.failure(Failure(words: "\(name) has no address of this family", isName: true)))
                }
                trace(address, on: loop)
            }
        }
    }

    private func trace(_ address: IPAddress, on loop: EventLoop) {
        var request = template
        request.destination = address
        let tracer = Tracer(loop: loop)
        tracer.start(request) { [self] result in
            tracer.close()
            end(.success(result))
        }
    }

    private func end(_ result: Result<TraceResult, Failure>) {
        outcome.withLock { $0 = result }
        completion.post()
    }
}

extension ProbeFamily {
    /// Whether an address of a family may be used.
    fileprivate func allows(_ family: AddressFamily) -> Bool {
        switch self {
        case .any, .both: true
        case .ipv4: family == .ipv4
        case .ipv6: family == .ipv6
        }
    }
}
