// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Schema

/// Everything that is wrong with a configuration, in the order of the text.
package struct ConfigurationDiagnostics: Error, Sendable, Hashable {
    /// The faults, at least one.
    package let diagnostics: [ConfigurationDiagnostic]

    /// Collects faults.
    package init(_ diagnostics: [ConfigurationDiagnostic]) {
        self.diagnostics = diagnostics
    }
}

extension ConfigurationDiagnostics: CustomStringConvertible {
    /// One fault per line.
    package var description: String {
        diagnostics.map(\.description).joined(separator: "\n")
    }
}

/// Collects faults while reading continues; bounded, since a file may be wrong in every line.
struct DiagnosticCollector {
    /// The maximum number of listed faults.
    static let maximum = 1_000

    private(set) var diagnostics: [ConfigurationDiagnostic] = []
    private(set) var suppressed = 0

    mutating func add(_ diagnostic: ConfigurationDiagnostic) {
        guard diagnostics.count < Self.maximum else {
            suppressed += 1
            return
        }
        diagnostics.append(diagnostic)
    }

    /// The faults in the order of the text, by file, those without a position last; nil when there are none.
    ///
    /// - Parameter path: The file whose faults come first.
    func result(path: String) -> ConfigurationDiagnostics? {
        guard !diagnostics.isEmpty else { return nil }
        // The sort is stable, so faults at one position stay in the order of their discovery.
        var sorted = diagnostics.sorted { left, right in
            switch (left.place, right.place) {
            case (.file(let leftPath, let left?), .file(let rightPath, let right?)):
                leftPath == rightPath
                    ? (left.line, left.column) < (right.line, right.column)
                    : rightPath != path && (leftPath == path || leftPath < rightPath)
            case (.file, .file): false
            case (.file, _): true
            default: false
            }
        }
        if suppressed > 0 {
            sorted.append(.init(.tooManyFaults, at: .file(path, nil), "\(suppressed) more faults are not shown"))
        }
        return ConfigurationDiagnostics(sorted)
    }
}
