// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Fleet
import Glibc
import HTTPServer
import History
import LinuxIO
import Logging
import Monitoring
import NetworkPaths
import Notifying
import ReachAPI
import Schema
import Synchronization
import Targets
import Traffic

/// The engine, the registry and the HTTP interface, wired together; and what signals do to them.
final class Service: Sendable {
    private let source: ConfigurationSource
    private let notifier: ServiceNotifier
    private let output: LogOutput
    private let log: Logger
    private let registry: Registry
    private let history: HistoryRecorder?
    private let notifications: Notifier
    private let past: TargetHistory?
    private let engine: PathEngine
    private let probes: ProbeMonitor
    private let server: HTTPServer
    /// Serves only the public status page; nil unless it has an address of its own.
    private let publicServer: HTTPServer?
    private let listeners: ServiceListeners
    private let certificates: CertificateMonitor
    private let handler: RequestHandler
    private let book: TargetStore
    private let discovery: ThreadConfined<TargetDiscovery>
    private let discoveryStatuses: DiscoveryStatuses
    private let watcher: ThreadConfined<ConfigurationWatcher>
    /// The files that the service was started with, and their contents.
    private let initialFiles: (ConfigurationFiles, ConfigurationFingerprint)
    /// The part in a fleet; nil without one.
    private let fleet: ServiceFleet?
    private let watchdog: Watchdog?
    /// Where the configuration is read again: meanwhile a signal to stop is still handled.
    private let control: EventLoop
    /// What is in force. Written on the control loop only.
    private let configuration: Mutex<ReachdConfiguration>
    /// How reading the configuration went last.
    private let lastReload: Mutex<ServiceFacts.Reload>
    private let reportedOverruns = Mutex<UInt64>(0)

