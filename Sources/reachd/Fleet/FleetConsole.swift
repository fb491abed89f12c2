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
    /// Why it was not done.
    enum Failure: Error, CustomStringConvertible {
        /// The database failed.
        case database(DatabaseError)
        /// The database has no schema that this program can use.
        case schema(SchemaProblem)

        /// What happened, with the next step and the code.
        var description: String {
            switch self {
            case .schema(let problem): "\(problem) [\(problem.code.rawValue)]"
            case .database(let error):
                "the fleet's database: \(error)"
                    + (error.reason == .permissionDenied
                        ? "; run it with a role that may, or run reachd fleet init" : "")
                    + " [\(error.reason.rawValue)]"
            }
        }
    }

    /// - Parameters:
    ///   - settings: How to connect.
    ///   - purpose: For what the schema must be usable; nil: it is not checked.
    ///   - work: Starts the work on the connection's thread; its second parameter takes the result, once.
    /// - Returns: The result; a failure is reported and ends the command.
    static func run<Value: Sendable>(
        _ settings: DatabaseSettings,
        for purpose: SchemaCheck.Purpose?,
        _ work: @escaping @Sendable (DatabaseConnection, @escaping (Result<Value, DatabaseError>) -> Void) -> Void
    ) throws -> Value {
        switch result(settings, for: purpose, work) {
        case .success(let value): return value
        case .failure(let failure): throw CommandError.report("\(failure)", .unavailable)
        }
    }

    /// The same without a report.
    static func result<Value: Sendable>(
        _ settings: DatabaseSettings,
        for purpose: SchemaCheck.Purpose?,
        _ work: @escaping @Sendable (DatabaseConnection, @escaping (Result<Value, DatabaseError>) -> Void) -> Void
    ) -> Result<Value, Failure> {
        let result: Result<Result<Value, Failure>, Never>?
        do throws(SystemError) {
            result = try EventLoop.run(named: "reachd-fleet") { loop, end in
                use(settings, for: purpose, on: loop, work, completion: end)
            }
        } catch {
            return .failure(.database(DatabaseError(.closed, "no thread for the connection: \(error)")))
        }
        guard case .success(let result)? = result else {
            return .failure(.database(DatabaseError(.closed, "the command was cancelled")))
        }
        return result
    }

    /// Opens a connection for one piece of work and closes it with the result. On the loop's thread.
    ///
    /// - Parameter completion: Called once, perhaps from inside this call.
    static func use<Value: Sendable>(
        _ settings: DatabaseSettings,
        for purpose: SchemaCheck.Purpose?,
        on loop: EventLoop,
        _ work: @escaping @Sendable (DatabaseConnection, @escaping (Result<Value, DatabaseError>) -> Void) -> Void,
        completion: @escaping (Result<Value, Failure>) -> Void
    ) {
        let resolver: Resolver
        do throws(ResolverError) {
            resolver = try Resolver(loop: loop)
        } catch {
            return completion(.failure(.database(DatabaseError(.resolutionFailed, "\(error)"))))
        }
        let database = DatabaseConnection(loop: loop, resolver: resolver, settings: settings)
        func finish(_ result: Result<Value, Failure>) {
            database.close()
            resolver.close()
            completion(result)
        }
        database.connect { connected in
            if case .failure(let error) = connected { return finish(.failure(.database(error))) }
            guard let purpose else { return work(database) { finish($0.mapError(Failure.database)) } }
            FleetSchema.check(on: database, purpose: purpose) { checked in
                switch checked {
                case .success(.usable): work(database) { finish($0.mapError(Failure.database)) }
                case .success(.unusable(let problem)): finish(.failure(.schema(problem)))
                case .failure(let error): finish(.failure(.database(error)))
                }
            }
        }
    }
}
