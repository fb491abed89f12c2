// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The imported targets, of which each receiver of notifications gets some.
struct ReceiverAudience {
    /// An imported target.
    struct Member: Equatable {
        let id: String
        let group: String?
    }

    private(set) var members: [Member] = []

    /// Adds an imported target.
    mutating func add(_ id: String, group: String?) -> Member {
        let member = Member(id: id, group: group)
        members.append(member)
        return member
    }

    /// The filter for some of the targets: none for all, those of some groups, or those that it names.
    func filter(_ users: [Member]) -> (String, YAMLText)? {
        guard users.count < members.count else { return nil }
        let groups = Set(users.compactMap(\.group))
        let isWhole = users.allSatisfy { $0.group != nil && $0.group?.contains("$") == false }
        if isWhole, members.filter({ $0.group.map(groups.contains) == true }).count == users.count {
            return ("groups", .list(groups.sorted().map { .text($0) }))
        }
        return ("targets", .list(users.map { .text($0.id) }))
    }
}
