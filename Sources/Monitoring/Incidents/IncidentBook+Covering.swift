// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Which incidents a nearer fault covers; see ``IncidentBook``.
extension IncidentBook {
    /// Has the next ``cover()`` look at the incidents of a target whose newest one is another.
    mutating func overtake(_ target: String) {
        overtaken.formUnion((memberships[target] ?? []).map(\.number))
    }

    /// Finds what covers the incidents that changed in this step, and tells of covered ones behind those that cover them, which then have
    /// their ids.
    mutating func cover() {
        let latest = dirty.compactMap { entries[$0]?.latest }.max()
        for number in overtaken.union(dirty).sorted() {
            guard let entry = entries[number] else { continue }
            let coverer = coverer(of: entry, number)
            guard coverer != entry.coverer else { continue }
            change(number, at: latest ?? entry.latest) { entry in
                (entry.coverer, entry.isCovererNew) = (coverer, true)
                return true
            }
        }
        overtaken = []
        dirty = dirty.filter { entries[$0]?.coverer == nil } + dirty.filter { entries[$0]?.coverer != nil }
    }

    /// The newest incident of the first failing member, when the newest one of each is another. That one is covered by none, since it is
    /// the newest of a member.
    private func coverer(of entry: Entry, _ number: UInt64) -> UInt64? {
        var first: UInt64?
        for member in entry.members where member.until == nil {
            guard let newest = memberships[member.target]?.last?.number, newest != number else { return nil }
            first = first ?? newest
        }
        return first
    }
}
