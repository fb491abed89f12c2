// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO
import Probing

/// Traces the path to one host on an event loop of its own.
enum SingleTrace {
    /// Resolves the host, traces its first address and waits for the result.
    ///
    /// - Parameter template: The request, with any destination.
    static func run(
        _ host: ProbeHost,
        _ family: ProbeFamily,
        _ template: TraceRequest
    ) throws(CheckFailure) -> TraceResult {
        let result: Result<TraceResult, CheckFailure> = try CheckFailure.result { loop, end throws(ResolverError) in
            switch host {
            case .address(let address): trace(address, template, on: loop) { end(.success($0)) }
            case .name(let name):
                let resolver = try Resolver(loop: loop)
                let take: (ResolverAnswer) -> Void = { answer in
                    resolver.close()
                    guard case .addresses(let found) = answer.outcome else {
                        let words = "\(name) cannot be resolved to an address"
                        return end(.failure(CheckFailure(words: words, isName: true)))
                    }
                    guard
                        let address = found.map(\.address).first(where: {
                            family.only == nil || $0.family == family.only
                        })
                    else {
                        return end(.failure(CheckFailure(words: "\(name) has no address of this family", isName: true)))
                    }
                    trace(address, template, on: loop) { end(.success($0)) }
                }
                _ = resolver.resolve(name, family: family.only, early: take, completion: take)
            }
        }
        return try result.get()
    }

    private static func trace(
        _ address: IPAddress,
        _ template: TraceRequest,
        on loop: EventLoop,
        completion: @escaping (TraceResult) -> Void
    ) {
        var request = template
        request.destination = address
        let tracer = Tracer(loop: loop)
        tracer.start(request) { result in
            tracer.close()
            completion(result)
        }
    }
}
