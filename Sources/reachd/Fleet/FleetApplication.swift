// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Fleet
import LinuxIO
import PostgreSQL

/// A file that is applied to a fleet's database.
struct FleetApplication: Sendable {
    let file: String
    let database: DatabaseSettings
    var options = FleetDeclarer.Options()

    /// Applies a document. On the loop's thread.
    ///
    /// - Parameter completion: Called once, perhaps from inside this call.
    func apply(
        _ document: FleetDocument,
        on loop: EventLoop,
        completion: @escaping (Result<FleetDifference, FleetDeclarationError>) -> Void
    ) {
        let options = options
        FleetConsole.use(database, for: .write, on: loop) { database, end in
            let declarer = FleetDeclarer(document, to: database, options) { FleetTargets.settings($0.text) }
            declarer.start { end(.success($0)) }
        } completion: { (result: Result<Result<FleetDifference, FleetDeclarationError>, FleetConsole.Failure>) in
            switch result {
            case .success(let result): completion(result)
            case .failure(.database(let error)): completion(.failure(.database(error)))
            case .failure(.schema(let problem)): completion(.failure(.schema(problem)))
            }
        }
    }

    /// What prevented an application, a line each.
    func lines(_ conflicts: [String: String]) -> [String] {
        conflicts.sorted { $0.key < $1.key }.map { id, source in
            let words =
                source.isEmpty
                ? "the target \(id) was added over HTTP" : "the source \(source) declares the target \(id) already"
            return "\(file): \(words) [conflict]"
        }
    }

    /// What prevented an application, with its code.
    static func words(_ error: FleetDeclarationError) -> String {
        if case .database(let error) = error { return "\(FleetConsole.Failure.database(error))" }
        return "\(error.words) [\(error.code)]"
    }

    /// How many targets changed.
    static func counts(_ difference: FleetDifference, _ document: FleetDocument) -> String {
        "\(difference.added.count) added, \(difference.updated.count) changed, \(difference.removed.count) removed, "
            + "\(document.declarations.count) in all"
    }
}
