// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Dispatch
import KeyValueObserving
import Testing

@Suite("Observation")
struct ObservationTests {
    private let thermostat = Thermostat()
    private let changes = Recorder<Change<Int>>()

    private func observe(_ options: ObservationOptions) -> KeyValueObservation {
        thermostat.observe(Thermostat.celsius, options: options) { [changes] in changes.append($1) }
    }

    @Test("K3: initial is one notification before registration returns, with new if requested, never with old")
    func initial() {
        let observation = observe([.initial, .new, .old])
        #expect(changes.elements == [Change(new: 20)])
        observation.cancel()
    }

    @Test("K3: initial without new carries no value")
    func bareInitial() {
        let observation = observe([.initial, .prior])
        #expect(changes.elements == [Change()])
        observation.cancel()
    }

    @Test("K3: without initial there is no notification on registration")
    func noInitial() {
        let observation = observe([.new, .old, .prior])
        #expect(changes.elements.isEmpty)
        observation.cancel()
    }

    @Test("K4: prior is one more notification before the change, with old but never new")
    func prior() {
        let observation = thermostat.observe(Thermostat.celsius, options: [.new, .old, .prior]) {
            [changes] thermostat, change in
            changes.append(change)
            #expect(thermostat.celsius == (change.isPrior ? 20 : 21))
        }
        thermostat.celsius = 21
        #expect(changes.elements == [Change(old: 20, isPrior: true), Change(old: 20, new: 21)])
        observation.cancel()
    }

    @Test("K4: prior has no old unless requested, and does not change the notification after")
    func priorWithoutOld() {
        let observation = observe([.new, .prior])
        thermostat.celsius = 21
        #expect(changes.elements == [Change(isPrior: true), Change(new: 21)])
        observation.cancel()
    }

    @Test("K5: old and new are the getter's values, not the setter's argument")
    func getterValues() {
        let observation = observe([.new, .old])
        thermostat.celsius = 500
        #expect(changes.elements == [Change(old: 20, new: 100)])
        observation.cancel()
    }

    @Test("K5: old is read at will-change, new at did-change")
    func momentsOfReading() {
        let observation = observe([.new, .old])
        thermostat.store(celsius: 1)
        let change = thermostat.observers.willChange(Thermostat.celsius, of: thermostat)
        thermostat.store(celsius: 2)
        thermostat.store(celsius: 3)
        change.didChange()
        thermostat.store(celsius: 4)
        #expect(changes.elements == [Change(old: 1, new: 3)])
        observation.cancel()
    }

    @Test("K6: notified on the mutating thread, before the setter returns", .timeLimit(.minutes(15)))
    func synchronous() {
        let queue = DispatchQueue(label: "mutator")
        let mark = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: mark, value: true)
        let places = Recorder<Bool?>()
        let observation = thermostat.observe(Thermostat.celsius) { _, _ in
            places.append(DispatchQueue.getSpecific(key: mark))
        }
        queue.sync {
            thermostat.celsius = 1
            #expect(places.elements == [true])
        }
        observation.cancel()
    }

    @Test("K6: nothing is gathered")
    func noCoalescing() {
        let observation = observe([.new])
        for value in 1...50 { thermostat.celsius = value }
        #expect(changes.elements.map(\.new) == (1...50).map { $0 })
        observation.cancel()
    }

    @Test("K7: every call of a setter notifies, equal value or not")
    func noEqualityFilter() {
        let observation = observe([.new, .old])
        thermostat.celsius = 20
        thermostat.celsius = 20
        #expect(changes.elements == [Change(old: 20, new: 20), Change(old: 20, new: 20)])
        observation.cancel()
    }

    @Test("K7: a body that returns early or throws notifies all the same")
    func earlyReturn() {
        struct Refusal: Error {}
        let observation = observe([.new])
        #expect(throws: Refusal.self) {
            try thermostat.observers.withChange(of: Thermostat.celsius, on: thermostat) { () throws(Refusal) in
                throw Refusal()
            }
        }
        #expect(changes.elements == [Change(new: 20)])
        observation.cancel()
    }

    @Test("K8: observers are notified in registration order, prior and after")
    func registrationOrder() {
        let order = Recorder<String>()
        let observations = (0..<20).map { number in
            thermostat.observe(Thermostat.celsius, options: [.prior]) { _, change in
                order.append("\(change.isPrior ? "will" : "did") \(number)")
            }
        }
        thermostat.celsius = 1
        #expect(order.elements == (0..<20).map { "will \($0)" } + (0..<20).map { "did \($0)" })
        for observation in observations { observation.cancel() }
    }

    @Test("K8: the same function registered twice is notified twice and ended twice")
    func registeredTwice() {
        let count = Recorder<Void>()
        let handler: @Sendable (Thermostat, Change<Int>) -> Void = { _, _ in count.append(()) }
        let first = thermostat.observe(Thermostat.celsius, handler: handler)
        let second = thermostat.observe(Thermostat.celsius, handler: handler)
        thermostat.celsius = 1
        #expect(count.takeAll().count == 2)
        first.cancel()
        first.cancel()
        #expect(first.isCancelled && !second.isCancelled)
        thermostat.celsius = 2
        #expect(count.takeAll().count == 1)
        second.cancel()
        thermostat.celsius = 3
        #expect(count.elements.isEmpty)
        #expect(thermostat.observers.count == 0)
    }

    @Test("K8: registration keeps neither side alive")
    func lifetimes() {
        final class Witness: Sendable {}
        var witness: Witness? = Witness()
        weak let weakWitness = witness
        var object: Thermostat? = Thermostat()
        weak let weakObject = object
        let observation = object?.observe(Thermostat.celsius) { [witness] _, _ in withExtendedLifetime(witness) {} }
        witness = nil
        #expect(weakWitness != nil)
        object = nil
        #expect(weakObject == nil)
        #expect(weakWitness == nil, "an object that is gone releases its handlers")
        observation?.cancel()
    }

    @Test("A released token ends the observation")
    func releasedToken() {
        var observation: KeyValueObservation? = observe([])
        #expect(thermostat.observers.count == 1)
        withExtendedLifetime(observation) {}
        observation = nil
        thermostat.celsius = 1
        #expect(changes.elements.isEmpty)
        #expect(thermostat.observers.count == 0)
    }

    @Test("Objects that a handler holds are released outside the lock")
    func releasedOutsideLock() {
        /// Uses the observers while it dies: taken under their lock, this would never return.
        final class Caller: Sendable {
            let thermostat: Thermostat
            init(_ thermostat: Thermostat) { self.thermostat = thermostat }
            deinit { thermostat.celsius = thermostat.observers.count }
        }
        var caller: Caller? = Caller(thermostat)
        let observation = thermostat.observe(Thermostat.celsius) { [caller] _, _ in
            withExtendedLifetime(caller) {}
        }
        caller = nil
        let other = observe([.new])
        observation.cancel()
        #expect(thermostat.celsius == 1)
        #expect(changes.elements == [Change(new: 1)])
        other.cancel()
    }
}
