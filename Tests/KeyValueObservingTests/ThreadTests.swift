// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Dispatch
import KeyValueObserving
import Synchronization
import Testing

@Suite("Threads", .timeLimit(.minutes(15)))
struct ThreadTests {
    private let thermostat = Thermostat()

    @Test("Many threads set: every observer is notified of every change, on the thread that made it")
    func manyMutators() {
        let counts = (0..<3).map { _ in Recorder<Void>() }
        let observations = counts.map { count in
            thermostat.observe(Thermostat.warning, options: [.new, .old]) { _, _ in count.append(()) }
        }
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for value in 0..<200 { thermostat.celsius = value - thread * 10 }
        }
        #expect(counts.map(\.elements.count) == [1600, 1600, 1600])
        for observation in observations { observation.cancel() }
    }

    @Test("Many threads observe and cancel while others set")
    func churn() {
        let late = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for value in 0..<200 {
                if thread < 4 {
                    thermostat.celsius = value
                } else {
                    let lastSeen = Recorder<Int?>()
                    let observation = thermostat.observe(Thermostat.celsius, options: [.initial, .new]) { _, change in
                        lastSeen.append(change.new)
                    }
                    if lastSeen.elements.isEmpty { late.add(1, ordering: .relaxed) }
                    observation.cancel()
                }
            }
        }
        #expect(late.load(ordering: .relaxed) == 0, "an initial notification was missing")
        #expect(thermostat.observers.count == 0)
    }

    @Test("K3: registration and first value are one step: the initial is first and no change falls between")
    func registrationIsOneStep() {
        // One thread counts up; each registration must see an unbroken rise from its initial value on.
        let isDone = Atomic<Bool>(false)
        let faults = Recorder<String>()
        let ended = DispatchGroup()
        DispatchQueue.global().async(group: ended) {
            for value in 0..<4000 { counter.set(value) }
            isDone.store(true, ordering: .releasing)
        }
        while !isDone.load(ordering: .acquiring) {
            let seen = Recorder<Int>()
            let observation = counter.observe(Counter.value, options: [.initial, .new]) { _, change in
                if let new = change.new { seen.append(new) }
            }
            let last = counter.current
            observation.cancel()
            let values = seen.elements
            for (value, next) in zip(values, values.dropFirst()) where next < value {
                faults.append("\(value) then \(next)")
            }
            guard let first = values.first, let final = values.last, first <= last else {
                faults.append("initial \(values.first ?? -2) after \(last)")
                continue
            }
            // The last value may have been read while its own notification is still under way.
            if values.count - 1 < final - first - 1 { faults.append("\(values.count) from \(first) to \(final)") }
        }
        ended.wait()
        #expect(faults.elements == [])
    }

    private let counter = Counter()

    @Test("A change that another thread makes during the initial notification is notified after it, on this thread")
    func changeDuringInitial() {
        let order = Recorder<String>()
        let made = DispatchSemaphore(value: 0)
        let thermostat = self.thermostat
        let observation = thermostat.observe(Thermostat.celsius, options: [.initial, .new]) { _, change in
            order.append("begin \(change.new ?? -1)")
            if change.new == 20 {
                DispatchQueue.global().async {
                    thermostat.celsius = 1
                    made.signal()
                }
                made.wait()
            }
            order.append("end \(change.new ?? -1)")
        }
        #expect(order.elements == ["begin 20", "end 20", "begin 1", "end 1"])
        observation.cancel()
    }

    @Test("Cancel does not wait for a call on another thread")
    func cancelDoesNotWait() {
        let entered = DispatchSemaphore(value: 0)
        let goOn = DispatchSemaphore(value: 0)
        let ended = DispatchGroup()
        let thermostat = self.thermostat
        let observation = thermostat.observe(Thermostat.celsius) { _, _ in
            entered.signal()
            goOn.wait()
        }
        DispatchQueue.global().async(group: ended) { thermostat.celsius = 1 }
        entered.wait()
        observation.cancel()
        goOn.signal()
        ended.wait()
        thermostat.celsius = 2
        #expect(thermostat.observers.count == 0)
    }

    @Test("A sequence read while many threads set accounts for every change")
    func sequenceAccounts() async {
        let changes = thermostat.changes(of: Thermostat.celsius, options: [.new], limit: 16)
        let reader = Task {
            var total = 0
            for await event in changes {
                switch event {
                case .changed: total += 1
                case .lagged(let missed): total += missed
                }
            }
            return total
        }
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for value in 0..<500 { thermostat.celsius = value }
        }
        changes.cancel()
        #expect(await reader.value == 2000)
    }
}

/// A number that one thread counts up.
private final class Counter: KeyValueObservable {
    let observers = KeyValueObservers<Counter>()
    static let value = ObservableKey<Counter, Int>("value") { $0.current }
    private let state = Atomic<Int>(-1)

    var current: Int { state.load(ordering: .acquiring) }

    func set(_ value: Int) {
        observers.withChange(of: Self.value, on: self) { state.store(value, ordering: .releasing) }
    }
}
