// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Diagnosis
import NetworkPaths

/// The registry's whole state and the rules by which it changes: no lock, no clock, no call to anybody.
struct RegistryState {
    var log: EventLog
    /// The run of the event log.
    var epoch: String { didSet { epochRevision += 1 } }
    /// How often the epoch changed.
    private(set) var epochRevision: UInt64 = 0
    /// How far the events' numbers were moved in all.
    private(set) var numbering: UInt64 = 0
    /// Nil while readers see everything at once.
    var durable: DurableLog?
    private var lastTerm: UInt64 = 0
    var table = TargetTable()
    var network: StatusRecord
    var networkID: PathID?
    var counts = StateCounts()
    /// How often any target went over to each state.
    var transitions = StateCounts()
    var environment = NetworkEnvironment()
    var automaticTargets = AutomaticTargets()
    var uplinks = UplinkLog()
    /// The environment changed and the automatic targets have not followed yet.
    var isEnvironmentNew = false
    /// A first list of targets is in force.
    var isDeclared = false
    /// Targets, the network included, that wait for their first verdict.
    var awaiting = 1
    var isReady = false
    /// Changes of records that are no events.
    private var unpublishedChanges: UInt64 = 0
    /// The evaluators of targets with a probe, by ordinal.
    var judges: [UInt64: TargetEvaluator] = [:]
    /// Which target depends on which.
    var dependencies = DependencyGraph()
    /// Targets that were declared or removed and whose dependencies are not in force yet.
    private(set) var toLink: [Link] = []
    /// Targets that look anew at what they depend on, while they do.
    var toConsult: [String] = []
    /// How often a target looked anew, for tests of what a change costs.
    var consultations = 0
    /// The anchors and their quorum.
    var anchors: [String] = []
    var quorum = 1
    /// All incidents; nil until those of earlier runs are known, see ``Registry/beginIncidents(_:)``.
    var incidents: IncidentBook?
    /// What explains that targets are silent, for all of them together.
    var ways = NetworkDiagnosis()
    /// Commands for the probe driver; none are kept without a driver.
    private(set) var commands: [ProbeCommand] = []
    private var isDriven = false
    /// The targets that the probe driver knows.
    private var driven: Set<UInt64> = []
    /// The gateways that the probe driver measures.
    private var measured: [DefaultGateway] = []

    init(log: EventLogSettings, epoch: String, now: Timestamp) {
        self.log = EventLog(settings: log)
        self.epoch = epoch
        network = StatusRecord(
            target: nil,
            path: nil,
            supportsDNS: false,
            state: .unknown,
            since: now,
            sequence: 0,
            version: 0
        )
    }

    /// Another number after everything that a reader could see.
    var version: UInt64 { log.head + unpublishedChanges }

    /// The number of the newest event that readers may see.
    var visibleHead: UInt64 { durable.map { min($0.head, log.head) } ?? log.head }

    /// The numbers that are published after a change.
    var published: PublishedNumbers {
        PublishedNumbers(
            head: visibleHead,
            recorded: log.head,
            version: version,
            epochRevision: epochRevision,
            numbering: numbering,
            isHeldBack: durable != nil,
            hasCommands: !commands.isEmpty
        )
    }

    /// Lets readers see no more than what is safe.
    mutating func openCommitGate(through head: UInt64, archive: any EventArchive) -> Registry.DurabilityLease {
        lastTerm += 1
        durable = DurableLog(head: head, archive: archive, term: lastTerm)
        log.safeHead = head
        return Registry.DurabilityLease(number: lastTerm)
    }

    /// Counts a change that is not an event; call it before making the record.
    mutating func bumpRevision() { unpublishedChanges += 1 }

    /// Gives all events, and what speaks of them, numbers that are larger by this.
    mutating func moveEvents(by distance: UInt64) {
        log.move(by: distance)
        numbering += distance
        epoch = EventID.randomEpoch()
        bumpRevision()
        network = network.moved(by: distance, version: version)
        for position in table.places.indices {
            guard let record = table.places[position].record else { continue }
            table.setRecord(record.moved(by: distance, version: version), at: position)
        }
    }

    // MARK: Verdicts

