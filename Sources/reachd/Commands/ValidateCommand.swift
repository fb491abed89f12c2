// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Configuration

/// `reachd validate`
struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Check a configuration file and report all errors.",
        discussion: """
            Errors are printed as FILE:LINE:COLUMN: TEXT. With --diff the targets of a valid file are compared with those of a \
            running service: what a reload would add (+), change (~) and remove (-). Only what GET /targets shows is compared: \
            no other settings, and no expectations, headers and TLS settings of probes.

            Exit status: 0 valid, and no difference with --diff; 1 invalid; 2 usage; 3 difference with --diff; 69, 76, 77 as with \
            reachd status.

            Examples:
              reachd validate reachd.yaml
              reachd validate reachd.yaml --diff http://127.0.0.1:7532
            """
    )

    @Argument(help: "The configuration file (default: REACHD_CONFIG).", completion: .file())
    var file: String?

    @Option(help: ArgumentHelp("Compare with this running service: a URL, or unix:/PATH.", valueName: "url"))
    var diff: String?

    @OptionGroup
    var connection: ConnectionOptions

    func run() throws {
        let environment = ProcessEnvironment.variables()
        var options = ConfigurationOptions()
        options.config = file
        let path = options.path(environment)
        let loaded: LoadedConfiguration
        do throws(ConfigurationDiagnostics) {
            loaded = try ConfigurationLoader(environment: environment).load(file: path)
            for warning in loaded.warnings { StandardStream.error.write(line: "warning: \(warning)") }
        } catch {
            StandardStream.output.write(line: error.description)
            throw ExitStatus.negative
        }
        let configuration = loaded.configuration
        let included = loaded.files.included().count
        let files = configuration.include.isEmpty ? "" : " in \(included + 1) \(included == 0 ? "file" : "files")"
        StandardStream.output.write(line: "\(path ?? "no file"): valid, \(TargetCount.words(configuration))\(files)")
        guard let diff else { return }
        let client: ServiceClient
        do throws(ServiceFault) {
            client = try connection.client([try ServiceEndpoints.place(diff, option: "--diff")], environment)
        } catch {
            throw error.report()
        }
        let difference = DeclarationDifference(configuration, running: try TargetPages(client).declarations())
        StandardStream.output.write(line: difference.lines.joined(separator: "\n"))
        if !difference.isEmpty { throw ExitStatus.other }
    }
}
