// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
package import LinuxIO
package import Monitoring
package import PostgreSQL
import Synchronization

/// Reads the fleet's database for clients, on a thread and a connection of its own.
package final class FleetReader: Sendable {
    /// Reads a declaration; nil for one that this version cannot read.
    package typealias DeclarationParser = @Sendable (_ text: String) -> TargetSettings?

    /// The fleet's log.
    package let log: FleetLog
    private let loop: EventLoop
    private let link: ThreadConfined<ReadingLink>
    private let declarations: DeclarationCache
    private let present = Mutex<FleetFault?>(nil)
    private let totals = Mutex<[FleetTargetFilter: (version: FleetVersion, count: Int)]>([:])

    /// Starts the thread; nothing is sent before the first question.
    ///
    /// - Parameters:
    ///   - database: how to connect.
    ///   - isListening: whether the database's notifications reach the connection.
    ///   - seen: takes what was read of the log.
    ///   - parse: reads a declaration, on the reader's thread.
    /// - Throws: ``SystemError`` when a descriptor or the thread cannot be created.
    package init(
        database: DatabaseSettings,
        isListening: Bool = true,
        seen: SeenLog = SeenLog(),
        parse: @escaping DeclarationParser
    ) throws(SystemError) {
        let loop = try EventLoop(name: "reachd-fleet-read", clock: SystemBootClock())
        self.loop = loop
        let made = loop.executeAndWait { () -> Result<ThreadConfined<ReadingLink>, SystemError> in
            do throws(ResolverError) {
                let resolver = try Resolver(loop: loop)
                let link = ReadingLink(
                    loop: loop,
                    makeConnection: { DatabaseConnection(loop: loop, resolver: resolver, settings: database) }
                )
                return .success(ThreadConfined(link, to: loop))
            } catch {
                return .failure(SystemError(code: ENOMEM, operation: "c-ares"))
            }
        }
        switch made {
        case .success(let link)?: self.link = link
        case .failure(let error)?:
            loop.close()
            throw error
        case nil: throw SystemError(code: ESHUTDOWN, operation: "reachd-fleet-read")
        }
        declarations = DeclarationCache(parse)
        let follower = loop.executeAndWait { [link] in
            ThreadConfined(LogFollower(loop: loop, link: link.value, seen: seen, isListening: isListening), to: loop)
        }
        guard let follower else { throw SystemError(code: ESHUTDOWN, operation: "reachd-fleet-read") }
        log = FleetLog(loop: loop, follower: follower)
        _ = loop.executeAndWait { [self] in
            follower.value.log = log
            link.value.faultChanged = { [weak self] in
                guard let self else { return }
                let fault = link.value.fault
                present.withLock { $0 = fault }
            }
        }
    }

    /// Why the database could not be read last; nil when it could, or was not yet.
    package var fault: FleetFault? { present.withLock { $0 } }

    /// Asks the database. Any thread.
    ///
    /// - Parameter completion: called once, on the reader's thread; at once with `closed` after ``close()``.
    package func ask<Answer>(
        _ question: FleetQuestion<Answer>,
        completion: @escaping @Sendable (Result<Answer, FleetFault>) -> Void
    ) {
        let isAccepted = loop.execute { [link] in
            link.value.execute(question.statement, question.parameters) { result in
                completion(
                    result.flatMap { rows in
                        Result { () throws(DatabaseError) in try question.read(rows) }.mapError { FleetFault($0) }
                    }
                )
            }
        }
        if !isAccepted { completion(.failure(FleetFault(DatabaseError(.closed, "the node stops")))) }
    }

    /// Reads a page of targets, with the number of all that match when it is wanted; that number is counted again only after a change.
    package func targets(
        _ filter: FleetTargetFilter,
        after ordinal: UInt64,
        limit: Int,
        isCounted: Bool,
        completion: @escaping @Sendable (Result<FleetTargetPage, FleetFault>) -> Void
    ) {
        ask(FleetTargetPage.question(filter, after: ordinal, limit: limit, declarations)) { [self] result in
            guard isCounted, case .success(var page) = result else { return completion(result) }
            if let known = totals.withLock({ $0[filter] }), filter.hasSameMatches(known.version, page.version) {
                page.total = known.count
                return completion(.success(page))
            }
            ask(filter.count) { [self, page] result in
                switch result {
                case .failure(let fault): completion(.failure(fault))
                case .success(let count):
                    totals.withLock { totals in
                        if totals.count >= Self.maximumTotals { totals = [:] }
                        totals[filter] = (page.version, count)
                    }
                    var page = page
                    page.total = count
                    completion(.success(page))
                }
            }
        }
    }

    /// Reads a target; nil for an unknown id.
    package func target(
        _ id: String,
        completion: @escaping @Sendable (Result<FleetTarget?, FleetFault>) -> Void
    ) {
        var filter = FleetTargetFilter()
        filter.ids = [id]
        ask(FleetTargetPage.question(filter, after: 0, limit: 1, declarations)) { result in
            completion(result.map(\.targets.first))
        }
    }

    /// Stores a person's change of an incident, and waits for the coordinator for two seconds at most.
    ///
    /// - Parameter completion: called once, on the reader's thread, with whether the coordinator has taken it; nil when there is no such
    ///   incident.
    package func edit(
        _ incident: String,
        _ edit: IncidentEdit,
        completion: @escaping @Sendable (Result<Bool?, FleetFault>) -> Void
    ) {
        ask(FleetIncidents.edit(incident, edit)) { [self] result in
            guard case .success(let number?) = result else { return completion(result.map { _ in nil }) }
            wait(for: number, attempts: Self.editAttempts, completion)
        }
    }

    private func wait(
        for edit: Int64,
        attempts: Int,
        _ completion: @escaping @Sendable (Result<Bool?, FleetFault>) -> Void
    ) {
        ask(FleetIncidents.isTaken(edit)) { [self] result in
            guard case .success(false) = result, attempts > 0 else { return completion(result.map(Optional.some)) }
            _ = loop.schedule(after: Self.editInterval) { [self] in
                wait(for: edit, attempts: attempts - 1, completion)
            }
        }
    }

    /// Reads a declaration; nil for one that this version cannot read. Any thread.
    func settings(of declaration: String) -> TargetSettings? { declarations.parse(declaration) }

    /// Closes the connection and ends the thread. Any thread but the reader's.
    package func close() {
        _ = loop.executeAndWait { [link, log] in
            log.end()
            link.value.close()
        }
        loop.close()
    }

    private static let maximumTotals = 64
    /// How often, and how often at most, it is looked whether the coordinator has taken a change; in nanoseconds.
    private static let editInterval: UInt64 = 25_000_000
    private static let editAttempts = 80
}

/// Which declaration of a target was read: a restored database may repeat a version under another epoch.
struct DeclarationVersion: Sendable, Hashable {
    let epoch: String
    let version: Int64
}

/// The newest declarations as they were read: a list is read again and again, and rarely changes.
final class DeclarationCache: Sendable {
    private static let limit = 20_000

    let parse: FleetReader.DeclarationParser
    private let known = Mutex<[String: (version: DeclarationVersion, settings: TargetSettings?)]>([:])

    init(_ parse: @escaping FleetReader.DeclarationParser) {
        self.parse = parse
    }

    /// The settings of a target; nil when its declaration cannot be read.
    func settings(of id: String, version: DeclarationVersion, _ text: String) -> TargetSettings? {
        if let entry = known.withLock({ $0[id] }), entry.version == version { return entry.settings }
        let settings = parse(text)
        known.withLock { known in
            if known.count >= Self.limit { known = [:] }
            known[id] = (version, settings)
        }
        return settings
    }
}
