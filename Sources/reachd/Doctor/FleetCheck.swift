// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Fleet
import PostgreSQL
import ReachAPI

/// Whether the fleet's database can be used, where the configuration names one.
enum FleetCheck {
    typealias Check = DiagnosisListing.Check

    static func checks(_ configuration: ReachdConfiguration) -> [Check] {
        let settings: DatabaseSettings
        do throws(DatabaseError) {
            guard let found = try configuration.fleet.connection() else { return [] }
            settings = found
        } catch {
            return [Check("fleet", .fail, "fleet.database is not usable: \(error.message)")]
        }
        let result: Result<SchemaCheck, DatabaseError> = FleetConsole.result(settings) {
            FleetSchema.check(on: $0, completion: $1)
        }
        switch result {
        case .success(.usable(let schema)):
            return [Check("fleet", .ok, "the database has the fleet \(schema.name), schema version \(schema.version)")]
        case .success(.unusable(let problem)):
            return [Check("fleet", .fail, problem.message, advice: problem.nextStep)]
        case .failure(let error):
            let advice =
                "check fleet.database and fleet.password_file; meanwhile the node probes its own targets and those last assigned"
            return [Check("fleet", .fail, "the fleet's database: \(error)", advice: advice)]
        }
    }
}
