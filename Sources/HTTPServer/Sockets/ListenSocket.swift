// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CMicroHTTPD
import Glibc
import LinuxIO

/// A listening socket.
struct ListenSocket: Sendable {
    /// Maximum bytes of a unix socket's path, including its NUL.
    static let pathLimit = 108

    /// The descriptor; the receiver must close it.
    let descriptor: Int32
    /// The address with the port that the kernel chose if none was given.
    let address: ListenAddress

    /// Binds and listens.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - isDualStack: Whether `::` accepts IPv4 clients too.
    ///   - backlog: The maximum number of clients waiting to be accepted.
    /// - Throws: ``HTTPServerError``; nothing stays open.
    init(_ address: ListenAddress, isDualStack: Bool, backlog: Int32) throws(HTTPServerError) {
        do {
            switch address {
            case .tcp("*", let port):
                do {
                    self = try Self.tcp(host: "::", port: port, isDualStack: isDualStack, backlog: backlog)
                } catch  where error.code == EAFNOSUPPORT || error.code == EADDRNOTAVAIL {
                    self = try Self.tcp(host: "0.0.0.0", port: port, isDualStack: false, backlog: backlog)
                }
            case .tcp("localhost", let port):
                self = try Self.tcp(host: "127.0.0.1", port: port, isDualStack: false, backlog: backlog)
            case .tcp(let host, let port):
                self = try Self.tcp(host: host, port: port, isDualStack: isDualStack, backlog: backlog)
            case .unix(let path, let mode):
                self = try Self.unix(path: path, mode: mode, backlog: backlog)
            }
        } catch {
            throw HTTPServerError(error, address: address)
        }
    }

    // MARK: TCP

    private static func tcp(
        host: String,
        port: UInt16,
        isDualStack: Bool,
        backlog: Int32
    ) throws(SystemError) -> ListenSocket {
        var made: (descriptor: Int32, port: UInt16) = (-1, 0)
        unsafe try resolve(host: host, port: port) { found throws(SystemError) in
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            let descriptor = try systemCall("socket") { socket(unsafe found.pointee.ai_family, kind, 0) }
            do throws(SystemError) {
                try set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
                if unsafe found.pointee.ai_family == AF_INET6 {
                    try set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, isDualStack ? 0 : 1)
                }
                try systemCall("bind") {
                    unsafe bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen)
                }
                try systemCall("listen") { listen(descriptor, backlog) }
                made = (descriptor, try boundPort(descriptor))
            } catch {
                close(descriptor)
                throw error
            }
        }
        return ListenSocket(descriptor: made.descriptor, address: .tcp(host: host, port: made.port))
    }

    /// Calls a body with the socket address of a literal; never uses DNS.
    private static func resolve(
        host: String,
        port: UInt16,
        _ body: (UnsafeMutablePointer<addrinfo>) throws(SystemError) -> Void
    ) throws(SystemError) {
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, "\(port)", &hints, &list) == 0, let found = unsafe list else {
            throw SystemError(code: EADDRNOTAVAIL, operation: "getaddrinfo")
        }
        defer { unsafe freeaddrinfo(found) }
        unsafe try body(found)
    }

    private static func boundPort(_ descriptor: Int32) throws(SystemError) -> UInt16 {
        let storage = try boundAddress(descriptor).storage
        // The port is at the same offset in both families.
        return unsafe withUnsafeBytes(of: storage) { bytes in
            UInt16(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }

    private static func boundAddress(
        _ descriptor: Int32
    ) throws(SystemError) -> (storage: sockaddr_storage, length: Int) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        try systemCall("getsockname") {
            unsafe withUnsafeMutablePointer(to: &storage) { storage in
                unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe getsockname(descriptor, address, &length)
                }
            }
        }
        return (storage, Int(length))
    }

    /// The address of a listening socket of any origin.
    static func address(of descriptor: Int32) throws(SystemError) -> ListenAddress {
        let (storage, length) = try boundAddress(descriptor)
        switch Int32(storage.ss_family) {
        case AF_INET, AF_INET6:
            let peer = unsafe withUnsafePointer(to: storage) { storage in
                unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe PeerAddress($0) }
            }
            return .tcp(host: peer.host, port: try boundPort(descriptor))
        case AF_UNIX:
            let path = unsafe withUnsafeBytes(of: storage) { bytes in
                unsafe Array(bytes[min(2, length)..<min(length, bytes.count)])
            }
            // A name that begins with NUL is in no file system; systemd writes @ for it.
            let isAbstract = path.first == 0
            let name = isAbstract ? Array(path.dropFirst()) : Array(path.prefix { $0 != 0 })
            return .unix(
                path: (isAbstract ? "@" : "") + String(decoding: name, as: UTF8.self),
                mode: ListenAddress.defaultMode
            )
        default:
            throw SystemError(code: EAFNOSUPPORT, operation: "getsockname")
        }
    }

    /// Takes ownership of an existing socket's descriptor.
    init(descriptor: Int32, address: ListenAddress) {
        self.descriptor = descriptor
        self.address = address
    }

    private static func set(
        _ descriptor: Int32,
        _ level: Int32,
        _ option: Int32,
        _ value: Int32
    ) throws(SystemError) {
        var value = value
        try systemCall("setsockopt") {
            unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    // MARK: Unix

    private static func unix(path: String, mode: UInt32, backlog: Int32) throws(SystemError) -> ListenSocket {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < pathLimit else { throw SystemError(code: ENAMETOOLONG, operation: "bind") }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)

        try removeStale(path, address)
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = try systemCall("socket") { socket(AF_UNIX, kind, 0) }
        do throws(SystemError) {
            // Before bind(2), so that no client can connect to the file before its permissions are set.
            try systemCall("fchmod") { fchmod(descriptor, mode) }
            try systemCall("bind") { unsafe withSocketAddress(&address) { unsafe bind(descriptor, $0, length) } }
            try systemCall("chmod") { unsafe chmod(path, mode) }
            try systemCall("listen") { listen(descriptor, backlog) }
        } catch {
            close(descriptor)
            throw error
        }
        return ListenSocket(descriptor: descriptor, address: .unix(path: path, mode: mode))
    }

    /// Removes a socket file without a listener; any other file stays and makes bind(2) fail.
    private static func removeStale(_ path: String, _ address: sockaddr_un) throws(SystemError) {
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFSOCK else { return }
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let probe = OwnedDescriptor(owning: try systemCall("socket") { socket(AF_UNIX, kind, 0) })
        var address = address
        let result = unsafe withSocketAddress(&address) {
            unsafe connect(probe.number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
        if result == -1, errno == ECONNREFUSED { unsafe unlink(path) }
    }

    private static func withSocketAddress<Result>(
        _ address: inout sockaddr_un,
        _ body: (UnsafePointer<sockaddr>) -> Result
    ) -> Result {
        unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0) }
        }
    }
}
