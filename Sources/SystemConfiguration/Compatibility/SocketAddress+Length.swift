// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Glibc

// Socket addresses carry no length on Linux. Source for Apple's systems sets one, so there is one to set: the value
// read is the structure's size, the value written is ignored.

extension sockaddr_in {
    /// The structure's size in bytes; setting it does nothing.
    public var sin_len: UInt8 {
        get { UInt8(MemoryLayout<Self>.size) }
        set { _ = newValue }
    }
}

extension sockaddr_in6 {
    /// The structure's size in bytes; setting it does nothing.
    public var sin6_len: UInt8 {
        get { UInt8(MemoryLayout<Self>.size) }
        set { _ = newValue }
    }
}

extension sockaddr {
    /// The size in bytes of what the family says this is, 0 for other families than the internet's; setting it does
    /// nothing.
    public var sa_len: UInt8 {
        get {
            switch Int32(sa_family) {
            case AF_INET: UInt8(MemoryLayout<sockaddr_in>.size)
            case AF_INET6: UInt8(MemoryLayout<sockaddr_in6>.size)
            default: 0
            }
        }
        set { _ = newValue }
    }
}

extension sockaddr_storage {
    /// The size in bytes of what the family says this is, 0 for other families than the internet's; setting it does
    /// nothing.
    public var ss_len: UInt8 {
        get {
            switch Int32(ss_family) {
            case AF_INET: UInt8(MemoryLayout<sockaddr_in>.size)
            case AF_INET6: UInt8(MemoryLayout<sockaddr_in6>.size)
            default: 0
            }
        }
        set { _ = newValue }
    }
}

/// 169.254.0.0 in host order, from Apple's `netinet/in.h`: the old idiom for "local Wi-Fi".
public var IN_LINKLOCALNETNUM: UInt32 { 0xa9fe_0000 }
