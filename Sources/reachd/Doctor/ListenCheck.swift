// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Glibc
import HTTPServer
import JSON
import LinuxIO
import NetworkPaths
import ReachAPI

/// Whether the service could listen on its configured addresses, or does already.
enum ListenCheck {
    typealias Check = DiagnosisListing.Check

    /// - Parameter file: the configuration file that the settings are from; nil for none.
    static func checks(_ settings: HTTPSettings, file: String?) -> [Check] {
        settings.listen.map { place in
            guard let address = place.address, let endpoint = ServiceEndpoint(address) else {
                return Check("listen", .ok, "\(place) is a socket of the service manager")
            }
            guard let error = bind(address, endpoint) else { return Check("listen", .ok, "\(place) is free") }
            if error.code == EADDRINUSE {
                return isReachd(place, settings)
                    ? running(place, settings, file)
                    : Check(
                        "listen",
                        .fail,
                        "another program listens on \(place)",
                        advice: "stop it (see ss -ltnp), or choose another address with listen or --listen"
                    )
            }
            let advice =
                error.code == EACCES
                ? "choose a port from 1024, or grant CAP_NET_BIND_SERVICE; for a unix socket choose a writable directory"
                : "this machine does not have the address, or the directory is missing; choose another with listen or --listen"
            return Check("listen", .fail, "\(place): \(error)", advice: advice)
        }
    }

    /// Binds a socket and lets it go again; what is wrong, if something is.
    private static func bind(_ address: ListenAddress, _ endpoint: ServiceEndpoint) -> SystemError? {
        if case .unix(let path) = endpoint {
            let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
            guard unsafe access(folder.isEmpty ? "/" : String(folder), W_OK | X_OK) == 0 else {
                return SystemError(code: errno, operation: "access")
            }
            // A socket file without a listener is replaced.
            return connect(endpoint) ? SystemError(code: EADDRINUSE, operation: "bind") : nil
        }
        guard case .tcp(let host, let port) = address, case .tcp(let reached, _) = endpoint else { return nil }
        let ip = IPAddress(host) ?? reached
        let wanted = ServiceEndpoint.tcp(ip, port: port)
        do throws(SystemError) {
            let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            let family = ip.family == .ipv4 ? AF_INET : AF_INET6
            let socket = OwnedDescriptor(owning: try systemCall("socket") { Glibc.socket(family, type, 0) })
            var one: Int32 = 1
            unsafe setsockopt(socket.number, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
            let code = unsafe SocketAddress.with(wanted) { pointer, length in
                unsafe Glibc.bind(socket.number, pointer, length) == 0 ? 0 : errno
            }
            return code == 0 ? nil : SystemError(code: code, operation: "bind")
        } catch {
            return error
        }
    }

    private static func connect(_ endpoint: ServiceEndpoint) -> Bool {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        guard let number = try? systemCall("socket", { Glibc.socket(AF_UNIX, type, 0) }) else { return false }
        let socket = OwnedDescriptor(owning: number)
        return unsafe SocketAddress.with(endpoint) { pointer, length in
            unsafe Glibc.connect(socket.number, pointer, length) == 0
        }
    }

    private static func isReachd(_ place: ListenSettings, _ settings: HTTPSettings) -> Bool {
        ask(place, settings, "/livez")?["status"]?.text == "ok"
    }

    /// Compares the file of the service that listens with the one that is checked here. A service that requires a token does not tell.
    private static func running(_ place: ListenSettings, _ settings: HTTPSettings, _ file: String?) -> Check {
        let words = "reachd already listens on \(place)"
        guard let service = ask(place, settings, "/status")?["service"] else { return Check("listen", .ok, words) }
        let used = service["configuration"]?.words
        guard used != file.map({ FilePattern.real($0) ?? $0 }) else { return Check("listen", .ok, words) }
        return Check(
            "listen",
            .warn,
            "\(words), with \(used.map { "the configuration file \($0)" } ?? "no configuration file")",
            advice: used.map { "this looked at another configuration; use reachd doctor --config \($0)" }
                ?? "this looked at a file that the service does not use"
        )
    }

    private static func ask(_ place: ListenSettings, _ settings: HTTPSettings, _ path: String) -> JSONValue? {
        guard let endpoint = place.address.flatMap(ServiceEndpoint.init) else { return nil }
        return RunningService.body(path, settings) { "\($0)".contains("\(endpoint)") }
    }
}
