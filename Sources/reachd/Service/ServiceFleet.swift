// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import History
import LinuxIO
import Logging
import Monitoring
import Notifying
import PostgreSQL

/// The service's part in a fleet: the membership, the reader for clients, and the notifications for the fleet.
struct ServiceFleet: Sendable {
    let membership: FleetMembership
    let reader: FleetReader
    let notifications: FleetNotifier

    /// The part that a configuration declares; nil without a fleet.
    ///
    /// - Parameters:
    ///   - cache: the file for the assignments; nil without an event log, whose numbers it refers to.
    ///   - past: the history of targets; nil without one.
    /// - Throws: ``ServiceFailure`` for settings that cannot be used, and when a thread cannot be created.
    init?(
        _ settings: FleetNodeSettings,
        registry: Registry,
        history: HistoryRecorder?,
        cache: StateFile?,
        past: TargetHistory?,
        targets: FleetTargets,
        log: Logger,
        notifyLog: Logger
    ) throws(ServiceFailure) {
        let connection: DatabaseSettings?
        do throws(DatabaseError) {
            connection = try settings.connection()
        } catch {
            throw ServiceFailure(.configuration, ["reachd: fleet.database is not usable: \(error.message)"])
        }
        guard let connection else { return nil }
        let seen = SeenLog()
        do throws(SystemError) {
            reader = try FleetReader(
                database: connection,
                isListening: settings.listens,
                seen: seen,
                parse: FleetTargets.settings
            )
        } catch {
            throw ServiceFailure(.system, ["reachd: \(error)"])
        }
        do throws(SystemError) {
            membership = try FleetMembership(
                settings: settings,
                database: connection,
                version: Program.version,
                events: registry,
                seen: seen,
                cache: cache,
                rollups: past.map { NodeRollups($0, registry: registry) },
                declare: { targets.assign($0, resuming: $1) },
                execute: { targets.execute($0) },
                log: { log.log($0) }
            )
        } catch {
            reader.close()
            throw ServiceFailure(.system, ["reachd: \(error)"])
        }
        notifications = FleetNotifier(
            FleetNotifier.Parts(
                receivers: membership.receivers,
                reader: reader,
                source: registry,
                ledger: history,
                statusChanged: { registry.noteServiceChange() },
                log: { notifyLog.log($0) }
            )
        )
    }

    /// Leaves the fleet, so that other nodes take over at once, and ends the threads.
    ///
    /// - Parameter limit: how long the database may take to record it.
    func stop(within limit: Duration) {
        notifications.stop()
        membership.stop(within: limit)
        reader.close()
    }
}