    /// Reads the configuration and starts to watch; nothing listens yet.
    ///
    /// - Throws: ``ServiceFailure`` with everything that is wrong.
    init(
        source: ConfigurationSource,
        notifier: ServiceNotifier,
        activation: SocketActivation
    ) throws(ServiceFailure) {
        HeapMemory.returnLargeBlocks()
        let raising = Result { () throws(SystemError) in try DescriptorLimit.raise() }
        let loaded: LoadedConfiguration
        do throws(ConfigurationDiagnostics) {
            loaded = try source.load()
        } catch {
            throw ServiceFailure(.configuration, error.diagnostics.map(\.description))
        }
        let configuration = loaded.configuration
        let listeners = try ServiceListeners(configuration.http.listen, activation: activation)
        self.listeners = listeners
        self.source = source
        self.notifier = notifier
        self.configuration = Mutex(configuration)
        initialFiles = (loaded.files, loaded.fingerprint)
        lastReload = Mutex(ServiceFacts.Reload(isSuccessful: true, at: SystemWallClock().now()))
        output = LogOutput(configuration.log)
        log = output.logger("reachd")
        if case .failure(let error) = raising {
            log.warning("cannot raise the soft limit of descriptors", metadata: ["error": "\(error)"])
        }
        if let limit = DescriptorLimit.read()?.soft {
            let budget = DescriptorBudget(limit: limit, configuration)
            if !budget.isEnough {
                log.notice("descriptor limit: \(budget.words)", metadata: ["limit": "\(limit)"])
            }
        }
        for warning in loaded.warnings { log.warning("\(warning)") }
        for address in listeners.unused {
            log.warning("a socket from the service manager is not used by listen", metadata: ["address": "\(address)"])
        }
        let registry = Registry(log: configuration.events)
        self.registry = registry
        // Before anything happens: what does is in it, or is not seen.
        history = try HistoryRecorder.started(
            configuration.history,
            environment: source.loader.environment,
            registry: registry,
            log: output.logger("history")
        )
        registry.beginIncidents(history?.incidents() ?? [])
        do throws(SystemError) {
            past =
                try history == nil
                ? nil
                : TargetHistory(
                    configuration.history,
                    environment: source.loader.environment,
                    registry: registry,
                    log: output.logger("history")
                )
        } catch {
            history?.stop()
            throw ServiceFailure(.system, ["reachd: \(error)"])
        }
        do throws(PathEngineError) {
            engine = try PathEngine(options: configuration.paths, observer: registry)
        } catch {
            past?.stop()
            history?.stop()
            throw ServiceFailure(ExitStatus(error.code), ["reachd: \(error.message)"])
        }
        let pulse: (period: UInt64, loop: EventLoop)?
        do throws(SystemError) {
            control = try EventLoop(name: "reachd-control")
            pulse =
                if let period = Watchdog.period(source.loader.environment) {
                    (period, try EventLoop(name: "reachd-watchdog"))
                } else {
                    nil
                }
            notifications = try Notifier.service(
                registry,
                hasFleet: configuration.fleet.database != nil,
                ledger: history,
                log: output.logger("notify")
            )
            probes = try ProbeMonitor(registry: registry, settings: configuration.probing)
            probes.apply(configuration.http.targetPolicy)
            past?.record(trafficOf: probes)
            if let error = probes.trafficStatus.error {
                log.warning(
                    "connections are not observed",
                    metadata: ["code": "\(error.code.rawValue)", "error": "\(error)"]
                )
            }
        } catch {
            engine.close()
            past?.stop()
            history?.stop()
            throw ServiceFailure(.system, ["reachd: \(error)"])
        }
        let log = log
        do throws(ServiceFailure) {
            book = try TargetStore.started(
                configuration,
                environment: source.loader.environment,
                registry: registry,
                log: log
            )
        } catch {
            probes.close()
            engine.close()
            notifications.stop()
            past?.stop()
            history?.stop()
            throw error
        }
        let found = TargetDiscovery(loop: control, store: book, registry: registry, log: { log.log($0) })
        discoveryStatuses = found.statuses
        discovery = ThreadConfined(found, to: control)
        do throws(ServiceFailure) {
            let log = output.logger("fleet")
            fleet = try ServiceFleet(
                configuration.fleet,
                registry: registry,
                history: history,
                // The event log is this process's alone, and so is a file with its name.
                cache: history == nil
                    ? nil
                    : configuration.history.file(source.loader.environment).map { StateFile("\($0).assignments") },
                past: past,
                targets: FleetTargets(control: control, book: book, probes: probes, log: log),
                log: log,
                notifyLog: output.logger("notify")
            )
        } catch {
            probes.close()
            engine.close()
            notifications.stop()
            past?.stop()
            history?.stop()
            throw error
        }
        let information = ServiceInformation(
            version: Program.version,
            startedAt: SystemWallClock().now(),
            host: MachineName.current,
            configuration: source.path.map { FilePattern.real($0) ?? $0 }
        )
        let link = ServiceLink()
        watcher = ThreadConfined(
            ConfigurationWatcher(loop: control, log: log) { _ = link.service?.reloadNow() },
            to: control
        )
        let handler = RequestHandler(
            registry: registry,
            service: information,
            settings: listeners.apiSettings(configuration.http),
            probes: probes,
            editing: book,
            history: history,
            notifications: Self.reports(notifications, fleet),
            past: past?.reader,
            wiring: Self.wiring(link, control: control, past: past, fleet: fleet, book: book)
        )
        handler.apply(configuration.probeModules)
        self.handler = handler
        let httpLog = output.logger("http")
        server = HTTPServer(
            settings: Self.serverSettings(configuration.http, listeners.listeners, httpLog),
            handler: { handler.respond(to: $0) }
        )
        publicServer = configuration.http.publicListen.map { address in
            Self.publicServer(at: address, configuration.http, handler, httpLog)
        }
        certificates = CertificateMonitor(
            server: server,
            paths: configuration.http.listen.compactMap(\.tls).flatMap { [$0.certificate, $0.key] },
            loop: control,
            log: output.logger("tls")
        )
        watchdog = pulse.map { [engine, probes, server] pulse in
            Watchdog(
                period: pulse.period,
                notifier: notifier,
                loop: pulse.loop,
                log: log,
                watched: [
                    Watchdog.Watched(name: "paths", ping: { engine.ping($0) }),
                    Watchdog.Watched(name: "probes", ping: { probes.ping($0) }),
                    Watchdog.Watched(name: "http", ping: { server.ping($0) }),
                ]
            )
        }
        link.connect(to: self)
    }

    private static func reports(_ own: Notifier, _ fleet: ServiceFleet?) -> any NotificationReporting {
        if let fleet { FleetNotificationReports(own: own, fleet: fleet.notifications) } else { own }
    }

    private static func serverSettings(
        _ configured: HTTPSettings,
        _ listeners: [Listener],
        _ log: Logger
    ) -> HTTPServerSettings {
        var settings = HTTPServerSettings(listeners: listeners)
        settings.limits = configured.limits
        settings.logger = { log.warning("\($0)") }
        settings.refusal = { RequestHandler.refusal(status: $0, detail: $1) }
        return settings
    }

    /// The server of the public status page alone.
    private static func publicServer(
        at address: ListenAddress,
        _ configured: HTTPSettings,
        _ handler: RequestHandler,
        _ log: Logger
    ) -> HTTPServer {
        let settings = serverSettings(configured, [Listener(.address(address))], log)
        return HTTPServer(settings: settings, handler: { handler.respondPublic(to: $0) })
    }

