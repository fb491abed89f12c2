// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import LinuxIO
import Synchronization

/// Lists and watches one resource in one namespace, on a thread of its own.
final class KubernetesWatcher: Sendable {
    /// How long the server is asked to let a watch last, in seconds; a random part is added, so that not all end at once.
    private static let watchSeconds = 300
    private static let randomSeconds = 60

    private let server: any KubernetesServer
    private let clock: any MonotonicClock
    private let path: String
    private let selector: String
    private let objectReader: KubernetesObjectReader
    /// The machine; only the thread changes it.
    private let machine: Mutex<KubernetesWatchMachine>
    private let changed: @Sendable () -> Void

    /// - Parameter changed: Called on the thread after each change of ``state``.
    init(
        _ machine: KubernetesWatchMachine,
        _ settings: KubernetesSettings,
        server: any KubernetesServer,
        clock: any MonotonicClock,
        changed: @escaping @Sendable () -> Void
    ) {
        self.server = server
        self.clock = clock
        self.changed = changed
        path = machine.resource.path(in: machine.namespace)
        let labels = settings.labelSelector
        selector = labels.isEmpty ? "" : "&labelSelector=\(URLText.escaped(labels))"
        objectReader = KubernetesObjectReader(resource: machine.resource, labels: Set(settings.labels))
        self.machine = Mutex(machine)
    }

    /// The state of the resource. Any thread.
    var state: KubernetesWatchMachine { machine.withLock { $0 } }

    /// Works until the thread is stopped. On the thread.
    func run(_ thread: SourceThread) {
        while !thread.isStopped {
            let now = clock.now()
            switch machine.withLock({ $0.step(now: now) }) {
            case .wait(let time): _ = thread.pause(.nanoseconds(Int64(clamping: time)))
            case .list(let limit, let continuation): list(limit, continuation, thread)
            case .watch(let version): watch(version, thread)
            }
        }
    }

    private func list(_ limit: Int, _ continuation: String, _ thread: SourceThread) {
        let next = continuation.isEmpty ? "" : "&continue=\(URLText.escaped(continuation))"
        do throws(KubernetesFault) {
            let body = try server.list("\(path)?limit=\(limit)\(next)\(selector)") { thread.isStopped }
            let page = try Self.valid { () throws(JSONError) in try KubernetesListPage(body, objectReader) }
            update { $0.take(page, now: $1, jitter: $2) }
        } catch {
            fail(error, thread)
        }
    }

    private func watch(_ version: String, _ thread: SourceThread) {
        let seconds = Self.watchSeconds + Int.random(in: 0...Self.randomSeconds)
        let query =
            "watch=1&allowWatchBookmarks=true&timeoutSeconds=\(seconds)&resourceVersion=\(URLText.escaped(version))"
        let start = clock.now()
        var lines = KubernetesWatchLines()
        var fault: KubernetesFault?
        do throws(KubernetesFault) {
            try server.watch(
                "\(path)?\(query)\(selector)",
                silence: .seconds(seconds + 30),
                isCancelled: { thread.isStopped },
                take: { [self] chunk in
                    fault = take(lines.take(chunk)) ?? (lines.isTooLong ? .tooLarge : nil)
                    return fault == nil && !thread.isStopped
                }
            )
        } catch {
            fault = error
        }
        if let fault { return fail(fault, thread) }
        update { machine, now, jitter in
            machine.endWatch(after: now - start, now: now, jitter: jitter)
            return false
        }
    }

    /// Takes the events of a chunk together.
    ///
    /// - Returns: The fault that ends the watch.
    private func take(_ lines: [[UInt8]]) -> KubernetesFault? {
        var fault: KubernetesFault?
        var events: [KubernetesWatchEvent] = []
        do throws(KubernetesFault) {
            for line in lines {
                events.append(try Self.valid { () throws(JSONError) in try KubernetesWatchEvent(line, objectReader) })
            }
        } catch {
            fault = error
        }
        update { machine, _, _ in
            var isChanged = false
            do throws(KubernetesFault) {
                for event in events where try machine.take(event) { isChanged = true }
            } catch {
                fault = error
            }
            return isChanged
        }
        return fault
    }

    private func fail(_ fault: KubernetesFault, _ thread: SourceThread) {
        guard !thread.isStopped else { return }
        update { $0.fail(fault, now: $1, jitter: $2) }
    }

    /// Changes the machine, and reports what the change returns.
    ///
    /// - Parameter change: Gets the machine, the time, and a random number from 0 to 1.
    private func update(_ change: (inout KubernetesWatchMachine, UInt64, Double) -> Bool) {
        let now = clock.now()
        let jitter = Double.random(in: 0...1)
        if machine.withLock({ change(&$0, now, jitter) }) { changed() }
    }

    private static func valid<Value>(_ read: () throws(JSONError) -> Value) throws(KubernetesFault) -> Value {
        do throws(JSONError) {
            return try read()
        } catch {
            throw .malformed("\(error.message) (byte \(error.offset))")
        }
    }
}
