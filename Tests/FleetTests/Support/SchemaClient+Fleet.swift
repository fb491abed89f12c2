// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import MonitoringTestSupport
import PostgreSQL

@testable import Fleet

extension SchemaClient {
    /// Applies a document.
    @discardableResult
    func declare(
        _ document: FleetDocument,
        isTrial: Bool = false,
        isForced: Bool = false,
        progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws(FleetDeclarationError) -> FleetDifference {
        var options = FleetDeclarer.Options()
        (options.isTrial, options.isForced, options.host) = (isTrial, isForced, "test-host")
        return try await perform { [options] connection, end in
            FleetDeclarer(
                document,
                to: connection,
                options,
                settings: { .address($0.id) },
                progress: progress
            ).start(completion: end)
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

extension FleetDocument {
    /// A document with a digest of its content.
    init(
        source: String,
        version: Int64? = nil,
        settings: FleetSettings? = nil,
        declarations: [FleetDeclaration]
    ) {
        self.init(
            source: source,
            version: version,
            digest: "\(settings?.text ?? "") \(declarations.map { "\($0.id) \($0.text)" })",
            settings: settings,
            declarations: declarations
        )
    }
}
