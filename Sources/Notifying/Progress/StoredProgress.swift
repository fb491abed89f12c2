// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A receiver's offset as the fleet's database keeps it: a text, and how it changed since. After a delivery only the changes are written:
/// with 10,000 open problems the text has 300 kB.
struct StoredProgress: Sendable {
    /// What to write.
    struct Update: Sendable, Hashable {
        /// The whole; nil: the stored one stays.
        let whole: String?
        /// How the whole changed; nil: not.
        let changes: String?
    }

    /// The size of the changes above which the whole is written.
    static let changesLimit = 16_384

    /// The lines of the stored text; nil when it is not known what is stored.
    private var stored: Set<String>?
    private var wroteWhole = false

    /// Reads both; nil for texts that are not valid.
    static func read(_ whole: String, changes: String?) -> ReceiverOffset? {
        guard let changes else { return ReceiverOffset(whole) }
        var lines = Set(whole.split(separator: "\n").dropFirst())
        let changed = changes.split(separator: "\n")
        for line in changed.dropFirst() {
            switch line.first {
            case "-": lines.remove(line.dropFirst())
            case "+": lines.insert(line.dropFirst())
            default: return nil
            }
        }
        return ReceiverOffset(([changed.first ?? ""] + lines.sorted() + [""]).joined(separator: "\n"))
    }

    /// Decides what to write for an offset.
    mutating func update(_ place: ReceiverOffset) -> Update {
        let lines = place.lines
        if let changes = changes(to: lines, mark: place.mark) {
            wroteWhole = false
            return Update(whole: nil, changes: changes)
        }
        (stored, wroteWhole) = (Set(lines), true)
        return Update(whole: place.description, changes: nil)
    }

    /// Nobody knows whether the last update was stored.
    mutating func failed() {
        if wroteWhole { stored = nil }
    }

    /// nil when the whole is to be written.
    private func changes(to lines: [String], mark: ConsumerOffset) -> String? {
        guard let stored else { return nil }
        var text = mark.description
        var added = 0
        for line in lines where !stored.contains(line) {
            text += "\n+\(line)"
            added += 1
            guard text.utf8.count <= Self.changesLimit else { return nil }
        }
        // Lines are unique, so this is whether any is gone.
        guard lines.count - added < stored.count else { return text }
        for line in stored.subtracting(lines) {
            text += "\n-\(line)"
            guard text.utf8.count <= Self.changesLimit else { return nil }
        }
        return text
    }
}
