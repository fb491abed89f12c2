// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
package import LinuxIO

/// Runs probes on an event loop. On the loop's thread.
///
/// A run keeps its deadline by the loop's clock. Its completion is called exactly once, on the loop's thread, never
/// from inside ``start(_:under:completion:)`` or ``ProbeRun/cancel()``, and after its descriptors are closed. The
/// sockets for ICMP, one per family for all runs, stay open for two seconds after their last use.
package final class ProbeRunner {
    private let loop: EventLoop
    private let resolver: Resolver
    private let services: ProbeServices
    private var works: [ObjectIdentifier: ProbeWork] = [:]
    private var finished = CompletionQueue<ProbeResult>()
    private var isClosed = false

    /// Creates a runner. On the loop's thread.
    ///
    /// - Parameters:
    ///   - loop: The loop of all runs; its clock measures the deadlines.
    ///   - resolver: The resolver of names, on the same loop; its creator closes it.
    ///   - wallClock: The time in seconds since 1970, for the validity of certificates.
    ///   - opened: Receives each TCP socket before it connects.
    package init(
        loop: EventLoop,
        resolver: Resolver,
        wallClock: @escaping @Sendable () -> Int64 = { SystemTime.now() },
        opened: ConnectionHandler? = nil
    ) {
        self.loop = loop
        self.resolver = resolver
        let tls = TLSService(wallClock: wallClock)
        services = ProbeServices(
            echo: EchoService(loop: loop),
            tls: tls,
            http: HTTPServices(loop: loop, resolver: resolver, tls: tls),
            opened: opened
        )
    }

    deinit {
        // Destroying the runner ends its runs; their descriptors must not stay with the loop.
        for work in works.values {
            work.completion = { _ in }
            work.cancel()
        }
        services.close()
    }

    /// Starts a run.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - policy: The policy, when an API client set the target; a denied run ends as `target_denied` before it sends
    ///     a packet.
    ///   - completion: Receives the result, once, in a later turn of the loop; after ``close()`` as cancelled.
    /// - Returns: A handle to cancel the run; it need not be kept.
    @discardableResult
    package func start(
        _ request: ProbeRequest,
        under policy: TargetPolicy? = nil,
        completion: @escaping (ProbeResult) -> Void
    ) -> ProbeRun {
        run(request, under: policy, completion: completion) { [services] context in
            request.kind.settings.attempt(context, services)
        }
    }

    /// Hands a message to a mail server.
    ///
    /// - Parameters:
    ///   - mail: The message.
    ///   - server: The server.
    ///   - password: The password of the server's user; nil: no authentication.
    ///   - timeout: The timeout, including name resolution, until the message is sent. The server then has ten minutes to reply
    ///     (RFC 5321, section 4.5.3.2.6).
    ///   - completion: Receives the result, and the reply that decided, as in ``start(_:under:completion:)``. A reply from 200 to 299 is
    ///     an acceptance, whatever the connection came to then.
    /// - Returns: A handle to cancel the run; it need not be kept.
    @discardableResult
    package func send(
        _ mail: Mail,
        to server: MailServer,
        password: String?,
        timeout: Duration,
        completion: @escaping (ProbeResult, MailReply?) -> Void
    ) -> ProbeRun {
        let host = IPAddress(server.host).map(ProbeHost.address) ?? .name(server.host)
        // To name resolution it is a connection like any other.
        let request = ProbeRequest(
            host: host,
            kind: .tcp(TCPProbeSettings(port: server.port)),
            timeout: timeout,
            interface: server.interface
        )
        let login = server.login.flatMap { login in password.map { (user: login.user, password: $0) } }
        let plan = StreamPlan(
            port: server.port,
            startTLS: server.security == .startTLS ? .smtp : nil,
            tls: server.security == .none ? nil : server.tls
        )
        var reply: MailReply?
        return run(request, under: nil, completion: { completion($0, reply) }) { [services] context in
            let dialogue = MailDialogue(mail, login: login, isGreeted: plan.startTLS != nil) { reply = $0 }
            return StreamProbe(plan, context, services.tls, conversation: dialogue)
        }
    }

    private func run(
        _ request: ProbeRequest,
        under policy: TargetPolicy?,
        completion: @escaping (ProbeResult) -> Void,
        attempt: @escaping (AttemptContext) -> any ProbeAttempt
    ) -> ProbeRun {
        let work = ProbeWork(
            request,
            policy: policy,
            loop: loop,
            resolver: resolver,
            services: services,
            attempt: attempt
        )
        let key = ObjectIdentifier(work)
        works[key] = work
        work.completion = { [unowned self] result in
            works[key] = nil
            // The loop retains the runner until the completions were called.
            finished.add(result, for: completion, on: loop) { [self] in
                for (completion, result) in finished.take() { completion(result) }
            }
        }
        let run = ProbeRun(work)
        if isClosed { work.cancel() } else { work.start() }
        return run
    }

    /// The number of active runs.
    package var runsInFlight: Int { works.count }

    /// Cancels all runs and closes every socket; later runs are cancelled at once. A second call does nothing.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        for work in Array(works.values) { work.cancel() }
        services.close()
    }
}

/// Work on an event loop that can be cancelled.
protocol CancellableWork: AnyObject {
    /// Ends the work; a second call, or one after the end, does nothing.
    func cancel()
}

/// A handle to cancel an active probe or trace. On the loop's thread.
package final class ProbeRun {
    private weak var work: (any CancellableWork)?

    init(_ work: any CancellableWork) {
        self.work = work
    }

    /// Cancels the work: when this returns, its descriptors are closed and its timers gone. Its completion is called
    /// with ``ProbeReason/cancelled`` in a later turn of the loop. A second call, or one after the end, does nothing.
    package func cancel() {
        work?.cancel()
        work = nil
    }
}
