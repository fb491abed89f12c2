// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL

@testable import Fleet

extension SchemaClient {
    /// Applies a document.
    @discardableResult
    func declare(
        _ document: FleetDocument,
        isTrial: Bool = false,
        progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws(FleetDeclarationError) -> FleetDifference {
        try await perform { connection, end in
            FleetDeclarer(document, to: connection, isTrial: isTrial, progress: progress).start(completion: end)
        }.get()
    }

    /// Why a document is not applied; nil when it is.
    func declarationError(
        _ document: FleetDocument,
        progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async -> FleetDeclarationError? {
        do throws(FleetDeclarationError) {
            try await declare(document, progress: progress)
            return nil
        } catch {
            return error
        }
    }

    /// Reads the overview; nil without a fleet.
    func overview() async throws -> FleetOverview? {
        try await perform { $0.ask(FleetOverview.question, completion: $1) }.get()
    }

    /// Drains a node, or ends that.
    func setDraining(_ isDraining: Bool, _ node: String) async throws -> Bool {
        try await perform { $0.ask(FleetOverview.drain(isDraining, node: node), completion: $1) }.get()
    }

    /// A statement's rows, columns separated by spaces; `-` is NULL.
    func table(_ sql: String) async throws -> [String] {
        let rows = try await execute(sql)
        return try (0..<rows.rowCount).map { row in
            try (0..<rows.columnCount).map { try rows.optionalText(row, $0) ?? "-" }.joined(separator: " ")
        }
    }
}
