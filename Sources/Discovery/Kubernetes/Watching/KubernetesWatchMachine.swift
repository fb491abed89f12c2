// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The list and the watch of one resource in one namespace, without clock and I/O: what to request next, and which objects there
/// are by the responses.
///
/// It follows the API's protocol of lists and watches: a list comes in pages; a watch continues from the list's version, and each
/// event and bookmark moves the version. A broken watch resumes from the last version. When the server does not keep that version
/// any more (410), the objects stay until a new list is complete.
struct KubernetesWatchMachine {
    /// Intervals in nanoseconds and limits.
    struct Limits: Sendable, Hashable {
        /// The pause after the first failure; it doubles with each further one.
        var firstPause: UInt64 = 1_000_000_000
        /// The longest pause.
        var longestPause: UInt64 = 60_000_000_000
        /// The pause before an absent resource is requested again.
        var absence: UInt64 = 300_000_000_000
        /// How long a watch must last to be no failure when the server ends it.
        var shortestWatch: UInt64 = 5_000_000_000
        /// How often the list is requested again although the watch works.
        var resync: UInt64 = 3_600_000_000_000
        /// Objects of a page.
        var page = 500
        /// Pages of a list.
        var pages = 10_000
        /// Monitored objects.
        var objects = 20_000
        /// Bytes of all targets.
        var bytes = 64 << 20
    }

    /// What to do next.
    enum Step: Sendable, Hashable {
        /// Request a page of the list; the token is "" for the first.
        case list(limit: Int, continuation: String)
        /// Watch from a version.
        case watch(version: String)
        /// Wait for so many nanoseconds.
        case wait(UInt64)
    }

    private enum Phase: Sendable, Hashable {
        case listing
        case watching(version: String)
    }

    let resource: KubernetesResource
    /// The namespace; nil for all.
    let namespace: String?
    private let limits: Limits
    private let targets: KubernetesTargets
    private var phase = Phase.listing
    /// The list while its pages arrive.
    private var gathered = Collection()
    private var continuation = ""
    private var pages = 0
    private var pageLimit: Int
    private var resumesAt: UInt64 = 0
    private var listedAt: UInt64 = 0
    private var failures = 0
    /// Whether an event or a bookmark arrived since the list.
    private var hasProgress = false
    /// The monitored objects.
    private(set) var current = Collection()
    /// Whether the objects are those of a complete list, or the resource is absent.
    private(set) var isComplete = false
    /// Whether the cluster does not have the resource.
    private(set) var isAbsent = false
    /// The error of the newest request.
    private(set) var problem: SourceError?
    private var isDefinite = false

    init(_ resource: KubernetesResource, in namespace: String?, _ targets: KubernetesTargets, limits: Limits) {
        self.resource = resource
        self.namespace = namespace
        self.targets = targets
        self.limits = limits
        pageLimit = limits.page
    }

    /// Whether nothing better is to be expected soon: the objects are complete, or the fault does not end by itself.
    var isSettled: Bool { isComplete || isDefinite }

    /// What to do at a time.
    mutating func step(now: UInt64) -> Step {
        if now < resumesAt { return .wait(resumesAt - now) }
        if case .watching(let version) = phase {
            if now - listedAt < limits.resync { return .watch(version: version) }
            beginList()
        }
        return .list(limit: pageLimit, continuation: continuation)
    }

    // MARK: Responses

    /// Takes a page of the list.
    ///
    /// - Parameter jitter: A random number from 0 to 1.
    /// - Returns: Whether anything that is reported changed.
    mutating func take(_ page: KubernetesListPage, now: UInt64, jitter: Double) -> Bool {
        guard Self.isVersion(page.resourceVersion) else {
            return fail(.malformed("the list has no resourceVersion"), now: now, jitter: jitter)
        }
        for object in page.objects { gathered.set(targets.finding(of: object), for: object.key, limits) }
        continuation = page.continuation
        pages += 1
        guard continuation.isEmpty else {
            guard pages < limits.pages else { return fail(.tooMany(limits.pages), now: now, jitter: jitter) }
            return false
        }
        let changed = !isComplete || isAbsent || problem != nil || gathered != current
        current = gathered
        (isComplete, isAbsent, isDefinite, problem) = (true, false, false, nil)
        phase = .watching(version: page.resourceVersion)
        (listedAt, hasProgress) = (now, false)
        beginGathering()
        return changed
    }

