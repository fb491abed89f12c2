// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CTestSupport
internal import Glibc
package import LinuxIO
internal import Synchronization

/// A fresh network namespace under `/run/netns`, gone at the latest when this object goes.
///
/// Its name holds this process's number, so that names left by a test process that crashed are recognised and
/// removed by the next one.
package final class NetworkNamespace: Sendable {
    /// The name that `ip -n` and `ip netns exec` take.
    package let name: String
    private let descriptor: OwnedDescriptor
    private let state = Mutex(State())

    private struct State {
        var held: [OwnedDescriptor] = []
        var isRemoved = false
    }

    /// Makes a namespace; nothing in it is up.
    ///
    /// - Throws: ``Command/Failure`` without the privilege, `SystemError` from the calls around it.
    package init() throws {
        _ = Self.removeStaleOnce
        let number = Self.counter.wrappingAdd(1, ordering: .relaxed).newValue
        name = "\(Self.prefix)\(getpid())-\(number)"
        try Command.run(["ip", "netns", "add", name])
        let path = "/run/netns/\(name)"
        do {
            descriptor = OwnedDescriptor(
                owning: try systemCall("open \(path)") { unsafe open(path, O_RDONLY | O_CLOEXEC) }
            )
        } catch {
            Self.delete(name)
            throw error
        }
    }

    deinit {
        remove()
    }

    /// Takes the name away and closes what is held open; a second call does nothing.
    package func remove() {
        let held: [OwnedDescriptor]? = state.withLock { state in
            guard !state.isRemoved else { return nil }
            state.isRemoved = true
            defer { state.held = [] }
            return state.held
        }
        guard held != nil else { return }
        Self.delete(name)
    }

    // MARK: Commands

    /// Runs `ip -n NAME …`; words are separated by spaces.
    @discardableResult
    package func ip(_ arguments: String) throws -> String {
        try Command.run(["ip", "-n", name] + arguments.split(separator: " ").map(String.init))
    }

    /// Runs many `ip` commands in one process, `ip -force -batch FILE`.
    package func batch(_ lines: some Sequence<String>) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(lines.joined(separator: "\n") + "\n", to: "batch")
        try Command.run(["ip", "-n", name, "-force", "-batch", file])
    }

    /// Runs a command inside, with a sysfs of the namespace's own.
    @discardableResult
    package func exec(_ arguments: String) throws -> String {
        try Command.run(arguments.split(separator: " ").map(String.init), in: self)
    }

    /// Sets a kernel setting such as `net.ipv4.ip_forward`; a `/` in a key stands for itself (`net/ipv4/conf/a.b`).
    package func sysctl(_ key: String, _ value: String) throws {
        let path = "/proc/sys/" + (key.contains("/") ? key : String(key.map { $0 == "." ? "/" : $0 }))
        try run {
            let file = OwnedDescriptor(
                owning: try systemCall("open \(path)") { unsafe open(path, O_WRONLY | O_CLOEXEC) }
            )
            try writeAll(Array(value.utf8), to: file)
        }
    }

    // MARK: Tunnels

    /// Attaches to a tun or tap device, which gives it a carrier until ``releaseAll()`` or the end.
    package func hold(_ device: String, isTap: Bool = false) throws {
        let owner = try attach(device, isTap: isTap)
        state.withLock { $0.held.append(owner) }
    }

    /// Attaches to a tun or tap device, whose packets come to whoever reads the descriptor.
    package func attach(_ device: String, isTap: Bool = false) throws -> OwnedDescriptor {
        try run {
            let result = unsafe reachd_test_attach_tun(device, isTap ? 1 : 0)
            guard result >= 0 else { throw SystemError(code: -result, operation: "attach to \(device)") }
            return OwnedDescriptor(owning: result)
        }
    }

    /// Lets go of all tun and tap devices, which lose their carrier.
    package func releaseAll() {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        withExtendedLifetime(held) {}
    }

    // MARK: Threads

    /// Makes the calling thread enter the namespace for good: for threads that a test owns, never for a test's own.
    package var prologue: @Sendable () -> Void {
        { [descriptor] in
            let code = reachd_test_enter_network(descriptor.number)
            precondition(code == 0, "setns: errno \(code)")
        }
    }

    /// Runs something on a thread of its own inside the namespace and waits for it.
    package func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        let outcome = Outcome<Value>()
        let prologue = prologue
        let thread = try Thread(name: "in-namespace") {
            prologue()
            outcome.set(Result { try body() })
        }
        thread.end()
        guard let result = outcome.value else { preconditionFailure("the thread ended without an outcome") }
        return try result.get()
    }

    // MARK: Names

    private static let prefix = "reachd-"
    private static let counter = Atomic<Int>(0)

    private static func delete(_ name: String) {
        do {
            try Command.run(["ip", "netns", "delete", name])
        } catch {
            print("warning: namespace \(name) is left behind: \(error)")
        }
    }

    /// Removes what crashed test processes left.
    private static let removeStaleOnce: Void = {
        guard let names = try? Command.run(["ip", "netns", "list"]) else { return }
        for line in names.split(separator: "\n") {
            let name = String(line.prefix { $0 != " " })
            guard name.hasPrefix(prefix), let pid = Int32(name.dropFirst(prefix.count).prefix { $0 != "-" }) else {
                continue
            }
            if kill(pid, 0) == -1, errno == ESRCH { delete(name) }
        }
    }()
}

private final class Outcome<Value: Sendable>: Sendable {
    private let storage = Mutex<Result<Value, any Error>?>(nil)

    var value: Result<Value, any Error>? { storage.withLock { $0 } }

    func set(_ value: Result<Value, any Error>) {
        storage.withLock { $0 = value }
    }
}
