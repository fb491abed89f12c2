// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO

/// What the engine needs of a resolver; everything on the engine's loop.
protocol NameService: AnyObject {
    /// Asks for a name's addresses; the completion is called once, later, unless the query is cancelled. `early` gets the addresses of
    /// one family, at most once and before it, when those of the other one do not come soon (RFC 8305, section 3).
    func resolve(
        _ name: String,
        early: @escaping (NameAnswer) -> Void,
        completion: @escaping (NameAnswer) -> Void
    ) -> any NameQuery
    /// Takes up a changed resolver configuration; questions in flight are asked anew.
    func reload()
    /// The configured name servers.
    var servers: [ScopedAddress] { get }
    /// Ends it.
    func close()
}

/// A question in flight.
protocol NameQuery {
    /// Forgets it; its completion is not called.
    func cancel()
}

/// What became of a question.
enum NameAnswer {
    /// Addresses, at least one, and for how many seconds they hold; nil is until a file changes.
    case addresses([IPAddress], timeToLive: UInt32?)
    /// The name does not exist or has no address: an answer.
    case nothing(String)
    /// No answer, or one that a server refuses or failed to find: that is its word.
    case failure(String, isServersWord: Bool = false)
    /// This machine could not ask, for want of descriptors or memory: it says nothing of the name.
    case notAsked(String)
}

/// The system's names: the hosts file and the configured name servers, through ``LinuxIO/Resolver``.
final class SystemNameService: NameService {
    private let resolver: Resolver

    init(loop: EventLoop, files: PathEngineOptions.ResolverFiles) throws(ResolverError) {
        resolver = try Resolver(
            loop: loop,
            files: ResolverConfigurationFiles(
                resolvConf: files.configuration,
                hosts: files.hosts,
                nameServiceSwitch: files.nameServiceSwitch
            )
        )
    }

    func resolve(
        _ name: String,
        early: @escaping (NameAnswer) -> Void,
        completion: @escaping (NameAnswer) -> Void
    ) -> any NameQuery {
        let query = resolver.resolve(name, early: { early(NameAnswer($0.outcome)) }) {
            completion(NameAnswer($0.outcome))
        }
        return Query(query: query)
    }

    func reload() {
        // A failure leaves the old servers in use and is asked again with the next change of the files.
        resolver.reload()
    }

    var servers: [ScopedAddress] { resolver.servers }

    func close() {
        resolver.close()
    }

    private struct Query: NameQuery {
        let query: ResolverQuery

        func cancel() {
            query.cancel()
        }
    }
}

extension NameAnswer {
    init(_ outcome: ResolverAnswer.Outcome) {
        switch outcome {
        case .addresses(let addresses):
            let shortest = addresses.map(\.timeToLive).min() ?? 0
            self = .addresses(
                addresses.map(\.address),
                timeToLive: shortest == ResolvedAddress.permanent ? nil : shortest
            )
        case .noSuchName: self = .nothing("no such name")
        case .noData: self = .nothing("the name has no address")
        case .badName: self = .nothing("not a host name")
        case .timedOut: self = .failure("no name server answered in time")
        case .serverFailure: self = .failure("the name servers failed", isServersWord: true)
        case .refused: self = .failure("the name servers refuse to answer", isServersWord: true)
        case .unreachable: self = .failure("no name server can be reached")
        case .exhausted(let error): self = .notAsked(error.description)
        case .failed(let code): self = .failure("the resolver failed with code \(code)")
        }
    }
}