    private static func wiring(
        _ link: ServiceLink,
        control: EventLoop,
        past: TargetHistory?,
        fleet: ServiceFleet?,
        book: TargetStore
    ) -> RequestHandler.ServiceDependencies {
        RequestHandler.ServiceDependencies(
            wakeStreams: { link.service?.server.wakeStreams() },
            write: { job in control.execute(job) },
            read: { job in
                guard let past else {
                    control.execute(job)
                    return
                }
                past.read(job)
            },
            reload: { link.service?.reloadNow() ?? .rejected([]) },
            facts: { link.service?.facts ?? ServiceFacts() },
            fleet: { fleet?.membership.status },
            fleetReader: fleet?.reader,
            fleetBodies: fleet.map { _ in FleetBodyReader(policy: { book.policy }) },
            keepHeartbeat: { fleet?.membership.keepHeartbeat(isFailure: $0, detail: $1, of: $2) }
        )
    }

    /// Listens, and hands the targets to the engine. Answers come from the first moment; `/readyz` says when all are in.
    func start() throws(ServiceFailure) {
        let configuration = configuration.withLock { $0 }
        do throws(HTTPServerError) {
            try server.start()
            try publicServer?.start()
        } catch {
            server.stop(deadline: .zero)
            engine.close()
            notifications.stop()
            past?.stop()
            history?.stop()
            throw Self.failure(error)
        }
        certificates.start()
        let server = server
        registry.onEvents { [weak self] in
            server.wakeStreams()
            self?.reportOverruns()
        }
        registry.connect(to: engine)
        // In one turn: what a source reports meanwhile comes after it.
        control.executeAndWait { [discovery, book] in
            _ = book.apply(configuration, found: discovery.value.apply(configuration))
        }
        fleet?.membership.start()
        notifications.apply(configuration.receivers)
        fleet?.notifications.apply(configuration.receivers)
        control.execute { [watcher, initialFiles] in
            watcher.value.follow(initialFiles.0, initialFiles.1, when: configuration.reload)
        }
        Self.returnMemory()
        for address in server.addresses { log.info("listening", metadata: ["address": "\(address)"]) }
        for address in publicServer?.addresses ?? [] {
            log.info("public status page", metadata: ["address": "\(address)"])
        }
        for url in pages(configuration.http) { log.info("web page", metadata: ["url": "\(url)"]) }
        let count = configuration.targets.count
        log.info(
            "watching",
            metadata: ["targets": "\(count)", "automatic": "\(configuration.watchesAutomatically)"]
        )
        notifier.ready("watching \(count) configured targets")
        watchdog?.start()
    }

    /// Where browsers on this machine find the page.
    private func pages(_ settings: HTTPSettings) -> [String] {
        zip(server.addresses, listeners.listeners).compactMap { address, listener in
            PageAddress.url(at: address, isSecure: listener.certificate != nil, basePath: settings.api.basePath)
        }
    }

    /// Metrics that the HTTP interface does not know itself.
    private var facts: ServiceFacts {
        var facts = ServiceFacts()
        facts.server = server.statistics
        facts.paths = engine.statistics
        facts.process = ProcessStatistics.read()
        facts.history = history?.status
        facts.reload = lastReload.withLock { $0 }
        facts.discovery = discoveryStatuses.all
        return facts
    }

    /// Says that the kernel's messages came faster than they were read; all was looked at again since.
    private func reportOverruns() {
        let total = engine.statistics.overruns
        let reported = reportedOverruns.withLock { reported in
            defer { reported = total }
            return reported
        }
        guard total > reported else { return }
        log.warning("netlink messages were lost; all paths were evaluated again", metadata: ["overruns": "\(total)"])
    }

    /// Reads the configuration again, in the background; in force afterwards is either all of the new or all of the old.
    func reload() {
        control.execute { [self] in _ = reloadNow() }
    }

    /// Ends streams and connections, then the engine. On the thread of the signals; a second call does nothing.
    func stop() {
        notifier.stopping()
        watchdog?.stop()
        // First, so that other nodes take over while this one ends.
        fleet?.stop(within: .milliseconds(500))
        certificates.close()
        publicServer?.stop(deadline: .milliseconds(100))
        server.stop(deadline: .milliseconds(400))
        control.execute { [discovery, watcher] in
            discovery.value.close()
            watcher.value.close()
        }
        registry.disconnect()
        probes.close()
        engine.close()
        notifications.stop()
        // After everything that could still happen.
        let deadline = Deadline(after: HistorySettings.endingLimit)
        past?.stop(by: deadline)
        history?.stop(within: deadline.left)
        log.info("stopped")
    }

    // MARK: On the control loop

    private func reloadNow() -> ReloadOutcome {
        notifier.reloading()
        let outcome = reloaded()
        certificates.reload()
        Self.returnMemory()
        let count = configuration.withLock { $0.targets.count }
        notifier.ready("watching \(count) configured targets")
        return outcome
    }

