// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import BlockingHTTP
import Glibc
import LinuxIO

/// The API server, as far as discovery uses it. Any thread.
protocol KubernetesServer: Sendable {
    /// Requests a page of a list. Blocks.
    ///
    /// - Parameters:
    ///   - path: The path and the query.
    ///   - isCancelled: Asked about once a second.
    /// - Returns: The body.
    func list(_ path: String, isCancelled: @escaping @Sendable () -> Bool) throws(KubernetesFault) -> [UInt8]

    /// Watches until the server ends the response. Blocks.
    ///
    /// - Parameters:
    ///   - path: The path and the query.
    ///   - silence: The longest pause without an event.
    ///   - isCancelled: Asked about once a second.
    ///   - take: Receives each chunk; returns false to end the watch.
    func watch(
        _ path: String,
        silence: Duration,
        isCancelled: @escaping @Sendable () -> Bool,
        take: @escaping ([UInt8]) -> Bool
    ) throws(KubernetesFault)
}

/// The API server over HTTPS, with a bearer token that is read for each request.
struct KubernetesHTTPServer: KubernetesServer {
    /// The folder of the pod's service account.
    static let account = "/var/run/secrets/kubernetes.io/serviceaccount"

    /// The limit of a page of a list in bytes; a larger page is requested in smaller parts.
    private static let pageLimit = 32 << 20
    /// The time limit of a connection, and of a page.
    private static let timeout = Duration.seconds(30)

    private let settings: KubernetesSettings.Server
    private let environment: [String: String]

    /// - Parameter environment: Has `KUBERNETES_SERVICE_HOST` and `KUBERNETES_SERVICE_PORT` in a pod.
    init(_ settings: KubernetesSettings.Server, environment: [String: String] = Self.environment) {
        self.settings = settings
        self.environment = environment
    }

    /// The variables of the process that name the API server.
    private static var environment: [String: String] {
        var variables: [String: String] = [:]
        for name in ["KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"] {
            if let value = unsafe getenv(name) { variables[name] = unsafe String(cString: value) }
        }
        return variables
    }

    func list(_ path: String, isCancelled: @escaping @Sendable () -> Bool) throws(KubernetesFault) -> [UInt8] {
        let client = try client(isCancelled)
        let answer: BlockingHTTPClient.Answer
        do throws(HTTPClientError) {
            answer = try client.get(path, limit: Self.pageLimit)
        } catch {
            throw Self.fault(of: error)
        }
        return try Self.body(of: answer)
    }

    func watch(
        _ path: String,
        silence: Duration,
        isCancelled: @escaping @Sendable () -> Bool,
        take: @escaping ([UInt8]) -> Bool
    ) throws(KubernetesFault) {
        let client = try client(isCancelled)
        let answer: BlockingHTTPClient.Answer
        do throws(HTTPClientError) {
            answer = try client.stream(
                path,
                accept: "application/json",
                headers: [],
                opening: silence,
                silence: silence,
                take: take
            )
        } catch {
            throw Self.fault(of: error)
        }
        _ = try Self.body(of: answer)
    }

    private func client(_ isCancelled: @escaping @Sendable () -> Bool) throws(KubernetesFault) -> BlockingHTTPClient {
        var client = BlockingHTTPClient(HTTPEndpoint(url: try url()), timeout: Self.timeout)
        client.authorities = settings.authorities ?? (settings.url == nil ? "\(Self.account)/ca.crt" : nil)
        client.authorization =
            settings.authorization ?? (settings.url == nil ? .bearerFile("\(Self.account)/token") : nil)
        client.clientCertificate = settings.clientCertificate
        client.clientKey = settings.clientKey
        client.verifies = settings.verifies
        client.isCancelled = isCancelled
        return client
    }

    private func url() throws(KubernetesFault) -> String {
        if let url = settings.url { return url }
        guard let host = environment["KUBERNETES_SERVICE_HOST"], let port = environment["KUBERNETES_SERVICE_PORT"],
            !host.isEmpty, !port.isEmpty
        else {
            throw .connection(
                SourceError(.unreachable, "this is no pod: KUBERNETES_SERVICE_HOST is not set; api: names the server")
            )
        }
        return "https://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    private static func body(of answer: BlockingHTTPClient.Answer) throws(KubernetesFault) -> [UInt8] {
        guard answer.status == 200 else {
            throw .status(KubernetesStatus(status: answer.status, body: answer.body))
        }
        return answer.body
    }

    private static func fault(of error: HTTPClientError) -> KubernetesFault {
        error.code == .tooLarge ? .tooLarge : .connection(SourceError(error))
    }
}
