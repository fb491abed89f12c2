// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Which commands a node has carried out, and when it must look for further ones.
struct CommandLedger: Sendable {
    /// How long after the newest command lower numbers may become visible, in nanoseconds: far longer than an insertion may take.
    static let settling: UInt64 = 10_000_000_000
    /// How long a carried out command is remembered: longer than it is valid.
    static let memory: UInt64 = 180_000_000_000

    private var newest: Int64 = 0
    private var lookUntil: UInt64 = 0
    private var done: [Int64: UInt64] = [:]
    private var floor = InboxFloor()
    /// Whether commands of before may be for this node now, or are for targets that it does not have yet.
    private var isIncomplete = false

    /// The number after which commands are read.
    var position: Int64 { isIncomplete ? 0 : floor.id }

    /// The node has other targets.
    mutating func targetsChanged() { isIncomplete = true }

    /// Takes the number of the newest command; returns whether to look for commands.
    mutating func shouldLook(_ newest: Int64, at now: UInt64) -> Bool {
        if newest < floor.id {
            // The table is empty, or its numbers began again in a restored database.
            self = CommandLedger()
        }
        if newest != self.newest { lookUntil = now + Self.settling }
        self.newest = newest
        floor.record(newest, at: now)
        return newest > 0 && (isIncomplete || now < lookUntil)
    }

    /// Takes a command that was carried out without being found.
    mutating func note(_ command: TargetCommand, at now: UInt64) { done[command.id] = now }

    /// Takes all commands that were found; returns those to carry out.
    ///
    /// - Parameter isKnown: whether the node has a target in force.
    mutating func take(_ found: [TargetCommand], at now: UInt64, isKnown: (String) -> Bool) -> [TargetCommand] {
        done = done.filter { now < $0.value + Self.memory }
        isIncomplete = false
        return found.filter { command in
            guard done[command.id] == nil else { return false }
            guard isKnown(command.target) else {
                isIncomplete = true
                return false
            }
            done[command.id] = now
            return true
        }
    }
}