    private func reloaded() -> ReloadOutcome {
        let old = configuration.withLock { $0 }
        let loaded: LoadedConfiguration
        do throws(ConfigurationDiagnostics) {
            loaded = try source.load()
        } catch {
            lastReload.withLock { $0.isSuccessful = false }
            for fault in error.diagnostics { log.error("\(fault)") }
            log.error(
                "configuration rejected; keeping the old one",
                metadata: ["faults": "\(error.diagnostics.count)"]
            )
            registry.announce(.rejected(faults: error.diagnostics.map(\.description)))
            return ReloadOutcome(error)
        }
        let new = loaded.configuration
        let difference = ConfigurationDifference(from: old, to: new)
        configuration.withLock { $0 = new.sharing(with: old) }
        output.apply(new.log)
        for warning in loaded.warnings { log.warning("\(warning)") }
        if new.paths != old.paths { engine.apply(new.paths) }
        handler.apply(new.http.api.access)
        handler.apply(new.probeModules)
        var page = new.http.api.publicPage
        // An address takes effect at the next start.
        page.hasListener = publicServer != nil
        handler.apply(page)
        lastReload.withLock { $0 = ServiceFacts.Reload(isSuccessful: true, at: SystemWallClock().now()) }
        probes.apply(new.http.targetPolicy)
        history?.apply(new.history.settings)
        past?.apply(new.history.rollups)
        probes.apply(anchors: new.probing.anchors, quorum: new.probing.quorum)
        watcher.value.follow(loaded.files, loaded.fingerprint, when: new.reload)
        let adopted = book.apply(new, found: discovery.value.apply(new))
        let changes = adopted.changes
        if difference.settings.contains(where: { $0.key == "notify" }) {
            notifications.apply(new.receivers)
            fleet?.notifications.apply(new.receivers)
        }
        registry.announce(.reloaded(targets: changes, settings: difference.settings.map(\.key)))
        for setting in difference.needsRestart {
            log.warning("a changed setting takes effect after a restart", metadata: ["key": "\(setting.key)"])
        }
        log.info(
            "configuration reloaded",
            metadata: [
                "added": "\(changes.added)", "updated": "\(changes.updated)", "removed": "\(changes.removed)",
                "unchanged": "\(changes.unchanged)",
            ]
        )
        return ReloadOutcome(adopted, difference, warnings: loaded.warnings)
    }

    /// Gives the memory back that reading a large configuration took; the C library would keep it for the next one.
    private static func returnMemory() {
        HeapMemory.trim()
    }

    private static func failure(_ error: HTTPServerError) -> ServiceFailure {
        let next: String
        switch error.code {
        case .addressInUse: next = "another program listens there; stop it, or choose another address with --listen"
        case .addressNotAvailable:
            next = "this machine does not have the address, or the directory is missing; choose another with --listen"
        case .permissionDenied:
            next =
                "choose a port from 1024 with --listen, or grant CAP_NET_BIND_SERVICE; for a unix socket choose a "
                + "writable directory"
        case .unusableCertificate:
            return ServiceFailure(.configuration, ["reachd: cannot use the certificate: \(error.message)"])
        default: return ServiceFailure(.system, ["reachd: cannot listen: \(error.message)"])
        }
        return ServiceFailure(.unavailable, ["reachd: cannot listen on \(error.message): \(next)"])
    }
}

/// Reaches a ``Service`` from parts that are created before it; the service is not kept alive.
final class ServiceLink: Sendable {
    private struct State {
        weak var service: Service?
    }

    private let state = Mutex(State())

    /// The service; nil before it is complete and after it ended.
    var service: Service? { state.withLock { $0.service } }

    /// Sets the service; once.
    func connect(to service: Service) { state.withLock { $0.service = service } }
}

/// Where the configuration comes from, so that it can be read again.
struct ConfigurationSource: Sendable {
    /// The file; nil for none.
    let path: String?
    let loader: ConfigurationLoader

    func load() throws(ConfigurationDiagnostics) -> LoadedConfiguration {
        try loader.load(file: path)
    }
}

/// Where a browser on this machine finds the page.
enum PageAddress {
    /// The page's URL at an address that the server listens on; nil for a unix socket or a link-local address.
    ///
    /// - Parameters:
    ///   - address: a wildcard becomes a name of this machine that every configuration answers for.
    ///   - isSecure: whether it speaks TLS.
    ///   - basePath: the path that all routes are below; empty for none.
    static func url(at address: ListenAddress, isSecure: Bool, basePath: String) -> String? {
        guard case .tcp(let host, let port) = address else { return nil }
        let name =
            switch host {
            case "*", "0.0.0.0", "::": "localhost"
            // Browsers take no zone in a URL.
            case let literal where literal.contains("%"): nil as String?
            case let literal where literal.contains(":"): "[\(literal)]"
            default: host
            }
        guard let name else { return nil }
        return "\(isSecure ? "https" : "http")://\(name):\(port)\(basePath)/"
    }
}
