// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths

/// All targets in the order in which they were added, found by id, by the engine's handle, or by ordinal.
///
/// Places are ordered by ordinal, so that a reader that knows the last ordinal it saw continues from there however many
/// targets came and went meanwhile. A removed target leaves an empty place until half of them are empty.
struct TargetTable {
    struct Place {
        let ordinal: UInt64
        /// Nil when the target was removed.
        var record: StatusRecord?
        var pathID: PathID?
        /// The last list of targets that named it.
        var mark: UInt32
    }

    private(set) var places: [Place] = []
    private var ordinals: [String: UInt64] = [:]
    private var ordinalsByPath: [PathID: UInt64] = [:]
    private var nextOrdinal: UInt64 = 1
    private var emptyCount = 0

    var count: Int { ordinals.count }

    func position(id: String) -> Int? { ordinals[id].flatMap(position(ordinal:)) }

    func position(pathID: PathID) -> Int? { ordinalsByPath[pathID].flatMap(position(ordinal:)) }

    func position(ordinal: UInt64) -> Int? {
        let position = firstPosition(from: ordinal)
        guard position < places.count, places[position].ordinal == ordinal else { return nil }
        return position
    }

    /// The first place whose ordinal is `ordinal` or larger.
    func firstPosition(from ordinal: UInt64) -> Int {
        guard let first = places.first, ordinal > first.ordinal else { return 0 }
        // Without removals the ordinals have no gaps and the place is known at once.
        let guess = ordinal - first.ordinal
        if guess < UInt64(places.count), places[Int(guess)].ordinal == ordinal { return Int(guess) }
        var low = 0
        var high = places.count
        while low < high {
            let middle = (low + high) / 2
            if places[middle].ordinal < ordinal { low = middle + 1 } else { high = middle }
        }
        return low
    }

    mutating func reserve(_ additional: Int) {
        guard additional > 1024 else { return }
        places.reserveCapacity(places.count + additional)
        ordinals.reserveCapacity(ordinals.count + additional)
        ordinalsByPath.reserveCapacity(ordinalsByPath.count + additional)
    }

    /// The next target in order; to be followed by ``append(_:of:mark:)``.
    func newcomer(_ settings: TargetSettings, version: UInt64) -> DeclaredTarget {
        DeclaredTarget(settings: settings, ordinal: nextOrdinal, version: version)
    }

    mutating func append(_ record: StatusRecord, of target: DeclaredTarget, mark: UInt32) {
        ordinals[target.settings.id] = target.ordinal
        places.append(Place(ordinal: target.ordinal, record: record, pathID: nil, mark: mark))
        nextOrdinal = target.ordinal + 1
    }

    mutating func setRecord(_ record: StatusRecord, at position: Int) { places[position].record = record }

    mutating func setMark(_ mark: UInt32, at position: Int) { places[position].mark = mark }

    /// Ties a place to a handle, or with nil unties it; returns the handle that it had.
    @discardableResult
    mutating func setPathID(_ id: PathID?, at position: Int) -> PathID? {
        let old = places[position].pathID
        if let old { ordinalsByPath[old] = nil }
        if let id { ordinalsByPath[id] = places[position].ordinal }
        places[position].pathID = id
        return old
    }

    /// Empties a place; positions stay valid until ``compact()``.
    mutating func remove(at position: Int) {
        guard let record = places[position].record else { return }
        setPathID(nil, at: position)
        if let id = record.target?.settings.id { ordinals[id] = nil }
        places[position].record = nil
        emptyCount += 1
    }

    /// Gives empty places back once they are the larger part.
    mutating func compact() {
        guard emptyCount > 64, emptyCount > places.count / 2 else { return }
        places.removeAll { $0.record == nil }
        emptyCount = 0
    }
}

/// One declaration of a target, shared by every record and event that speaks of it.
package final class DeclaredTarget: Sendable {
    /// The declaration.
    package let settings: TargetSettings
    /// The target's place in every list; grows with each target that is added, is never reused in a run,
    /// and survives a change of the settings.
    package let ordinal: UInt64
    /// Every record with this declaration has this ``StatusRecord/version`` or a later one, every record before it an
    /// earlier one.
    package let version: UInt64

    init(settings: TargetSettings, ordinal: UInt64, version: UInt64) {
        self.settings = settings
        self.ordinal = ordinal
        self.version = version
    }
}
