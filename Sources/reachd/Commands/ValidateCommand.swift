// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Configuration

/// `reachd validate`
struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Checks a configuration file and says everything that is wrong with it.",
        discussion: """
            Faults are printed as FILE:LINE:COLUMN: WORDS. With --diff the targets of a valid file are compared with those of a \
            running service, as far as GET /targets shows how they are declared: what a reload of that file would add (+), \
            change (~) and remove (-). Other settings, and what that route does not show of probes (expectations, headers, \
            TLS), are not compared.

            Exit status: 0 valid, and with --diff nothing is different; 1 faults; 2 usage; 3 with --diff, something is \
            different; 69, 76, 77 as with reachd status.

            Examples:
              reachd validate reachd.yaml
              reachd validate reachd.yaml --diff http://127.0.0.1:7532
            """
    )

    @Argument(help: "The configuration file; REACHD_CONFIG names it otherwise.", completion: .file())
    var file: String?

    @Option(help: ArgumentHelp("Compare with the service there: a URL, or unix:/PATH.", valueName: "url"))
    var diff: String?

    @OptionGroup
    var connection: ConnectionOptions

    func run() throws {
        let environment = ProcessEnvironment.variables()
        var options = ConfigurationOptions()
        options.config = file
        let path = options.path(environment)
        let configuration: ReachdConfiguration
        do throws(ConfigurationDiagnostics) {
            let loaded = try ConfigurationLoader(environment: environment).load(file: path)
            for warning in loaded.warnings { StandardStream.error.write(line: "warning: \(warning)") }
            configuration = loaded.configuration
        } catch {
            StandardStream.output.write(line: error.description)
            throw ExitStatus.negative
        }
        StandardStream.output.write(line: "\(path ?? "no file"): valid, \(TargetCount.words(configuration))")
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
