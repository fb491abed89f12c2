// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Why a manager could not be made; AFNetworking crashes instead (contract R8).
public struct NetworkReachabilityError: Error, Sendable, Hashable {
    /// The kinds of fault; their raw values are stable.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The host name is empty or otherwise no name.
        case invalidDomain = "invalid_domain"
        /// The address is no IPv4 or IPv6 address, or its scope is no interface of this machine.
        case invalidAddress = "invalid_address"
        /// Neither side of a pair is given, or one of them is no address.
        case invalidAddressPair = "invalid_address_pair"
    }

    /// The kind of fault.
    public let code: Code
    /// What was wrong, in a sentence that names the input where it is text.
    public let message: String
    /// The system's own code, as `SCError()` gives it; 0 when the system was not asked.
    public let systemCode: Int32

    init(_ code: Code, _ message: String, systemCode: Int32 = 0) {
        self.code = code
        self.message = message
        self.systemCode = systemCode
    }
}

extension NetworkReachabilityError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
