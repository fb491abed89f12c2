// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import KeyValueObserving
import Synchronization

/// What the tests observe: a plain property, two that depend on it, an optional one and a collection.
final class Thermostat: KeyValueObservable {
    let observers = KeyValueObservers<Thermostat>()

    static let celsius = ObservableKey<Thermostat, Int>("celsius") { $0.celsius }
    static let isFreezing = ObservableKey("isFreezing", dependingOn: celsius) { (root: Thermostat) in root.isFreezing }
    static let warning = ObservableKey("warning", dependingOn: isFreezing) { (root: Thermostat) in root.warning }
    static let room = ObservableKey<Thermostat, String?>("room") { $0.room }
    static let log = ObservableKey<Thermostat, [Int]>("log") { $0.log }
    static let logCount = ObservableKey("logCount", dependingOn: log) { (root: Thermostat) in root.log.count }
    static let summary = ObservableKey("summary", dependingOn: celsius, room) { (root: Thermostat) in
        "\(root.room ?? "-"): \(root.celsius)"
    }

    private struct State {
        var celsius = 20
        var room: String?
        var log: [Int] = []
    }

    private let state = Mutex(State())

    var celsius: Int {
        get { state.withLock { $0.celsius } }
        set {
            observers.withChange(of: Self.celsius, on: self) {
                // Clamped: what observers are told is the getter's value, not the setter's argument (K5).
                state.withLock { $0.celsius = min(newValue, 100) }
            }
        }
    }

    var isFreezing: Bool { celsius < 0 }
    var warning: String { isFreezing ? "frost" : "none" }

    var room: String? {
        get { state.withLock { $0.room } }
        set { observers.withChange(of: Self.room, on: self) { state.withLock { $0.room = newValue } } }
    }

    var log: [Int] { state.withLock { $0.log } }

    /// Stores without telling anybody, for tests that announce by hand.
    func store(celsius: Int) { state.withLock { $0.celsius = celsius } }

    func insert(_ value: Int, at index: Int) {
        let change = observers.willChange(.insertion, at: RangeSet(index..<index + 1), of: Self.log, on: self)
        state.withLock { $0.log.insert(value, at: index) }
        change.didChange()
    }

    func remove(at range: Range<Int>) {
        let change = observers.willChange(.removal, at: RangeSet(range), of: Self.log, on: self)
        state.withLock { $0.log.removeSubrange(range) }
        change.didChange()
    }

    func replace(at index: Int, with value: Int) {
        let change = observers.willChange(.replacement, at: RangeSet(index..<index + 1), of: Self.log, on: self)
        state.withLock { $0.log[index] = value }
        change.didChange()
    }

    func replaceLog(with log: [Int]) {
        let change = observers.willChange(.setting, at: RangeSet(0..<1), of: Self.log, on: self)
        state.withLock { $0.log = log }
        change.didChange()
    }
}
