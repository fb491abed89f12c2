// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Schema

/// Makes a configuration from a file, the environment and the command line; each overrides the previous one.
package struct ConfigurationLoader: Sendable {
    /// The largest allowed file, in bytes.
    package static let maximumSize = 16 << 20
    /// The largest allowed size of all files together, in bytes.
    package static let maximumTotal = 64 << 20

    /// The environment, for references in the file and for the variables of ``EnvironmentVariables``.
    package let environment: [String: String]
    /// The settings of the command line.
    package let overrides: [ConfigurationOverride]
    /// The limits on YAML.
    package let limits: YAMLLimits

    /// Creates a loader.
    package init(
        environment: [String: String] = [:],
        overrides: [ConfigurationOverride] = [],
        limits: YAMLLimits = YAMLLimits()
    ) {
        self.environment = environment
        self.overrides = overrides
        self.limits = limits
    }

    /// Reads a file.
    ///
    /// - Parameter path: The file; nil for none, which leaves the defaults, the environment and the command line.
    /// - Throws: ``ConfigurationDiagnostics`` with everything that is wrong.
    package func load(file path: String?) throws(ConfigurationDiagnostics) -> LoadedConfiguration {
        guard let path else { return try load(bytes: [], path: "") }
        return try load(bytes: try BoundedFile.read(path, maximum: Self.maximumSize), path: path)
    }

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - bytes: The text, in UTF-8.
    ///   - path: The file's name in diagnostics.
    /// - Throws: ``ConfigurationDiagnostics`` with everything that is wrong.
    package func load(bytes: [UInt8], path: String) throws(ConfigurationDiagnostics) -> LoadedConfiguration {
        guard bytes.count <= Self.maximumSize else { throw BoundedFile.tooLarge(path, Self.maximumSize) }
        var root = try tree(bytes, path: path, file: 0)
        let files = ConfigurationFiles(main: path, include: included(by: root, path: path))
        let others = files.included()
        guard others.count <= ConfigurationFiles.maximum else {
            let words = "includes \(others.count) files, more than \(ConfigurationFiles.maximum)"
            throw ConfigurationDiagnostics([.init(.tooLarge, at: .file(path, nil), pointer: "/include", words)])
        }
        var fingerprint = ConfigurationFingerprint()
        fingerprint.add(bytes, of: path)
        var room = Self.maximumTotal - bytes.count
        for (index, other) in others.enumerated() {
            let bytes = try BoundedFile.read(other, maximum: min(room, Self.maximumSize))
            room -= bytes.count
            fingerprint.add(bytes, of: other)
            guard let added = try inclusion(bytes, path: other, file: UInt16(index + 1)) else { continue }
            root = (root ?? YAMLNode(.mapping([]), position: .start)).including(added)
        }
        var reader = SchemaReader(path: path, including: others, environment: environment, overrides: overridesByKey)
        let checked = reader.read(root, as: ConfigurationSchema.root)
        let configuration = ConfigurationAssembler(root: checked).assemble(&reader)
        if let diagnostics = reader.diagnostics.result(path: path) { throw diagnostics }
        let warnings = EnvironmentVariables.unknown(in: environment, referred: reader.referredVariables)
        return LoadedConfiguration(
            configuration: configuration,
            files: files,
            fingerprint: fingerprint,
            warnings: warnings
        )
    }

    private func tree(_ bytes: [UInt8], path: String, file: UInt16) throws(ConfigurationDiagnostics) -> YAMLNode? {
        do throws(YAMLError) {
            let root = try YAMLReader.read(bytes, limits: limits, file: file)
            return root?.isNull == true ? nil : root
        } catch {
            throw ConfigurationDiagnostics([ConfigurationDiagnostic(error, path: path)])
        }
    }

    /// The values of the key `include`. Its faults are found when the whole is read.
    private func included(by root: YAMLNode?, path: String) -> [String] {
        var pairs: [YAMLNode.Pair] = []
        if case .mapping(let all) = root?.content {
            pairs = all.filter { $0.key.text == ConfigurationSchema.includeName }
        }
        let alone = YAMLNode(.mapping(pairs), position: .start)
        var reader = SchemaReader(path: path, environment: environment, overrides: overridesByKey)
        return reader.read(alone, as: ConfigurationSchema.inclusion).texts(ConfigurationSchema.includeName)
    }

    /// The content of an included file; nil for an empty one.
    private func inclusion(_ bytes: [UInt8], path: String, file: UInt16) throws(ConfigurationDiagnostics) -> YAMLNode? {
        guard let root = try tree(bytes, path: path, file: file) else { return nil }
        func fault(_ code: ConfigurationDiagnostic.Code, _ node: YAMLNode, _ words: String, hint: String?)
            -> ConfigurationDiagnostics
        {
            ConfigurationDiagnostics([.init(code, at: .file(path, node.position), words, hint: hint)])
        }
        guard case .mapping(let pairs) = root.content else {
            let hint = "an included file has the keys of the main one, such as targets"
            throw fault(.wrongType, root, "an included file must be a mapping of keys", hint: hint)
        }
        if let pair = pairs.first(where: { $0.key.text == ConfigurationSchema.includeName }) {
            throw fault(
                .conflict,
                pair.key,
                "an included file cannot include others",
                hint: "name them in the main file"
            )
        }
        return root
    }

    private var overridesByKey: [String: ConfigurationOverride] {
        var byKey: [String: ConfigurationOverride] = [:]
        for override in EnvironmentVariables.overrides(in: environment) + overrides { byKey[override.key] = override }
        return byKey
    }
}

extension ConfigurationDiagnostic {
    package init(_ error: YAMLError, path: String) {
        let code: Code =
            switch error.code {
            case .syntax: .syntax
            case .unknownAnchor: .unknownAnchor
            case .tooDeep: .tooDeep
            case .tooLarge, .noMemory: .tooLarge
            case .severalDocuments: .severalDocuments
            }
        self.init(code, at: .file(path, error.position), error.message)
    }
}

/// A configuration with its warnings.
package struct LoadedConfiguration: Sendable, Hashable {
    /// The configuration.
    package let configuration: ReachdConfiguration
    /// The files that it is from.
    package let files: ConfigurationFiles
    /// Their contents.
    package let fingerprint: ConfigurationFingerprint
    /// Warnings, which do not prevent its use.
    package let warnings: [ConfigurationDiagnostic]
}
