// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import BlockingHTTP
import Glibc
import LinuxIO
import Synchronization

/// The API of a container engine, as Docker and Podman have it. Requests name no version of the API, so that each engine answers with
/// its own.
struct ContainerEngine {
    /// The largest list in bytes.
    static let limit = 64 << 20

    /// Why a stream of events ended without an error.
    enum End: Sendable, Hashable {
        /// Something may have changed.
        case changed
        /// Nothing happened for the whole refresh interval, or the source was stopped.
        case silent
        /// The engine closed the stream.
        case closed
    }

    let settings: ContainerSettings
    let thread: SourceThread

    /// The list of containers, stopped ones too.
    func list() throws(SourceError) -> [Container] {
        let client = try client(settings.timeout)
        let answer: BlockingHTTPClient.Answer
        do throws(HTTPClientError) {
            answer = try client.get("/containers/json?all=true", limit: Self.limit)
        } catch {
            throw SourceError(error)
        }
        guard answer.status == 200 else { throw SourceError(status: answer.status) }
        return try ContainerListReader.read(answer.body)
    }

    /// Waits until something may have changed.
    ///
    /// - Parameter begin: The time before the last list, in nanoseconds since 1970: events since then count.
    func waitForChange(since begin: Int64) throws(SourceError) -> End {
        // Whole seconds, which every engine takes; the reader passes over what is earlier.
        let since = begin >= 1_000_000_000 ? "&since=\(begin / 1_000_000_000)" : ""
        // {"type":["container","network"]}
        let path = "/events?filters=%7B%22type%22%3A%5B%22container%22%2C%22network%22%5D%7D" + since
        let events = Mutex((reader: ContainerEvents(after: begin), result: Result<End, SourceError>.success(.closed)))
        let client = try client(settings.refresh)
        let answer: BlockingHTTPClient.Answer
        do throws(HTTPClientError) {
            answer = try client.stream(
                path,
                accept: "application/json",
                headers: [],
                silence: settings.refresh
            ) { piece in
                events.withLock { events in
                    do throws(SourceError) {
                        guard try events.reader.read(piece) else { return true }
                        events.result = .success(.changed)
                    } catch {
                        events.result = .failure(error)
                    }
                    return false
                }
            }
        } catch {
            switch error.code {
            // Both the first bytes and later ones may fail to come: nothing happened.
            case .timeout, .cancelled: return .silent
            // An engine that restarts cuts the stream; the next list tells whether it is there.
            case .garbled: return .closed
            default: throw SourceError(error)
            }
        }
        guard answer.status == 200 else { throw SourceError(status: answer.status) }
        return try events.withLock { $0.result }.get()
    }

    private func client(_ timeout: Duration) throws(SourceError) -> BlockingHTTPClient {
        var client = BlockingHTTPClient(try endpoint(), timeout: timeout)
        client.isCancelled = { [thread] in thread.isStopped }
        return client
    }

    /// The endpoint, once its socket was found usable: what the HTTP client reports of one that is not tells neither the path nor
    /// the cause.
    private func endpoint() throws(SourceError) -> HTTPEndpoint {
        let candidates = settings.endpoint.map { [$0] } ?? settings.sockets.map { HTTPEndpoint(unixSocket: $0) }
        for endpoint in candidates {
            guard let socket = endpoint.unixSocket else { return endpoint }
            if unsafe access(socket, W_OK) == 0 { return endpoint }
            if errno == EACCES {
                throw SourceError(.denied, "the system does not permit this user to write to \(socket)")
            }
        }
        let places = candidates.compactMap(\.unixSocket).joined(separator: ", ")
        throw SourceError(.unreachable, "there is no socket of a container engine: \(places)")
    }
}
