// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import LinuxIO
import NetworkPaths
import ReachAPI
import Schema

/// What this machine and container allow, looked at one thing after the other.
struct DoctorCheck {
    typealias Check = DiagnosisListing.Check

    let environment: [String: String]
    /// The configuration file; nil for none.
    let file: String?

    func run() -> [Check] {
        let (configuration, loading) = load()
        var checks = [loading, ContainerCheck.check(environment)]
        do throws(PathEngineError) {
            let engine = try PathEngine(options: configuration.paths, observer: DiscardingEngineObserver())
            defer { engine.close() }
            checks += NetworkCheck.checks(engine)
        } catch {
            checks.append(NetworkCheck.failure(error))
        }
        checks.append(EchoCheck.check())
        checks.append(TrafficCheck.check(configuration))
        checks.append(DescriptorCheck.check(configuration))
        checks.append(ClockCheck.check())
        checks += StateCheck.checks(configuration, environment)
        checks += ListenCheck.checks(configuration.http, file: file)
        checks += FleetCheck.checks(configuration)
        return checks
    }

    private func load() -> (ReachdConfiguration, Check) {
        do throws(ConfigurationDiagnostics) {
            let loaded = try ConfigurationLoader(environment: environment).load(file: file).configuration
            let words =
                file.map { "\($0) is valid" } ?? "no configuration file; watching default paths, gateways and resolvers"
            return (loaded, Check("configuration", .ok, "\(words), \(TargetCount.words(loaded))"))
        } catch {
            let count = error.diagnostics.count
            let words =
                "\(count) \(count == 1 ? "error" : "errors"), the first: \(error.diagnostics.first?.description ?? "")"
            return (.standard, Check("configuration", .fail, words, advice: "list all with reachd validate"))
        }
    }
}
