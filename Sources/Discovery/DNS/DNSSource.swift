// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
package import LinuxIO
import Schema
import Synchronization

/// The settings of a DNS source.
package struct DNSSourceSettings: Sendable, Hashable {
    /// The types of records.
    package enum RecordType: String, Sendable, Hashable, CaseIterable {
        /// Servers of a service, with their ports (RFC 2782).
        case srv = "SRV"
        /// IPv4 addresses.
        case a = "A"
        /// IPv6 addresses.
        case aaaa = "AAAA"
    }

    /// The names to look up.
    package var names: [String]
    /// The type of the records.
    package var type = RecordType.srv
    /// The port of the targets; for SRV the records have it.
    package var port: UInt16?
    /// The longest pause between two look-ups.
    package var refresh: Duration = .seconds(60)
    /// Where the name servers are declared.
    package var files = ResolverConfigurationFiles()
    /// How long and how much to ask.
    package var limits = ResolverLimits()

    /// Creates settings with the defaults.
    package init(names: [String]) { self.names = names }
}

extension DNSSourceSettings: DiscoverySourceSettings {
    /// See the protocol.
    package func makeSource() -> any DiscoverySource { DNSSource(self) }
}

/// The records of some names as targets.
///
/// A name that does not exist or has no such records has no targets. After any other failure its last records remain.
package final class DNSSource: DiscoverySource {
    /// The shortest pause, for records that may not be kept.
    static let leastPause: Duration = .seconds(5)

    private let settings: DNSSourceSettings
    private let running = Mutex<Running?>(nil)

    private struct Running {
        let loop: EventLoop
        let lookup: ThreadConfined<DNSLookup>
    }

    /// Creates a source.
    package init(_ settings: DNSSourceSettings) {
        self.settings = settings
    }

    /// The pause after a successful look.
    ///
    /// - Parameter timeToLive: the least one of the records, in seconds.
    package static func pause(refresh: Duration, timeToLive: UInt32) -> Duration {
        min(refresh, max(leastPause, .seconds(timeToLive)))
    }

    /// See the protocol.
    package func start(_ report: @escaping @Sendable (SourceReport) -> Void) {
        do throws(SystemError) {
            let loop = try EventLoop(name: "reachd-dns-sd")
            let lookup = ThreadConfined(DNSLookup(settings, loop: loop, report: report), to: loop)
            running.withLock { $0 = Running(loop: loop, lookup: lookup) }
            loop.execute { lookup.value.start() }
        } catch {
            report(SourceReport(error: SourceError(.system, "\(error)")))
        }
    }

    /// See the protocol.
    package func stop() {
        let stopped = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let stopped else { return }
        stopped.loop.execute { stopped.lookup.value.close() }
        // Its jobs do not block.
        stopped.loop.close(within: .seconds(1))
    }
}

/// Looks the names up, all at once, again and again. On the source's loop, which holds it until it is closed.
private final class DNSLookup {
    private let settings: DNSSourceSettings
    private let loop: EventLoop
    private let report: @Sendable (SourceReport) -> Void
    private var backoff: Backoff
    private var resolver: Resolver?
    /// The items by name.
    private var known: [String: [DiscoveredItem]] = [:]
    private var isClosed = false
    private var waiting = 0
    private var error: SourceError?
    private var leastTimeToLive = UInt32.max

    init(_ settings: DNSSourceSettings, loop: EventLoop, report: @escaping @Sendable (SourceReport) -> Void) {
        self.settings = settings
        self.loop = loop
        self.report = report
        backoff = Backoff(first: min(DNSSource.leastPause, settings.refresh), longest: settings.refresh)
    }

    /// Ends the questions in flight.
    func close() {
        isClosed = true
        resolver?.close()
        resolver = nil
    }

    /// Asks for all names.
    func start() {
        guard !isClosed else { return }
        (waiting, error, leastTimeToLive) = (settings.names.count, nil, .max)
        let resolver: Resolver
        do throws(ResolverError) {
            // A new one for each look: the name servers may be others.
            resolver = try Resolver(loop: loop, files: settings.files, limits: settings.limits)
        } catch {
            self.error = SourceError(.system, "\(error)")
            return finish()
        }
        self.resolver = resolver
        for name in settings.names {
            if settings.type == .srv {
                resolver.services(name) { self.take($0, of: name) }
            } else {
                resolver.resolve(name, family: family) { self.take($0.outcome, of: name) }
            }
        }
    }

    private func take(_ answer: ServiceAnswer, of name: String) {
        switch answer {
        case .failure(let outcome): take(outcome, of: name)
        case .services(let records):
            for record in records { leastTimeToLive = min(leastTimeToLive, record.timeToLive) }
            // An empty name: the service does not exist there (RFC 2782).
            set(
                records.filter { !$0.target.isEmpty }.map { "\($0.target):\($0.port)" },
                of: name
            )
        }
    }

    private func take(_ outcome: ResolverAnswer.Outcome, of name: String) {
        switch outcome {
        case .addresses(let addresses):
            let some = addresses.filter { $0.address.family == family }
            for address in some { leastTimeToLive = min(leastTimeToLive, address.timeToLive) }
            set(some.map { text(of: $0.address) }, of: name)
        case .noSuchName, .noData: set([], of: name)
        case .badName: fail("\(name.quoted) is not a name")
        case .timedOut: fail("no name server answered the question for \(name) in time")
        case .serverFailure: fail("the name servers failed to answer the question for \(name)")
        case .refused: fail("the name servers refused to answer the question for \(name)")
        case .unreachable: fail("no name server could be reached to ask for \(name)")
        case .exhausted(let error): fail("\(error)", .system)
        case .failed(let code): fail("the question for \(name) failed (c-ares error \(code))")
        }
    }

    private var family: AddressFamily { settings.type == .a ? .ipv4 : .ipv6 }

    private func text(of address: IPAddress) -> String {
        guard let port = settings.port else { return "\(address)" }
        return address.family == .ipv6 ? "[\(address)]:\(port)" : "\(address):\(port)"
    }

    private func set(_ addresses: [String], of name: String) {
        let place = ConfigurationDiagnostic.Place.source("\(settings.type.rawValue) records of \(name)")
        known[name] = addresses.map { DiscoveredItem(address: $0, place: place) }
        end()
    }

    private func fail(_ words: String, _ code: SourceError.Code = .resolution) {
        if error == nil { error = SourceError(code, words) }
        end()
    }

    private func end() {
        waiting -= 1
        if waiting == 0 { finish() }
    }

    private func finish() {
        resolver?.close()
        resolver = nil
        let items = settings.names.flatMap { known[$0] ?? [] }
        // Before the first answer nothing is known, which is not the same as no targets.
        report(SourceReport(items: known.isEmpty ? nil : items, error: error))
        let pause: Duration
        if error != nil {
            pause = backoff.next()
        } else {
            backoff.reset()
            pause = DNSSource.pause(refresh: settings.refresh, timeToLive: leastTimeToLive)
        }
        _ = loop.schedule(after: pause.nanoseconds) { self.start() }
    }
}
