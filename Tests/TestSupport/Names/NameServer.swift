// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc
internal import LinuxIO
internal import Synchronization

/// A DNS server of a test's own: UDP, A, AAAA and SRV, answers from a table.
package final class NameServer: Sendable {
    /// How a name is answered.
    package enum Answer: Sendable {
        /// These IPv4 and IPv6 literals; a family without one gets "no data".
        case addresses([String], ttl: UInt32 = 60)
        /// Servers of a service (SRV) with their ports and names; no data for other types.
        case services([(port: UInt16, target: String)], ttl: UInt32 = 60)
        /// NXDOMAIN, as for every name that is not in the table.
        case noSuchName
        /// SERVFAIL.
        case failure
        /// Nothing at all.
        case silence
    }

    /// The port.
    package let port: UInt16
    /// The names that were asked for, as `name A`, `name AAAA` or `name SRV`, in their order.
    package let questions = Recorder<String>()
    private let loop: EventLoop
    private let table = Mutex<[String: Answer]>([:])

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - address: The literal to listen on, a link-local one with its interface.
    ///   - port: The port, 0 for any that is free; 53 needs the privilege, which a namespace of one's own gives.
    ///   - namespace: Where to listen; nil for the test's own.
    package init(_ address: String = "127.0.0.1", port: UInt16 = 53, in namespace: NetworkNamespace? = nil) throws {
        let open = { @Sendable () throws in try Self.open(address, port: port) }
        let (descriptor, bound) = try namespace.map { try $0.run(open) } ?? open()
        self.port = bound
        loop = try EventLoop(name: "test-dns")
        try loop.executeAndWait { [self] in watch(descriptor) }?.get()
    }

    /// Weak, because the loop holds the handler and this object holds the loop.
    private func watch(_ descriptor: OwnedDescriptor) -> Result<Void, SystemError> {
        do throws(SystemError) {
            _ = try loop.watch(descriptor.number, for: .readable) { [weak self] _ in self?.answer(on: descriptor) }
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    deinit {
        loop.close()
    }

    /// Says how a name is answered from now on.
    package func set(_ name: String, _ answer: Answer) {
        table.withLock { $0[name.lowercased()] = answer }
    }

    private static func open(_ address: String, port: UInt16) throws(SystemError) -> (OwnedDescriptor, UInt16) {
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        if address.contains(":") { return (try openIPv6(address, port: port, type: type), port) }
        let socket = OwnedDescriptor(owning: try systemCall("socket") { Glibc.socket(AF_INET, type, 0) })
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        unsafe inet_pton(AF_INET, address, &name.sin_addr)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try systemCall("bind") {
            unsafe withUnsafeMutablePointer(to: &name) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    let code = unsafe bind(socket.number, $0, size)
                    return unsafe code == 0 ? getsockname(socket.number, $0, &size) : code
                }
            }
        }
        return (socket, UInt16(bigEndian: name.sin_port))
    }

    private static func openIPv6(_ address: String, port: UInt16, type: Int32) throws(SystemError) -> OwnedDescriptor {
        let socket = OwnedDescriptor(owning: try systemCall("socket") { Glibc.socket(AF_INET6, type, 0) })
        let parts = address.split(separator: "%")
        var name = sockaddr_in6()
        name.sin6_family = sa_family_t(AF_INET6)
        name.sin6_port = port.bigEndian
        name.sin6_scope_id = parts.count > 1 ? unsafe if_nametoindex(String(parts[1])) : 0
        unsafe inet_pton(AF_INET6, String(parts[0]), &name.sin6_addr)
        try systemCall("bind") {
            unsafe withUnsafePointer(to: &name) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(socket.number, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        }
        return socket
    }

    private func answer(on socket: OwnedDescriptor) {
        var query = [UInt8](repeating: 0, count: 1500)
        var sender = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        unsafe withUnsafeMutablePointer(to: &sender) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { sender in
                while true {
                    let count = unsafe recvfrom(socket.number, &query, query.count, 0, sender, &length)
                    guard count > 0 else { return }
                    guard let reply = reply(to: Array(query[..<count])) else { continue }
                    _ = unsafe sendto(socket.number, reply, reply.count, 0, sender, length)
                }
            }
        }
    }

    private func reply(to query: [UInt8]) -> [UInt8]? {
        guard let question = NameQuestion(query) else { return nil }
        let answer = table.withLock { $0[question.name] } ?? .noSuchName
        questions.record("\(question.name) \(question.isService ? "SRV" : question.isIPv6 ? "AAAA" : "A")")
        switch answer {
        case .silence: return nil
        case .failure: return question.reply(code: 2, addresses: [], ttl: 0)
        case .noSuchName: return question.reply(code: 3, addresses: [], ttl: 0)
        case .services(let services, let ttl):
            return question.reply(services: services, ttl: ttl)
        case .addresses(let addresses, let ttl):
            let family = question.isIPv6 ? AF_INET6 : AF_INET
            let records = addresses.compactMap { text -> [UInt8]? in
                var bytes = [UInt8](repeating: 0, count: question.isIPv6 ? 16 : 4)
                return unsafe inet_pton(family, text, &bytes) == 1 ? bytes : nil
            }
            return question.reply(code: 0, addresses: records, ttl: ttl)
        }
    }
}