    /// Takes an event of the watch.
    ///
    /// - Returns: Whether anything that is reported changed.
    /// - Throws: The fault that ends the watch; the caller passes it to ``fail(_:now:jitter:)``.
    mutating func take(_ event: KubernetesWatchEvent) throws(KubernetesFault) -> Bool {
        var changed = false
        switch event {
        case .present(let object):
            try advance(to: object.resourceVersion)
            changed = current.set(targets.finding(of: object), for: object.key, limits)
        case .deleted(let object):
            try advance(to: object.resourceVersion)
            changed = current.set(nil, for: object.key, limits)
        case .bookmark(let version): try advance(to: version)
        case .error(let status): throw .status(status)
        case .unknown: return false
        }
        defer { problem = nil }
        return changed || problem != nil
    }

    /// The watch was ended by the server, as it does after the requested time.
    ///
    /// - Parameter duration: How long it lasted, in nanoseconds.
    mutating func endWatch(after duration: UInt64, now: UInt64, jitter: Double) {
        guard duration < limits.shortestWatch, !hasProgress else {
            // The next watch has to show progress of its own.
            (failures, hasProgress) = (0, false)
            return
        }
        pause(now: now, jitter: jitter)
    }

    /// A request failed.
    ///
    /// - Parameter jitter: A random number from 0 to 1.
    /// - Returns: Whether anything that is reported changed.
    mutating func fail(_ fault: KubernetesFault, now: UInt64, jitter: Double) -> Bool {
        let isList = phase == .listing
        if isList, fault == .tooLarge, pageLimit > 1 {
            pageLimit = max(1, pageLimit / 4)
            return false
        }
        if resource.isOptional, fault.isAbsent { return becomeAbsent(now: now) }
        // A watch with progress that falls behind is no failure of the server.
        if fault.isGone, hasProgress {
            beginList()
            return false
        }
        pause(now: now, jitter: jitter)
        switch fault {
        case _ where fault.isGone || fault.isAbsent, .malformed, .tooLarge, .tooMany: beginList()
        default: if failures >= 3 { beginList() }
        }
        // A watch that breaks once, and what passes by itself, is not worth a message.
        guard failures > 1 || isList && !fault.isPassing || fault.isDefinite else { return false }
        let error = fault.error(isList ? "list" : "watch", resource, in: namespace)
        defer { (problem, isDefinite) = (error, fault.isDefinite) }
        return problem != error
    }

    // MARK: State

    private mutating func beginList() {
        phase = .listing
        beginGathering()
    }

    private mutating func beginGathering() {
        gathered = Collection()
        continuation = ""
        pages = 0
        if phase != .listing {
            failures = 0
            pageLimit = limits.page
        }
    }

    private mutating func becomeAbsent(now: UInt64) -> Bool {
        let changed = !isAbsent || problem != nil
        beginList()
        current = Collection()
        (isComplete, isAbsent, isDefinite, problem) = (true, true, false, nil)
        failures = 0
        resumesAt = now + limits.absence
        return changed
    }

    private mutating func pause(now: UInt64, jitter: Double) {
        let longest = min(limits.longestPause, limits.firstPause << UInt64(min(failures, 16)))
        failures += 1
        resumesAt = now + UInt64(Double(longest) * (0.5 + jitter / 2))
        hasProgress = false
    }

    private mutating func advance(to version: String) throws(KubernetesFault) {
        guard Self.isVersion(version) else { throw .malformed("an event has no resourceVersion") }
        phase = .watching(version: version)
        (failures, hasProgress) = (0, true)
    }

    private static func isVersion(_ text: String) -> Bool { (1...256).contains(text.utf8.count) }
}
