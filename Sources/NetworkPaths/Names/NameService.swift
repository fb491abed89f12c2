// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What the engine needs of a resolver; everything on the engine's loop.
protocol NameService: AnyObject {
    /// Asks for a name's addresses; the completion is called once, later, unless the query is cancelled.
    func resolve(_ name: String, completion: @escaping (NameAnswer) -> Void) -> any NameQuery
    /// Takes up a changed resolver configuration.
    func reload()
    /// The configured name servers.
    var servers: [IPAddress] { get }
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
    /// No answer: a time-out, a refusal, a server's failure.
    case failure(String)
}
