// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import LinuxIO

/// A command that is run to its end.
package enum Command {
    /// A command that ended with a status other than 0.
    package struct Failure: Error, CustomStringConvertible {
        /// The words of the command.
        package let arguments: [String]
        /// Its exit status.
        package let status: Int32
        /// What it printed on both outputs.
        package let output: String

        /// The command, its status and its output.
        package var description: String { "\(arguments.joined(separator: " ")): exit \(status): \(output)" }
    }

    /// Runs a command.
    ///
    /// - Returns: What it printed on both outputs.
    /// - Throws: ``Failure``, or `SystemError` when it cannot be started.
    @discardableResult
    package static func run(
        _ arguments: [String],
        environment: [String: String] = [:],
        input: OwnedDescriptor? = nil,
        in namespace: NetworkNamespace? = nil
    ) throws -> String {
        let process = try ChildProcess(arguments, environment: environment, input: input, in: namespace)
        let output = process.readAll()
        let status = process.wait()
        guard status == 0 else { throw Failure(arguments: arguments, status: status, output: output) }
        return output
    }
}
