// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Configuration
import Fleet
import LinuxIO
import PostgreSQL

/// Which fleet's database a command means.
struct FleetOptions: ParsableArguments {
    @OptionGroup
    var configuration: ConfigurationOptions

    @Option(
        help: ArgumentHelp(
            "The database's connection URI without a password (default: fleet.database of the configuration).",
            valueName: "uri"
        )
    )
    var database: String?

    @Option(
        help: ArgumentHelp("The file with the password of the database's role.", valueName: "file"),
        completion: .file()
    )
    var passwordFile: String?

    /// The settings of the connection; reports what is wrong with them.
    func settings() throws -> DatabaseSettings {
        let environment = ProcessEnvironment.variables()
        var fleet = FleetNodeSettings()
        if let database {
            (fleet.database, fleet.passwordFile) = (database, passwordFile)
        } else {
            do throws(ConfigurationDiagnostics) {
                let loader = ConfigurationLoader(environment: environment)
                fleet = try loader.load(file: configuration.path(environment)).configuration.fleet
            } catch {
                for fault in error.diagnostics { StandardStream.error.write(line: "\(fault)") }
                throw ExitStatus.configuration
            }
            if let passwordFile { fleet.passwordFile = passwordFile }
        }
        do throws(DatabaseError) {
            if let settings = try fleet.connection() { return settings }
        } catch {
            throw CommandError.report("the database's URI is not usable: \(error.message)", .usage)
        }
        throw CommandError.report(
            "no database: set fleet.database in the configuration, or pass --database URI",
            .usage
        )
    }
}

/// Runs one piece of work on a connection to a fleet's database, and waits for it.
enum FleetConsole {
    /// - Parameters:
    ///   - settings: How to connect.
    ///   - work: Starts the work on the connection's thread; its second parameter takes the result, once.
    /// - Returns: The result; a failure is reported and ends the command.
    static func run<Value: Sendable>(
        _ settings: DatabaseSettings,
        _ work: @escaping @Sendable (DatabaseConnection, @escaping (Result<Value, DatabaseError>) -> Void) -> Void
    ) throws -> Value {
        switch result(settings, work) {
        case .success(let value): return value
        case .failure(let error): throw report(error)
        }
    }

    /// The same without a report.
    static func result<Value: Sendable>(
        _ settings: DatabaseSettings,
        _ work: @escaping @Sendable (DatabaseConnection, @escaping (Result<Value, DatabaseError>) -> Void) -> Void
    ) -> Result<Value, DatabaseError> {
        let result: Result<Result<Value, DatabaseError>, Never>?
        do throws(SystemError) {
            result = try EventLoop.run(named: "reachd-fleet") { loop, end in
                use(settings, on: loop, work, completion: end)
            }
        } catch {
            return .failure(DatabaseError(.closed, "no thread for the connection: \(error)"))
        }
        guard case .success(let result)? = result else {
            return .failure(DatabaseError(.closed, "the command was cancelled"))
        }
        return result
    }

    /// Opens a connection for one piece of work and closes it with the result. On the loop's thread.
    ///
    /// - Parameter completion: Called once, perhaps from inside this call.
    static func use<Value: Sendable>(
        _ settings: DatabaseSettings,
        on loop: EventLoop,
        _ work: @escaping @Sendable (DatabaseConnection, @escaping (Result<Value, DatabaseError>) -> Void) -> Void,
        completion: @escaping (Result<Value, DatabaseError>) -> Void
    ) {
        let resolver: Resolver
        do throws(ResolverError) {
            resolver = try Resolver(loop: loop)
        } catch {
            return completion(.failure(DatabaseError(.resolutionFailed, "\(error)")))
        }
        let database = DatabaseConnection(loop: loop, resolver: resolver, settings: settings)
        database.connect { connected in
            func finish(_ result: Result<Value, DatabaseError>) {
                database.close()
                resolver.close()
                completion(result)
            }
            switch connected {
            case .success: work(database, finish)
            case .failure(let error): finish(.failure(error))
            }
        }
    }

    /// Reports a failure of the database with its code and the next step.
    static func report(_ error: DatabaseError) -> ExitStatus {
        CommandError.report(words(error), .unavailable)
    }

    /// A failure of the database with its code and the next step.
    static func words(_ error: DatabaseError) -> String {
        let next =
            switch error.reason {
            case .missingObject: "; run reachd fleet init"
            case .permissionDenied: "; run it with a role that may, or run reachd fleet init"
            default: ""
            }
        return "the fleet's database: \(error)\(next) [\(error.reason.rawValue)]"
    }
}
