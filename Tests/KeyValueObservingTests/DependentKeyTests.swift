// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import KeyValueObserving
import Testing

@Suite("Dependent keys and pairs")
struct DependentKeyTests {
    private let thermostat = Thermostat()
    private let order = Recorder<String>()

    private func observe<Value>(
        _ key: ObservableKey<Thermostat, Value>,
        options: ObservationOptions = [.new, .old, .prior]
    ) -> KeyValueObservation {
        thermostat.observe(key, options: options) { [order] _, change in
            let old = change.old.map { "\($0)" } ?? "-"
            let new = change.new.map { "\($0)" } ?? "-"
            order.append("\(change.isPrior ? "will" : "did") \(key.name) \(old) \(new)")
        }
    }

    @Test("K9: a dependent key changes with its source, through any number of steps")
    func transitive() {
        let observation = observe(Thermostat.warning, options: [.new, .old])
        thermostat.celsius = -5
        #expect(order.elements == ["did warning none frost"])
        observation.cancel()
    }

    @Test("K9: dependencies have one direction: a source does not change with its dependants")
    func direction() {
        let observation = observe(Thermostat.celsius)
        thermostat.observers.willChange(Thermostat.isFreezing, of: thermostat).didChange()
        #expect(order.elements.isEmpty)
        observation.cancel()
    }

    @Test("K9: a key may depend on several")
    func severalSources() {
        let observation = observe(Thermostat.summary, options: [.new])
        thermostat.celsius = 5
        thermostat.room = "hall"
        #expect(order.elements == ["did summary - -: 5", "did summary - hall: 5"])
        observation.cancel()
    }

    @Test("K10: will of status and dependents, then the value, then did of each; equal dependents too")
    func pairs() {
        let observations = [observe(Thermostat.celsius), observe(Thermostat.isFreezing), observe(Thermostat.warning)]
        thermostat.celsius = 30
        #expect(
            order.elements == [
                "will celsius 20 -", "will isFreezing false -", "will warning none -",
                "did celsius 20 30", "did isFreezing false false", "did warning none none",
            ]
        )
        for observation in observations { observation.cancel() }
    }

    @Test("K10: observers of unrelated keys are not notified")
    func unrelated() {
        let observations = [observe(Thermostat.room), observe(Thermostat.logCount)]
        thermostat.celsius = 30
        #expect(order.elements.isEmpty)
        for observation in observations { observation.cancel() }
    }

    @Test("K14: one pair for one change, and the end of the scope ends it at the latest")
    func onePair() {
        let observation = observe(Thermostat.celsius)
        do {
            let change = thermostat.observers.willChange(Thermostat.celsius, of: thermostat)
            thermostat.store(celsius: 1)
            withExtendedLifetime(thermostat) {}
            _ = consume change
        }
        #expect(order.elements == ["will celsius 20 -", "did celsius 20 1"])
        observation.cancel()
    }

    @Test("K14: nested pairs of one key each end with a notification of their own")
    func nestedSameKey() {
        let observation = observe(Thermostat.celsius)
        let outer = thermostat.observers.willChange(Thermostat.celsius, of: thermostat)
        thermostat.store(celsius: 1)
        let inner = thermostat.observers.willChange(Thermostat.celsius, of: thermostat)
        thermostat.store(celsius: 2)
        inner.didChange()
        outer.didChange()
        #expect(
            order.elements == ["will celsius 20 -", "will celsius 1 -", "did celsius 1 2", "did celsius 20 2"]
        )
        observation.cancel()
    }

    @Test("K14: pairs may overlap without being nested")
    func overlapping() {
        let observation = observe(Thermostat.celsius)
        let first = thermostat.observers.willChange(Thermostat.celsius, of: thermostat)
        let second = thermostat.observers.willChange(Thermostat.celsius, of: thermostat)
        first.didChange()
        second.didChange()
        #expect(order.elements.map { $0.prefix(4) } == ["will", "will", "did ", "did "])
        observation.cancel()
    }

    @Test("K14: a setter inside another key's pair nests")
    func nestedOtherKey() {
        let observations = [observe(Thermostat.room), observe(Thermostat.celsius)]
        thermostat.observers.withChange(of: Thermostat.room, on: thermostat) { thermostat.celsius = 3 }
        #expect(
            order.elements == [
                "will room nil -", "will celsius 20 -", "did celsius 20 3", "did room nil nil",
            ]
        )
        for observation in observations { observation.cancel() }
    }
}
