// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
package import HTTPServer
package import History
import JSON
import LinuxIO
package import Monitoring
package import Notifying
import Synchronization

package import struct Probing.ProbeModule

/// The HTTP API: returns a response or a stream for each request. Owns no socket and no thread.
///
/// Any number of threads may call ``respond(to:)`` at once. Streams are pulled: call the server's `wakeStreams` from
/// ``Monitoring/Registry/onEvents(_:)``.
package final class RequestHandler: Sendable {
    let registry: Registry
    let service: ServiceInformation
    let settings: APISettings
    let probes: (any ProbeControl)?
    let editing: (any TargetEditing)?
    let history: (any HistoryReporting)?
    let notifications: (any NotificationReporting)?
    let past: (any HistoryReading)?
    let clock: any WallClock
    let monotonicTime: @Sendable () -> UInt64
    let startTime: UInt64
    let statusCache = StatusCache()
    let gate: AccessGate
    let targetCache = TargetCache()
    let listCache = TargetListCache()
    let feed: EventRenderCache
    /// The fleet as clients read it; nil without a fleet.
    let fleetView: FleetView?
    let wiring: ServiceDependencies
    let pendingWrites = Atomic<Int>(0)
    let pendingReads = Atomic<Int>(0)
    let openMetrics = Atomic<Int>(0)
    let probeScrapes = ProbeScrapes()
    let probeRequests = ClientSlots(limit: RequestHandler.probesPerClient)
    let modules = Mutex<[String: ProbeModule]>([:])
    private let allowedHost = Mutex<String?>(nil)
    let alive = PreparedAnswer(constant: Array(#"{"status":"ok"}"#.utf8))
    let versionAnswer: PreparedAnswer
    let openAPIAnswer: PreparedAnswer
    let page = Page()
    let publicPage = PublicPageCache()

    /// Creates the handler.
    ///
    /// - Parameters:
    ///   - registry: the targets and their states.
    ///   - service: the service's name, version and build.
    ///   - settings: the operator's settings.
    ///   - probes: runs the probes; nil if the service runs none.
    ///   - editing: changes targets; nil if changes are not accepted.
    ///   - history: the durable event log; nil if there is none.
    ///   - notifications: sends notifications; nil if there are none.
    ///   - past: reads the history of targets; nil if there is none.
    ///   - wiring: the connections to the rest of the service.
    ///   - clock: the wall clock.
    ///   - monotonicTime: monotonic time in nanoseconds, for the uptime; `CLOCK_MONOTONIC` when nil.
    package init(
        registry: Registry,
        service: ServiceInformation,
        settings: APISettings = APISettings(),
        probes: (any ProbeControl)? = nil,
        editing: (any TargetEditing)? = nil,
        history: (any HistoryReporting)? = nil,
        notifications: (any NotificationReporting)? = nil,
        past: (any HistoryReading)? = nil,
        wiring: ServiceDependencies = ServiceDependencies(),
        clock: any WallClock = SystemWallClock(),
        monotonicTime: (@Sendable () -> UInt64)? = nil
    ) {
        self.registry = registry
        self.service = service
        self.settings = settings
        self.probes = probes
        self.editing = editing
        self.history = history
        self.notifications = notifications
        self.past = past
        self.wiring = wiring
        self.clock = clock
        let time = monotonicTime ?? { SystemMonotonicClock().now() }
        self.monotonicTime = time
        startTime = time()
        gate = AccessGate(hosts: settings.hosts, time: time)
        gate.apply(settings.access)
        let read = wiring.read
        feed = EventRenderCache(
            source: registry,
            snapshots: NodeSnapshots(source: registry),
            recall: { position, limit, isWanted, completion in
                read { completion(isWanted() ? registry.events(after: position, limit: limit) : nil) }
            },
            incidents: registry,
            wakeStreams: wiring.wakeStreams
        )
        fleetView = wiring.fleetReader.map { reader in
            let editor = wiring.fleetBodies.map {
                FleetEditor(reader: reader, bodies: $0, execute: wiring.write)
            }
            return FleetView(
                reader: reader,
                editor: editor,
                keepHeartbeat: wiring.keepHeartbeat,
                wakeStreams: wiring.wakeStreams
            )
        }
        publicPage.settings = settings.publicPage
        versionAnswer = Self.version(service)
        openAPIAnswer = PreparedAnswer(
            constant: ServerListing.document(below: settings.basePath),
            type: "application/yaml"
        )
    }

    /// Changes the modules of `/probe`, from the next request on; none at first.
    package func apply(_ modules: [ProbeModule]) {
        let byName = Dictionary(modules.map { ($0.name, $0) }) { first, _ in first }
        self.modules.withLock { $0 = byName }
    }

    /// Changes the access rules, from the next request on; open streams remain.
    package func apply(_ rules: AccessRules) { gate.apply(rules) }

    /// Responds to a request. Never traps on a client's input; constant time except for lists, which cost their filter.
    package func respond(to request: HTTPRequest) -> HTTPResponse {
        let rules = gate.current
        var response = route(request, rules)
        if !rules.origins.isEmpty {
            response.headers += CrossOrigin.fields(for: request, allowed: rules.origins)
        }
        return response
    }

    private func route(_ request: HTTPRequest, _ rules: AccessGate.Rules) -> HTTPResponse {
        var path = request.path
        let isAllowed: Bool
        if let absolute = Router.absoluteForm(path) {
            path = String(absolute.path)
            isAllowed = settings.hosts.allows(String(absolute.authority))
        } else {
            isAllowed = isHostAllowed(request)
        }
        guard isAllowed || request.isFromUnixSocket else {
            return Problem(
                kind: .misdirectedRequest,
                detail: "The Host header names a host that this server does not serve; see allowed_hosts."
            ).response
        }
        guard let match = Router.match(path, below: settings.basePath) else {
            return request.method == "OPTIONS" && path == "*"
                ? options([.get, .head, .options]) : Problem.unknownRoute(path).response
        }
        guard let method = HTTPMethod(rawValue: request.method), match.route.methods.contains(method) else {
            return Problem.methodNotAllowed(request.method, Self.allow(match.route.methods)).response
        }
        // An HTTP parser in between may not expect a body with, say, GET, and take it for the next request (RFC 9110,
        // section 9.3.1).
        guard !request.hasBody || match.route.takesBody(method) else {
            return Problem.unexpectedBody(method).response
        }
        guard method != .options else {
            let fields = CrossOrigin.preflight(request, methods: match.route.methods, allowed: rules.origins)
            return options(match.route.methods, fields)
        }
        let query = match.route.ignoresQuery ? nil : request.query
        var reader = QueryReader(query, parameters: match.route.parameters(of: method))
        var client = ClientIdentity.unknown
        if !match.route.isOpen, !match.route.isPage, !match.route.isPublic {
            let scope = match.route.scope(method)
            let ticket = match.route == .events && method == .get ? reader.one("ticket") : nil
            let admission = gate.admit(
                request,
                under: rules,
                wanting: scope,
                ticket: ticket,
                isHeartbeat: match.route == .heartbeat
            )
            switch admission {
            case .refused(let problem): return problem.response
            case .admitted(let admitted): client = admitted
            }
            // A heartbeat is counted once its target is known.
            if scope == .write, match.route != .heartbeat, let problem = gate.spend(.change, by: client) {
                return problem.response
            }
        }
        let scope = ReportScope(&reader, hasFleet: fleetView != nil && match.route.hasFleetScope)
        guard reader.faults.isEmpty else { return Problem.invalid(reader.faults) }
        if scope == .fleet, let fleetView, let change = fleetChange(match, method, request, fleetView) { return change }
        if let change = change(match, method, request) { return change }
        if scope == .fleet, let fleetView, let command = fleetCommand(match, request, &reader, fleetView, client) {
            return command
        }
        if scope == .fleet, let fleetView,
            let answer = fleetAnswer(match, request, &reader, fleetView, isHead: method == .head)
        {
            return answer
        }
        return answer(match, request, &reader, rules, client, isHead: method == .head)
    }

    /// The problem document for a request that the HTTP server refuses by itself.
    ///
    /// - Parameters:
    ///   - status: the server's status code.
    ///   - detail: the reason.
    package static func refusal(status: Int, detail: String) -> HTTPResponse {
        let kind = ProblemKind.refusals.first { $0.status == status } ?? .internalError
        var response = Problem(kind: kind, detail: detail).response
        response.status = status
        return response
    }

    /// Applies the rule, unless the host is the last allowed one: nearly all requests name the same.
    private func isHostAllowed(_ request: HTTPRequest) -> Bool {
        if let last = allowedHost.withLock({ $0 }), request.header("Host", is: last) { return true }
        guard let host = request.header("Host") else { return true }
        guard settings.hosts.allows(host) else { return false }
        allowedHost.withLock { $0 = host }
        return true
    }

    private func answer(
        _ match: Router.Match,
        _ request: HTTPRequest,
        _ reader: inout QueryReader,
        _ rules: AccessGate.Rules,
        _ client: ClientIdentity,
        isHead: Bool
    ) -> HTTPResponse {
        switch match.route {
        case .page: page(request)
        case .pageFile: page.file(match.id ?? "", request)
        case .publicPage, .publicFeed: publicPage(match.route, request)
        case .status: status(request, &reader)
        case .targets: targets(request, &reader)
        case .target: target(match.id ?? "", request, isHealth: false)
        case .declaration: declaration(match.id ?? "", request)
        case .health: target(match.id ?? "", request, isHealth: true)
        case .probe: probe(match.id ?? "", request, client)
        case .pause: setPaused(true, match.id ?? "", request)
        case .resume: setPaused(false, match.id ?? "", request)
        case .heartbeat: heartbeat(match.id ?? "", request, &reader, client)
        case .history: transitions(match.id ?? "", request, &reader)
        case .uptime: uptime(match.id ?? "", request)
        case .timeline: timeline(match.id ?? "", request, &reader)
        case .trace: trace(match.id ?? "", request, client)
        case .traffic: traffic(match.id ?? "", request)
        case .badge: badge(match.id ?? "", request, &reader)
        case .check: check(request, client)
        case .uplinks: uplinks(request, &reader)
        case .incidents: incidents(request, &reader)
        case .incident: incident(match.id ?? "", request, &reader)
        case .fleet: fleet(request)
        case .fleetNodes: fleetNodes(request)
        case .fleetNode: fleetNode(match.id ?? "", request)
        case .drain: setDraining(true, match.id ?? "", request)
        case .undrain: setDraining(false, match.id ?? "", request)
        case .metrics: metrics(request, &reader, isHead: isHead)
        case .probeScrape: probeScrape(request, &reader, rules, isHead: isHead)
        case .events: events(request, &reader, from: feed, isHead: isHead)
        case .ticket: ticket()
        case .access: access(request, rules)
        case .livez, .healthz: alive.response(to: request)
        case .readyz: readiness(request)
        case .reload: Problem(kind: .notImplemented).response
        case .version: versionAnswer.response(to: request)
        case .kinds: Self.kindsAnswer.response(to: request)
        case .openAPI: openAPIAnswer.response(to: request)
        case .docs: page.docs(request)
        }
    }

    private func options(_ methods: [HTTPMethod], _ fields: [HTTPHeader] = []) -> HTTPResponse {
        HTTPResponse(status: 204, headers: [Self.allow(methods)] + fields)
    }

    static func allow(_ methods: [HTTPMethod]) -> HTTPHeader {
        HTTPHeader("Allow", methods.map(\.rawValue).joined(separator: ", "))
    }
}

extension RequestHandler {
    /// Responds when the response is available; immediately if that is before this call ends.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - begin: starts the work with a completion, which must be called once, on any thread, possibly inside this
    ///     call.
    func respond(
        to request: HTTPRequest,
        _ begin: (@escaping @Sendable (HTTPResponse) -> Void) -> Void
    ) -> HTTPResponse {
        let deferred = DeferredResponse()
        begin(deferred.complete)
        return deferred.take() ?? HTTPResponse(status: 200, body: .deferred(deferred))
    }
}

/// The client's permissions, so that pages can hide buttons that would be refused.
extension RequestHandler {
    func access(_ request: HTTPRequest, _ rules: AccessGate.Rules) -> HTTPResponse {
        let (scopes, refusal) = gate.permissions(of: request, under: rules)
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("is_token_wanted", !rules.tokens.isEmpty)
            writer.key("scopes")
            writer.array(scopes.map(\.rawValue).sorted()) { $0.string($1) }
            if let refusal { writer.member("refusal", refusal) }
            if let storage = editing?.storage {
                writer.member("targets") { $0.storageMembers(storage, isWriter: scopes.contains(.write)) }
            }
        }
        return HTTPResponse(status: 200, headers: Self.fresh, body: .bytes(writer.bytes))
    }
}

extension JSONWriter {
    /// - Parameter isWriter: whether the client may change targets; only then paths and reasons are included.
    fileprivate mutating func storageMembers(_ storage: TargetStorage, isWriter: Bool) {
        member("storage", storage.medium.rawValue)
        guard isWriter else { return }
        if let path = storage.path { member("file", path) }
        if let detail = storage.detail { member("detail", detail) }
    }
}

extension HTTPHeader {
    /// Sent with every body, so that a browser uses the declared type and never treats a body as a page or a script.
    /// Headers for pages alone, such as a content policy, go with pages.
    static let noSniffing = HTTPHeader("X-Content-Type-Options", "nosniff")
}