    mutating func take(_ update: PathUpdate, at now: Timestamp) {
        if update.id == networkID {
            network = transition(from: network, update: update, at: now)
        } else if let position = table.position(pathID: update.id), let record = table.places[position].record {
            if let order = evaluate(of: record, { $0.take(path: update.path) }) ?? nil { command(order, for: record) }
            let new = transition(from: record, update: update, at: now)
            table.setRecord(new, at: position)
            if new.path?.generation != record.path?.generation { place(new) }
            if new.path?.resolution.addresses != record.path?.resolution.addresses { moved(record) }
            if new.state != record.state { notifyChildren(of: new, at: now) }
        }
    }

    /// Appends an event of a changed state, or reason, and has incidents follow.
    ///
    /// - Parameter trigger: what the kernel reported, of a change that came from the path.
    mutating func recordState(
        _ new: StatusRecord,
        previous: StatusRecord,
        trigger: ChangeTrigger? = nil,
        at now: Timestamp
    ) {
        log.append(.state(new, previous: previous), at: now)
        observeIncidents(new, trigger: trigger, at: now)
    }

    mutating func count(from old: TargetState, to new: TargetState) {
        counts[old] -= 1
        counts[new] += 1
        if old != new { transitions[new] += 1 }
    }

    /// Appends the events that lead from one record to the next: reachability, then path, then state.
    private mutating func transition(from old: StatusRecord, update: PathUpdate, at now: Timestamp) -> StatusRecord {
        let isFirst = old.path == nil
        let isDelivery = update.isDelivery || old.path.map { update.path.isDelivery(after: $0) } ?? true
        guard isDelivery || update.path != old.path || old.supportsDNS != environment.supportsDNS else { return old }
        // A change without a delivery is reported as a change of the path, so no change is silent.
        let isPathChange = !isFirst && (!isDelivery || update.path.generation != old.path?.generation)
        let (state, evaluation) = verdict(of: old, path: update.path)
        // A delivery carries the reason; a change of the path does not.
        let isOtherReason = !isDelivery && old.isOtherReason(path: update.path, state: state, evaluation: evaluation)
        let isStateChange = old.target != nil && (state != old.state || isOtherReason)
        let eventCount: UInt64 = (isDelivery ? 1 : 0) + (isPathChange ? 1 : 0) + (isStateChange ? 1 : 0)
        let new = StatusRecord(
            target: old.target,
            path: update.path,
            supportsDNS: environment.supportsDNS,
            state: state,
            evaluation: evaluation,
            since: state == old.state ? old.since : now,
            sequence: log.head + eventCount,
            version: version + eventCount,
            transitions: old.transitions.counting(from: old.state, to: state)
        )
        if isDelivery { log.append(.reachability(new, previous: old, trigger: update.trigger), at: now) }
        if isPathChange {
            log.append(.path(new, previous: old, trigger: update.trigger, isDelivered: isDelivery), at: now)
        }
        if isStateChange {
            recordState(new, previous: old, trigger: update.trigger, at: now)
            count(from: old.state, to: new.state)
        } else if isDelivery, state.gravity > 0 {
            // Possibly for another reason, which the delivery tells.
            observeIncidents(new, trigger: update.trigger, at: now)
        }
        if isFirst {
            awaiting -= 1
            settleReadiness()
        }
        return new
    }

    // MARK: Commands

    /// Registers the probe driver; it first receives the targets that exist already.
    mutating func beginDriving() {
        isDriven = true
        commandGateways()
        for place in table.places {
            if let record = place.record { watch(record) }
        }
    }

    /// Has the probe of a target begun, or ended: its settings are new.
    mutating func watch(_ record: StatusRecord) {
        guard isDriven, let target = record.target else { return }
        let settings = target.settings
        guard settings.probe != nil || !settings.maintenance.isEmpty || settings.connectionPort != nil else {
            return forget(target.ordinal)
        }
        driven.insert(target.ordinal)
        commands.append(.watch(record, isResting: judges[target.ordinal]?.isResting ?? false))
    }

    mutating func command(_ order: ProbeOrder, for record: StatusRecord) {
        if order == .rest, let ordinal = record.target?.ordinal { ways.rest(ordinal) }
        guard let ordinal = record.target?.ordinal, driven.contains(ordinal) else { return }
        commands.append(order == .atOnce ? .atOnce(ordinal) : .rest(ordinal))
    }

    /// The addresses of a target's name are others.
    private mutating func moved(_ record: StatusRecord) {
        guard let target = record.target, target.settings.connectionPort != nil, driven.contains(target.ordinal)
        else { return }
        commands.append(.moved(target.ordinal))
    }

