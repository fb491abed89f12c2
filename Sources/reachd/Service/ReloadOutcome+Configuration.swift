// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import ReachAPI
import Schema
import Targets

extension ReloadOutcome {
    /// A configuration that was refused.
    init(_ faults: ConfigurationDiagnostics) {
        self = .rejected(faults.diagnostics.map(Fault.init))
    }

    /// A configuration that is in force.
    init(_ adopted: AppliedTargets, _ difference: ConfigurationDifference, warnings: [ConfigurationDiagnostic]) {
        var report = Report()
        report.changes = adopted.changes
        report.added = adopted.added
        report.updated = adopted.updated
        report.removed = adopted.removed
        report.superseded = adopted.superseded
        report.settings = difference.settings.map(\.key)
        report.awaitingRestart = difference.needsRestart.map(\.key)
        report.warnings = warnings.map(\.description)
        self = .reloaded(report)
    }
}

extension ReloadOutcome.Fault {
    fileprivate init(_ fault: ConfigurationDiagnostic) {
        var position: YAMLPosition?
        var source = ""
        switch fault.place {
        case .file(_, let place): position = place
        case .environment, .option, .source: source = "\(fault.place): "
        }
        self.init(
            pointer: fault.pointer,
            line: position?.line,
            column: position?.column,
            code: fault.code.rawValue,
            message: source + fault.words + (fault.hint.map { "; \($0)" } ?? "")
        )
    }
}
