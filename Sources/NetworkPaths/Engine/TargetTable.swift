// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The engine's targets, and which of them a change of a block of addresses can touch.
struct TargetTable {
    private var records: [TargetRecord] = []
    private var positions: [PathID: Int] = [:]
    /// Addresses of targets in order, each with the target's handle; rebuilt when needed.
    private var index: [(address: IPAddress, id: PathID)]?

    var count: Int { records.count }

    /// All targets, in the order of their addition as far as removals leave it.
    var ids: [PathID] { records.map(\.id) }

    subscript(id: PathID) -> TargetRecord? { positions[id].map { records[$0] } }

    mutating func append(_ record: TargetRecord) {
        positions[record.id] = records.count
        records.append(record)
        index = nil
    }

    /// Removes a target and returns what it was.
    mutating func remove(_ id: PathID) -> TargetRecord? {
        guard let position = positions.removeValue(forKey: id) else { return nil }
        let record = records[position]
        let last = records.removeLast()
        if last.id != id {
            records[position] = last
            positions[last.id] = position
        }
        index = nil
        return record
    }

    /// Stores a verdict.
    mutating func setPath(_ path: NetworkPath, of id: PathID) {
        guard let position = positions[id] else { return }
        records[position].path = path
    }

    /// The targets that hints may touch, in the order of ``ids``.
    mutating func affected(by hints: Hints) -> [PathID] {
        if hints.everything || (hints.covers(.ipv4) && hints.covers(.ipv6)) { return ids }
        var isAffected = [Bool](repeating: false, count: records.count)
        for prefix in hints.prefixes { markTargets(inside: prefix, in: &isAffected) }
        let hasIPv4 = hints.covers(.ipv4)
        let hasIPv6 = hints.covers(.ipv6)
        var found: [PathID] = []
        for position in records.indices {
            let isTouched =
                switch records[position].scope {
                case .family(.ipv4): hasIPv4
                case .family(.ipv6): hasIPv6
                case .defaultPath(let family): touchesDefault(hints, family)
                case .name: records[position].name.map { touches(hints, $0) } ?? false
                case .anything: true
                }
            if isTouched || isAffected[position] { found.append(records[position].id) }
        }
        return found
    }

    /// A route change can only touch destinations inside its prefix, whatever rules exist: a search in the sorted
    /// addresses finds them all.
    private mutating func markTargets(inside prefix: IPPrefix, in isAffected: inout [Bool]) {
        let index = sortedIndex()
        var low = 0
        var high = index.count
        while low < high {
            let middle = (low + high) / 2
            if index[middle].address < prefix.address { low = middle + 1 } else { high = middle }
        }
        let last = prefix.last
        while low < index.count, index[low].address <= last {
            if let position = positions[index[low].id] { isAffected[position] = true }
            low += 1
        }
    }

    private mutating func sortedIndex() -> [(address: IPAddress, id: PathID)] {
        if let index { return index }
        var built: [(address: IPAddress, id: PathID)] = []
        built.reserveCapacity(records.count)
        for record in records {
            switch record.request.target {
            case .address(let address, _): built.append((address, record.id))
            case .pair(let local, let remote):
                if let local { built.append((local, record.id)) }
                if let remote { built.append((remote, record.id)) }
            case .defaultPath, .name: continue
            }
        }
        built.sort { $0.address < $1.address }
        index = built
        return built
    }

    private func touchesDefault(_ hints: Hints, _ family: AddressFamily?) -> Bool {
        let families = family.map { [$0] } ?? AddressFamily.allCases
        return families.contains { family in
            hints.covers(family)
                || hints.prefixes.contains { prefix in
                    prefix.address.family == family
                        && (prefix.length <= 3
                            || DefaultPathProbes.addresses(family).contains { prefix.contains($0) })
                }
        }
    }

    private func touches(_ hints: Hints, _ name: NameRecord) -> Bool {
        // Without an answer a name goes the way of the default path.
        guard !name.resolution.addresses.isEmpty else { return touchesDefault(hints, nil) }
        return name.resolution.addresses.contains { address in
            hints.covers(address.family) || hints.prefixes.contains { $0.contains(address) }
        }
    }
}

/// A target inside the engine.
struct TargetRecord {
    /// Which changes can touch a target, beyond those inside its own prefix.
    enum Scope {
        case family(AddressFamily)
        case defaultPath(AddressFamily?)
        case name
        /// Every change: a pair whose remote end is the default path.
        case anything
    }

    let id: PathID
    let scope: Scope
    /// Normalised once; see ``PathTarget/normalized``.
    let request: PathRequest
    /// The last delivered verdict, nil before the first.
    var path: NetworkPath?
    /// The name's resolution, for name targets.
    var name: NameRecord?

    init(id: PathID, request: PathRequest) {
        self.id = id
        self.request = request
        scope =
            switch request.target {
            case .address(let address, _): .family(address.family)
            case .pair(_, let remote?) where remote.isUnspecified: .anything
            case .pair(let local, let remote): .family((local ?? remote)?.family ?? .ipv4)
            case .defaultPath(let family, _): .defaultPath(family)
            case .name: .name
            }
    }
}