    /// Has the probe driver measure the gateways in use, when these are others than before.
    private mutating func commandGateways() {
        let gateways = uplinks.inUse
        guard isDriven, gateways != measured else { return }
        measured = gateways
        commands.append(.measure(gateways))
    }

    /// The target is gone, or there is nothing to do for it any more.
    mutating func forget(_ ordinal: UInt64) {
        if driven.remove(ordinal) != nil { commands.append(.forget(ordinal)) }
    }

    /// Takes what there is to do, in order.
    mutating func takeCommands() -> [ProbeCommand] {
        defer { commands = [] }
        return commands
    }

    /// Gives the targets of some places that have none their handles; returns what the engine is to watch.
    mutating func makeHandles(at positions: some Sequence<Int>) -> [(id: PathID, request: PathRequest)] {
        positions.compactMap { position in
            guard table.places[position].pathID == nil, let target = table.places[position].record?.target else {
                return nil
            }
            let id = PathID.next()
            table.setPathID(id, at: position)
            return (id: id, request: target.settings.pathRequest)
        }
    }

    // MARK: Declarations

    /// What ``declare(_:mark:at:)`` did.
    enum Declaration {
        case added
        case unchanged
        case updated(obsolete: PathID?)
        /// An earlier entry of the list has the same id, or the target is declared elsewhere.
        case duplicate
    }

    mutating func declare(
        _ settings: TargetSettings,
        mark: UInt32,
        replacing origins: Set<TargetSettings.Origin>,
        resuming resumed: TargetState? = nil,
        at now: Timestamp
    ) -> Declaration {
        guard let position = table.position(id: settings.id), let old = table.places[position].record,
            let declared = old.target
        else {
            add(settings, mark: mark, resuming: resumed, at: now)
            return .added
        }
        guard table.places[position].mark != mark, origins.contains(declared.settings.origin) else { return .duplicate }
        table.setMark(mark, at: position)
        guard declared.settings != settings else { return .unchanged }
        let isSameQuestion = declared.settings.pathRequest == settings.pathRequest
        let target = DeclaredTarget(settings: settings, ordinal: declared.ordinal, version: version + 1)
        if declared.settings.dependsOn != settings.dependsOn { toLink.append(Link(id: settings.id, isExisting: true)) }
        let path = isSameQuestion ? old.path : nil
        reevaluate(target, path: path)
        let (state, evaluation) = verdict(of: target, path: path, after: old)
        let isStateChange = state != old.state
        // The state changes with the next event: this one shows the target as it is at its own number.
        let updated = StatusRecord(
            target: target,
            path: path,
            supportsDNS: environment.supportsDNS,
            state: old.state,
            evaluation: isStateChange ? old.evaluation : evaluation,
            since: old.since,
            sequence: log.head + 1,
            version: version + 1,
            transitions: old.transitions
        )
        log.append(.target(.updated, updated), at: now)
        var new = updated
        if isStateChange {
            new = StatusRecord(
                target: target,
                path: path,
                supportsDNS: environment.supportsDNS,
                state: state,
                evaluation: evaluation,
                since: now,
                sequence: log.head + 1,
                version: version + 1,
                transitions: old.transitions.counting(from: old.state, to: state)
            )
            recordState(new, previous: updated, at: now)
            count(from: old.state, to: state)
        }
        if !isSameQuestion, old.path != nil { awaiting += 1 }
        table.setRecord(new, at: position)
        watch(new)
        if isStateChange { notifyChildren(of: new, at: now) }
        return .updated(obsolete: isSameQuestion ? nil : table.setPathID(nil, at: position))
    }

    private mutating func add(
        _ settings: TargetSettings,
        mark: UInt32,
        resuming resumed: TargetState?,
        at now: Timestamp
    ) {
        let target = table.newcomer(settings, version: version + 1)
        noteLink(of: settings)
        reevaluate(target, path: nil, resuming: resumed)
        let (state, evaluation) = verdict(of: target, path: nil)
        let record = StatusRecord(
            target: target,
            path: nil,
            supportsDNS: environment.supportsDNS,
            state: state,
            evaluation: evaluation,
            since: now,
            sequence: log.head + 1,
            version: version + 1
        )
        table.append(record, of: target, mark: mark)
        counts[record.state] += 1
        awaiting += 1
        log.append(.target(.added, record), at: now)
        watch(record)
    }

