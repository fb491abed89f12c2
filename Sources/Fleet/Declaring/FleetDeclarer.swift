// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
package import PostgreSQL

/// Applies a document to the fleet's database: reads what is declared, compares, and writes the difference in one statement. On one
/// event loop's thread.
package final class FleetDeclarer {
    /// The largest number of targets of one document: the write locks the log's head, which every event needs, for about 50 µs each.
    package static let maximumTargets = 100_000

    /// The time for a statement with as many targets.
    private static let timeout = Duration.seconds(120)
    private static let pageLength: Int64 = 5_000

    private let database: DatabaseConnection
    private let document: FleetDocument
    private let isTrial: Bool
    private let progress: (Int) -> Void
    private var stored: [String: FleetDeclaration] = [:]
    private var sources: [String: String] = [:]
    private var version: Int64 = 0
    private var storedSettings = ""
    private var completion: ((Result<FleetDifference, FleetDeclarationError>) -> Void)?

    /// Prepares an application.
    ///
    /// - Parameters:
    ///   - document: what to declare.
    ///   - database: an open connection, used by nothing else meanwhile.
    ///   - isTrial: whether only the difference is determined.
    ///   - progress: called with the number of stored targets read so far.
    package init(
        _ document: FleetDocument,
        to database: DatabaseConnection,
        isTrial: Bool,
        progress: @escaping (Int) -> Void = { _ in }
    ) {
        self.document = document
        self.database = database
        self.isTrial = isTrial
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
            run(DeclarationStatements.head, []) { [self] rows throws(DatabaseError) in
                guard rows.rowCount == 1 else { return finish(.failure(.notInitialized)) }
                (version, storedSettings) = (try rows.integer(0, 0), try rows.text(0, 1))
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
        difference.changesSettings = document.settings.map { $0 != FleetSettings(text: storedSettings) } ?? false
        let count = sources.count + difference.added.count - difference.removed.count
        let maximum = (document.settings ?? FleetSettings(text: storedSettings)).maximumTargets
        guard count <= maximum || difference.added.isEmpty else {
            return finish(.failure(.tooManyInFleet(count, maximum)))
        }
        guard difference.conflicts.isEmpty, !difference.isEmpty, !isTrial else { return finish(.success(difference)) }
        writePlacements(difference)
    }

    // MARK: Writing

    private func writePlacements(_ difference: FleetDifference) {
        let changed = Set(difference.added + difference.updated)
        var change = DeclarationChange(source: document.source, version: version)
        change.declarations = document.declarations.filter { changed.contains($0.id) }
        change.removed = difference.removed
        if difference.changesSettings { change.settings = document.settings }
        let placements = change.placements
        ask(DeclarationChange.add(placements)) { [self, change] numbers in
            guard placements.allSatisfy({ numbers[$0] != nil }) else { return finish(.failure(.tooManyPlacements)) }
            ask(change.write(numbers)) { [self] isWritten in
                finish(isWritten ? .success(difference) : .failure(.outdated))
            }
        }
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

/// Why a document was not applied; nothing of it was.
package enum FleetDeclarationError: Error, Sendable, Hashable {
    /// The database has no fleet.
    case notInitialized
    /// The document has more targets than ``FleetDeclarer/maximumTargets``.
    case tooMany(Int)
    /// The fleet would have more targets than its settings allow.
    case tooManyInFleet(Int, Int)
    /// The fleet would have too many different placements.
    case tooManyPlacements
    /// Another process applied a document at the same time.
    case outdated
    /// The database failed.
    case database(DatabaseError)

    /// What happened and what to do, in words.
    package var words: String {
        switch self {
        case .notInitialized: "the database has no fleet: run reachd fleet init"
        case .tooMany(let count): "there are \(count) targets, more than \(FleetDeclarer.maximumTargets)"
        case .tooManyInFleet(let count, let maximum):
            "the fleet would have \(count) targets, and its setting max_targets allows \(maximum)"
        case .tooManyPlacements:
            "the targets need more than \(Placement.maximumCount) different values of watch, with those of all earlier targets"
        case .outdated: "the fleet's declarations were changed at the same time; run the command again"
        case .database(let error): error.description
        }
    }
}
