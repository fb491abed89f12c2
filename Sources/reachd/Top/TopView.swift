// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a person chose to see in `reachd top`.
struct TopView: Equatable {
    /// The order of targets.
    enum Order: String, CaseIterable {
        case state, name, group, latency, since
    }

    var order = Order.state
    var filter = ""
    /// Whether the filter is being written.
    var isWriting = false
    var failingOnly = false
    /// How many targets are scrolled out at the top.
    var offset = 0

    /// Applies a key.
    ///
    /// - Parameters:
    ///   - page: how many targets fit on the screen.
    ///   - count: how many there are under this view.
    /// - Returns: Whether to go on.
    mutating func apply(_ key: TerminalKey, page: Int, count: Int) -> Bool {
        if isWriting, write(key) { return true }
        switch key {
        case .character("q"), .interrupt: return false
        case .character("j"), .down: offset += 1
        case .character("k"), .up: offset -= 1
        case .pageDown, .character(" "): offset += max(page, 1)
        case .pageUp: offset -= max(page, 1)
        case .home, .character("g"): offset = 0
        case .end, .character("G"): offset = count
        case .character("/"): isWriting = true
        case .character("f"):
            failingOnly.toggle()
            offset = 0
        case .character("s"):
            let all = Order.allCases
            order = all[((all.firstIndex(of: order) ?? 0) + 1) % all.count]
        case .escape: (filter, offset) = ("", 0)
        default: break
        }
        offset = max(0, min(offset, count - max(page, 1)))
        return true
    }

    /// Writes the filter.
    ///
    /// - Returns: Whether the key belongs to it.
    private mutating func write(_ key: TerminalKey) -> Bool {
        switch key {
        case .character(let character): if filter.unicodeScalars.count < 128 { filter.append(character) }
        case .backspace: if !filter.isEmpty { filter.removeLast() }
        case .enter: isWriting = false
        case .escape: (filter, isWriting) = ("", false)
        default: return false
        }
        offset = 0
        return true
    }

    /// The targets to show, in order.
    func targets(_ model: TopModel) -> [TopModel.Target] {
        let text = filter.lowercased()
        let shown = model.targets.values.filter { target in
            if failingOnly, StateOrder.rank(target.state) >= StateOrder.rank("up") { return false }
            return text.isEmpty
                || [target.id, target.name, target.group, target.state].contains { $0.lowercased().contains(text) }
        }
        // Keys once for each target; the id makes the order the same each time.
        let keyed = shown.map { (key($0), $0.id, $0) }
        return keyed.sorted {
            ($0.0.rank, $0.0.number, $0.0.text, $0.1) < ($1.0.rank, $1.0.number, $1.0.text, $1.1)
        }.map(\.2)
    }

    private func key(_ target: TopModel.Target) -> (rank: Int, number: Double, text: String) {
        switch order {
        case .state: (StateOrder.rank(target.state), 0, target.name.lowercased())
        case .name: (0, 0, target.name.lowercased())
        case .group: (target.group.isEmpty ? 1 : 0, 0, target.group.lowercased())
        case .latency: (0, -(target.latency ?? -1), "")
        case .since: (0, -Double(target.since ?? 0), "")
        }
    }
}