    /// Removes the target at a position; returns the handle that the engine should forget.
    mutating func removeTarget(at position: Int, at now: Timestamp) -> PathID? {
        guard let record = table.places[position].record else { return nil }
        let id = table.places[position].pathID
        table.remove(at: position)
        counts[record.state] -= 1
        if record.path == nil { awaiting -= 1 }
        log.append(.target(.removed, record), at: now)
        if let target = record.target {
            leaveIncidents(target.settings.id, at: now)
            noteLink(of: target.settings)
            judges[target.ordinal] = nil
            ways.remove(target.ordinal)
            forget(target.ordinal)
        }
        settleReadiness()
        return id
    }

    /// A target whose dependencies, or those on it, are to be put in force.
    struct Link {
        let id: String
        /// Whether it was there before, and still is: then those that depend on it are no concern.
        let isExisting: Bool
    }

    /// Notes a target that is new or gone, if any dependency leads from it or to it.
    private mutating func noteLink(of settings: TargetSettings) {
        guard !settings.dependsOn.isEmpty || dependencies.hasChildren(settings.id) else { return }
        toLink.append(Link(id: settings.id, isExisting: false))
    }

    /// Takes some targets whose dependencies are not in force yet, the newest first.
    mutating func takeToLink(_ count: Int) -> [Link] {
        let links = Array(toLink.suffix(count))
        toLink.removeLast(links.count)
        return links
    }

    mutating func settleReadiness() {
        if isDeclared, awaiting == 0 { isReady = true }
    }

    // MARK: Environment

    /// Takes a new environment; true when what every record says of DNS is outdated now.
    mutating func take(_ environment: NetworkEnvironment, at time: UplinkTime) -> Bool {
        let now = time.wall
        let isOutdated = environment.supportsDNS != self.environment.supportsDNS
        if environment.resolvers != self.environment.resolvers { unpublishedChanges += 1 }
        isEnvironmentNew = isEnvironmentNew || environment != self.environment
        self.environment = environment
        uplinks.follow(environment, at: time)
        followUplinks()
        guard isOutdated else { return false }
        let old = network
        // No reader could see the old value before the first verdict.
        let isTold = old.path != nil || awaiting <= counts.total
        network = old.resolving(
            supportsDNS: environment.supportsDNS,
            sequence: isTold ? log.head + 1 : old.sequence,
            version: version + 1
        )
        if isTold {
            log.append(
                .path(network, previous: old, trigger: ChangeTrigger(.resolver), isDelivered: false),
                at: now
            )
        }
        return true
    }

    /// Changes the uplinks' log, and lets the automatic targets and the probe driver follow.
    ///
    /// - Parameter time: The time, up to which uplinks are counted first.
    mutating func changeUplinks<Result>(at time: UplinkTime, _ body: (inout UplinkLog) -> Result) -> Result {
        let lost = uplinks.lost
        uplinks.advance(to: time)
        let result = body(&uplinks)
        if uplinks.lost != lost { isEnvironmentNew = true }
        followUplinks()
        return result
    }

    private mutating func followUplinks() {
        automaticTargets.follow(environment, lost: uplinks.lost)
        commandGateways()
    }

    /// Updates `supportsDNS` of the record at a position to the environment's, as a change of its path.
    mutating func refreshEnvironment(at position: Int, at now: Timestamp) {
        guard let old = table.places[position].record, old.supportsDNS != environment.supportsDNS else { return }
        // Without a path nothing shows it, so there is nothing to report.
        let isShown = old.path != nil
        if !isShown { bumpRevision() }
        let new = old.resolving(
            supportsDNS: environment.supportsDNS,
            sequence: isShown ? log.head + 1 : old.sequence,
            version: version + (isShown ? 1 : 0)
        )
        table.setRecord(new, at: position)
        guard isShown else { return }
        log.append(.path(new, previous: old, trigger: ChangeTrigger(.resolver), isDelivered: false), at: now)
    }
}

/// How much of the event log would outlive the process.
struct DurableLog {
    /// The number of the newest event that is safe.
    var head: UInt64
    /// Where events are read from that memory does not hold.
    let archive: any EventArchive
    /// The number of the lease; holders of an earlier one are ignored.
    let term: UInt64
}
