// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import History

/// The place of a ``DeclarationStore``, and of the file whose targets it takes over.
struct DeclarationFile: Sendable {
    /// The steps that lead to a change and to an import, in order; a test makes one of them fail, or the process end there.
    enum Step: Sendable, CaseIterable {
        case open, begin, commit, keepImported
    }

    /// The path from the root.
    let path: String
    /// A JSON file as an earlier version wrote it; nil for none.
    let imported: StateFile?
    /// Called before each step; its error is the step's.
    var before: @Sendable (Step) throws(HistoryError) -> Void = { _ throws(HistoryError) in }

    init(_ path: String, importing: String? = nil) {
        self.path = path
        imported = importing.map(StateFile.init)
    }
}
