// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Fleet
import PostgreSQL

/// `reachd fleet init`
struct FleetInitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Create a fleet in a database: schema, roles and tables.",
        discussion: """
            Connect as a superuser, or as a role with CREATEROLE and the privilege CREATE on the database. The role of the nodes \
            must exist: CREATE ROLE reachd LOGIN PASSWORD '…'. What exists stays as it is, so that a second call changes nothing.

            Example:
              reachd fleet init --database postgresql://postgres@db.example/reachd --user reachd
            """
    )

    @OptionGroup
    var fleet: FleetOptions

    @OptionGroup
    var schema: FleetSchemaOptions

    @Option(help: ArgumentHelp("The role that the nodes connect as.", valueName: "role"))
    var user = "reachd"

    func run() throws {
        let (name, user) = (try schema.name(), user)
        // 128 random bits tell this fleet from every other, also after a restored backup.
        let identity = (0..<16).map { _ in UInt8.random(in: .min ... .max) }.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        try FleetConsole.change(fleet) { schema, progress, end in
            schema.initialize(schema: name, loginRole: user, identity: identity, progress: progress, completion: end)
        }
    }
}

/// `reachd fleet migrate`
struct FleetMigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Bring a fleet's tables to this version of reachd.",
        discussion: """
            Nodes of the previous version keep working meanwhile. Migrate first, then upgrade the nodes one by one.
            """
    )

    @OptionGroup
    var fleet: FleetOptions

    @OptionGroup
    var schema: FleetSchemaOptions

    func run() throws {
        let name = try schema.name()
        try FleetConsole.change(fleet) { schema, progress, end in
            schema.migrate(schema: name, progress: progress, completion: end)
        }
    }
}

/// Which schema a command means.
struct FleetSchemaOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The fleet's schema; several fleets can share a database.", valueName: "name"))
    var schema = SchemaName.standard.text

    func name() throws -> SchemaName {
        do throws(SchemaProblem) {
            return try SchemaName(schema)
        } catch {
            throw CommandError.report("\(error)", .usage)
        }
    }
}

extension FleetConsole {
    /// Changes a schema and prints each step.
    fileprivate static func change(
        _ fleet: FleetOptions,
        _ start:
            @escaping @Sendable (
                FleetSchema, @escaping (SchemaStep) -> Void, @escaping (Result<[SchemaStep], SchemaProblem>) -> Void
            ) -> Void
    ) throws {
        let result: Result<[SchemaStep], SchemaProblem> = try run(try fleet.settings(), for: nil) { database, end in
            let schema = FleetSchema(connection: database)
            start(
                schema,
                { StandardStream.output.write(line: "\($0)") },
                { result in withExtendedLifetime(schema) { end(.success(result)) } }
            )
        }
        guard case .failure(let problem) = result else { return }
        throw CommandError.report("\(problem) [\(problem.code.rawValue)]", .negative)
    }
}
