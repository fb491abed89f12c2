// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import KeyValueObserving
import Testing

@Suite("Re-entrancy")
struct ReentrancyTests {
    private let thermostat = Thermostat()
    private let order = Recorder<String>()

    private func observe(
        _ name: String,
        options: ObservationOptions = [.new, .old],
        then action: @escaping @Sendable (Thermostat, Change<Int>) -> Void = { _, _ in }
    ) -> KeyValueObservation {
        thermostat.observe(Thermostat.celsius, options: options) { [order] thermostat, change in
            let old = change.old.map { "\($0)" } ?? "-"
            let new = change.new.map { "\($0)" } ?? "-"
            order.append("\(name)\(change.isPrior ? " will" : "") \(old) \(new)")
            action(thermostat, change)
        }
    }

    @Test("Setting inside: the inner change is complete first, and no observer ends with a stale value")
    func settingInside() {
        let observations = [
            observe("a"),
            observe("b") { thermostat, change in
                if change.new == 1 { thermostat.celsius = 2 }
            },
            observe("c"),
        ]
        thermostat.celsius = 1
        #expect(order.elements == ["a 20 1", "b 20 1", "a 1 2", "b 1 2", "c 1 2", "c 20 2"])
        for observation in observations { observation.cancel() }
    }

    @Test("Setting inside a prior notification: the inner pair is complete before the outer value is stored")
    func settingInsidePrior() {
        let once = Box<Bool>(true)
        let observation = observe("a", options: [.new, .old, .prior]) { thermostat, change in
            guard change.isPrior, once.value == true else { return }
            once.value = false
            thermostat.celsius = 1
        }
        thermostat.celsius = 2
        #expect(order.elements == ["a will 20 -", "a will 20 -", "a 20 1", "a 20 2"])
        observation.cancel()
    }

    @Test("Setting inside one's initial: notified after it has returned, before registration returns")
    func settingInsideInitial() {
        let other = observe("other")
        let observation = observe("a", options: [.initial, .new]) { [order] thermostat, change in
            guard change.new == 20 else { return }
            thermostat.celsius = 1
            order.append("a set")
        }
        #expect(order.elements == ["a - 20", "other 20 1", "a set", "a - 1"])
        thermostat.celsius = 2
        #expect(order.elements.suffix(2) == ["other 1 2", "a - 2"])
        observation.cancel()
        other.cancel()
    }

    @Test("Observing inside the notification after: not notified of this change, notified of the next")
    func observingInside() {
        let added = Box<KeyValueObservation>()
        let observation = observe("a") { [self] _, _ in
            if added.value == nil { added.value = observe("new", options: [.initial, .new]) }
        }
        thermostat.celsius = 1
        #expect(order.takeAll() == ["a 20 1", "new - 1"])
        thermostat.celsius = 2
        #expect(order.elements == ["a 1 2", "new - 2"])
        observation.cancel()
        added.value?.cancel()
    }

    @Test("Observing between will and did: notified of the end as a setting, so that no change is lost")
    func observingInsidePrior() {
        let added = Box<KeyValueObservation>()
        let observation = observe("a", options: [.prior, .new]) { [self] _, change in
            if change.isPrior, added.value == nil {
                added.value = observe("new", options: [.initial, .new, .old, .prior])
            }
        }
        thermostat.celsius = 1
        #expect(order.elements == ["a will - -", "new - 20", "a - 1", "new 20 1"])
        observation.cancel()
        added.value?.cancel()
    }

    @Test("Observing between will and did of a removal: a setting with the whole value")
    func observingInsideRemoval() {
        thermostat.replaceLog(with: [1, 2, 3])
        let changes = Recorder<Change<[Int]>>()
        let pending = thermostat.observers.willChange(.removal, at: RangeSet(0..<1), of: Thermostat.log, on: thermostat)
        let observation = thermostat.observe(Thermostat.log, options: [.new, .old]) { changes.append($1) }
        pending.didChange()
        #expect(changes.elements == [Change(old: [1, 2, 3], new: [1, 2, 3])])
        observation.cancel()
    }

    @Test("Observing another key between will and did: not notified")
    func observingOtherKeyInside() {
        let pending = thermostat.observers.willChange(Thermostat.room, of: thermostat)
        let observation = observe("a")
        pending.didChange()
        #expect(order.elements.isEmpty)
        observation.cancel()
    }

    @Test("Cancelling a later observer inside: it is not called")
    func cancellingLater() {
        let later = Box<KeyValueObservation>()
        let first = observe("a") { _, _ in later.value?.cancel() }
        later.value = observe("b")
        thermostat.celsius = 1
        #expect(order.elements == ["a 20 1"])
        first.cancel()
    }

    @Test("Cancelling oneself inside: called once")
    func cancellingOneself() {
        let token = Box<KeyValueObservation>()
        token.value = observe("a") { _, _ in token.value = nil }
        let other = observe("b")
        thermostat.celsius = 1
        thermostat.celsius = 2
        #expect(order.elements == ["a 20 1", "b 20 1", "b 1 2"])
        other.cancel()
    }

    @Test("Cancelling inside a prior notification: not notified of the end of the change")
    func cancellingInsidePrior() {
        let token = Box<KeyValueObservation>()
        token.value = observe("a", options: [.prior]) { _, _ in token.value?.cancel() }
        thermostat.celsius = 1
        #expect(order.elements == ["a will - -"])
    }
}
