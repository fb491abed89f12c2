// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
package import Monitoring
package import PostgreSQL

/// Applies a document to the fleet's database: reads what is declared, compares, and writes the difference in one statement. On one
/// event loop's thread.
package final class FleetDeclarer {
    /// The largest number of targets of one document: the write locks the log's head, which every event needs, for about 50 µs each.
    package static let maximumTargets = 100_000

    /// The time for a statement with as many targets.
    private static let timeout = Duration.seconds(120)
    private static let pageLength: Int64 = 5_000

    /// How many targets can change with an event for each. Above that, only removed ones have events, which end the problems that
    /// receivers of notifications know of.
    package static let maximumEvents = 10_000

    /// How many parents and dependents a refusal names.
    private static let namedLimit = 10

    private let database: DatabaseConnection
    private let document: FleetDocument
    private let options: Options
    private let settings: (FleetDeclaration) -> TargetSettings?
    private let progress: (Int) -> Void
    private var stored: [String: FleetDeclaration] = [:]
    private var sources: [String: String] = [:]
    private var version: Int64 = 0
    private var storedSettings = FleetSettings()
    private var previous: FleetSource?
    private var completion: ((Result<FleetDifference, FleetDeclarationError>) -> Void)?

    /// How a document is applied.
    package struct Options: Sendable {
        /// Only the difference is determined.
        package var isTrial = false
        /// A stored version does not matter.
        package var isForced = false
        /// The host that is stored with the document.
        package var host = MachineName.current

        /// Creates the defaults.
        package init() {}
    }

    /// Prepares an application.
    ///
    /// - Parameters:
    ///   - document: what to declare.
    ///   - database: an open connection, used by nothing else meanwhile.
    ///   - options: how to declare it.
    ///   - settings: reads a declaration as nodes do, for events; nil for one that cannot be read.
    ///   - progress: called with the number of stored targets read so far.
    package init(
        _ document: FleetDocument,
        to database: DatabaseConnection,
        _ options: Options,
        settings: @escaping (FleetDeclaration) -> TargetSettings?,
        progress: @escaping (Int) -> Void = { _ in }
    ) {
        self.document = document
        self.database = database
        self.options = options
        self.settings = settings
        self.progress = progress
    }

    /// Starts; once.
    ///
    /// - Parameter completion: Called once with the difference, which has been written unless there are conflicts or it is a trial.
    package func start(completion: @escaping (Result<FleetDifference, FleetDeclarationError>) -> Void) {
        self.completion = completion
        guard document.declarations.count <= Self.maximumTargets else {
            return finish(.failure(.tooMany(document.declarations.count)))
        }
        // The role limits statements to less; a pooler in transaction mode may ignore this, and a large document fails there.
        run(Statement("SELECT set_config('statement_timeout', '120s', false)", name: "time limit"), []) { [self] _ in
            run(DeclarationStatements.head, [.text(document.source)]) { [self] rows throws(DatabaseError) in
                guard rows.rowCount == 1 else { return finish(.failure(.notInitialized)) }
                version = try rows.count(0, 0)
                storedSettings = FleetSettings(text: try rows.text(0, 1))
                previous = try FleetSource(rows, 0, 2)
                readPage(after: "")
            }
        }
    }

    private func readPage(after id: String) {
        run(DeclarationStatements.page, [.text(id), .integer(Self.pageLength)]) { [self] rows throws(DatabaseError) in
            for row in 0..<rows.rowCount {
                let id = try rows.text(row, 0)
                sources[id] = try rows.optionalText(row, 1) ?? ""
                stored[id] = try FleetDeclaration(rows, row)
            }
            progress(stored.count)
            guard rows.rowCount == Int(Self.pageLength) else { return compare() }
            readPage(after: try rows.text(rows.rowCount - 1, 0))
        }
    }

    // MARK: Comparing

    private func compare() {
        var difference = FleetDifference()
        difference.previous = previous
        for declaration in document.declarations {
            guard let source = sources[declaration.id] else {
                difference.added.append(declaration.id)
                continue
            }
            if source != document.source {
                difference.conflicts[declaration.id] = source
            } else if stored[declaration.id] != declaration {
                difference.updated.append(declaration.id)
            }
        }
        let present = Set(document.declarations.map(\.id))
        difference.removed = sources.filter { $0.value == document.source && !present.contains($0.key) }.keys.sorted()
        difference.settings = document.settings?.changes(from: storedSettings) ?? []
        if let error = refusal(difference) { return finish(.failure(error)) }
        let isRecorded = previous.map { ($0.version, $0.digest) == (document.version, document.digest) } ?? false
        guard difference.conflicts.isEmpty, !(difference.isEmpty && isRecorded), !options.isTrial else {
            return finish(.success(difference))
        }
        writePlacements(difference)
    }

    /// Those of some targets that targets of other sources depend on, with their dependents; ``namedLimit`` of each at most.
    private func parentsInUse(_ removed: [String]) -> [String: [String]] {
        guard !removed.isEmpty else { return [:] }
        let removed = Set(removed)
        let dependents = stored.filter { id, declaration in
            sources[id] != document.source && declaration.parents.contains(where: removed.contains)
        }
        var found: [String: [String]] = [:]
        for (id, declaration) in dependents.sorted(by: { $0.key < $1.key }) {
            for parent in declaration.parents where removed.contains(parent) {
                guard found[parent] != nil || found.count < Self.namedLimit else { continue }
                if found[parent, default: []].count < Self.namedLimit { found[parent, default: []].append(id) }
            }
        }
        return found
    }

    private func refusal(_ difference: FleetDifference) -> FleetDeclarationError? {
        let parents = parentsInUse(difference.removed)
        guard parents.isEmpty else { return .parentsInUse(parents) }
        if !options.isForced, let previous, let storedVersion = previous.version {
            guard let version = document.version else { return .versionMissing(document.source, stored: previous) }
            if version < storedVersion { return .versionOlder(document.source, version, stored: previous) }
            // Without a difference another digest is of no interest: it may be that of another version of reachd.
            if version == storedVersion, previous.digest != document.digest, !difference.isEmpty {
                return .versionReused(document.source, stored: previous)
            }
        }
        let count = sources.count + difference.added.count - difference.removed.count
        let maximum = (document.settings ?? storedSettings).maximumTargets
        return count > maximum && !difference.added.isEmpty ? .tooManyInFleet(count, maximum) : nil
    }

    // MARK: Writing

    private func writePlacements(_ difference: FleetDifference) {
        let changed = Set(difference.added + difference.updated)
        var change = DeclarationChange(
            source: DeclarationChange.Source(
                name: document.source,
                version: document.version,
                digest: document.digest,
                host: options.host
            ),
            version: version
        )
        change.declarations = document.declarations.filter { changed.contains($0.id) }
        change.removed = difference.removed
        if !difference.settings.isEmpty { change.settings = document.settings }
        change.events = events(difference, change.declarations)
        let placements = change.placements
        ask(DeclarationChange.add(placements)) { [self, change] numbers in
            guard placements.allSatisfy({ numbers[$0] != nil }) else { return finish(.failure(.tooManyPlacements)) }
            ask(change.write(numbers)) { [self] isWritten in
                finish(isWritten ? .success(difference) : .failure(.outdated))
            }
        }
    }

    private func events(_ difference: FleetDifference, _ changed: [FleetDeclaration]) -> [DeclarationEvent] {
        let isListed = difference.count <= Self.maximumEvents
        func event(_ action: TargetAction, _ declaration: FleetDeclaration) -> DeclarationEvent {
            DeclarationEvent(action, declaration, isListed ? settings(declaration) : nil, origin: .fleet)
        }
        let removed = difference.removed.map { id in
            event(.removed, stored[id] ?? FleetDeclaration(id: id, placement: .single, text: "", interval: .zero))
        }
        let listed = isListed ? changed.map { event(sources[$0.id] == nil ? .added : .updated, $0) } : []
        return removed + listed + [DeclarationEvent(document, difference, isListed: isListed)]
    }

    private func ask<Answer>(_ question: FleetQuestion<Answer>, then next: @escaping (Answer) -> Void) {
        run(question.statement, question.parameters) { rows throws(DatabaseError) in next(try question.read(rows)) }
    }

    private func run(
        _ statement: Statement,
        _ parameters: [DatabaseValue],
        then next: @escaping (DatabaseRows) throws(DatabaseError) -> Void
    ) {
        database.execute(statement, parameters, within: Self.timeout) { [self] result in
            do throws(DatabaseError) {
                try next(try result.get())
            } catch {
                finish(.failure(.database(error)))
            }
        }
    }

    private func finish(_ result: Result<FleetDifference, FleetDeclarationError>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }
}
