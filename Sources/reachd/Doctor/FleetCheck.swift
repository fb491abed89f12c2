// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Fleet
import JSON
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
        let result = FleetConsole.result(settings, for: nil) {
            (database, end: @escaping (Result<(SchemaCheck, FleetOverview?), DatabaseError>) -> Void) in
            FleetSchema.check(on: database) { result in
                guard case .success(.usable) = result else { return end(result.map { ($0, nil) }) }
                database.ask(FleetOverview.question) { overview in
                    end(result.flatMap { schema in overview.map { (schema, $0) } })
                }
            }
        }
        var checks: [Check] = []
        var found: [(code: String, detail: String)] = []
        switch result {
        case .success((.usable(let schema), let overview)):
            checks.append(
                Check("fleet", .ok, "the database has the fleet \(schema.name), schema version \(schema.version)")
            )
            found = overview?.problems.map { ($0.code.rawValue, $0.detail) } ?? []
        case .success((.unusable(let problem), _)):
            checks.append(Check("fleet", .fail, problem.message, advice: problem.nextStep))
        case .failure(let error):
            let advice =
                "check fleet.database and fleet.password_file; meanwhile the node probes its own targets and those last assigned"
            checks.append(Check("fleet", .fail, "\(error)", advice: advice))
        }
        // What only the node itself knows.
        let isUsable = checks.allSatisfy { $0.outcome == .ok }
        let known = Set(found.map(\.code) + (isUsable ? [] : [FleetProblem.Code.database.rawValue]))
        found += problems(of: configuration.http).filter { !known.contains($0.code) }
        return checks + found.map { Check("fleet_\($0.code)", .warn, $0.detail) }
    }

    /// The problems of the service that runs on this machine; none without one.
    private static func problems(of settings: HTTPSettings) -> [(code: String, detail: String)] {
        let listed = RunningService.body("/readyz", settings)?["fleet"]?["problems"]?.elements ?? []
        return listed.prefix(FleetProblem.Code.allCases.count).compactMap { problem in
            guard let code = problem["code"]?.text, FleetProblem.Code(rawValue: code) != nil,
                let detail = problem["detail"]?.text
            else { return nil }
            return (code, detail)
        }
    }
}
