// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What ``TrafficObserver`` has done so far. Contains no address.
package struct TrafficStatistics: Sendable, Hashable {
    /// Whether the kernel reports ended connections at present.
    package internal(set) var isSubscribed = false
    /// Whether more connections end than the limit, so that only samples are observed.
    package internal(set) var isRationed = false
    /// The share of the last hour in which ended connections were observed, from 0 to 1.
    package internal(set) var share = 0.0
    /// Watched endpoints.
    package internal(set) var endpoints = 0
    /// The length of the kernel's filter; 0 while there is none and every ended connection is received.
    package internal(set) var filterInstructions = 0
    /// Messages received.
    package internal(set) var messages: UInt64 = 0
    /// Of ``messages``, connections and attempts counted for a target.
    package internal(set) var connections: UInt64 = 0
    /// Of ``messages``, connections of others, which were discarded; with a filter, the sample that measures their rate.
    package internal(set) var others: UInt64 = 0
    /// Of ``messages``, excluded connections (``TrafficObserver/exclude(_:)``).
    package internal(set) var excluded: UInt64 = 0
    /// How often the kernel dropped messages for want of buffer space (`ENOBUFS`).
    package internal(set) var overruns: UInt64 = 0
    /// How often the limit was exceeded.
    package internal(set) var rations: UInt64 = 0
    /// Why observing ended; nil while it goes on.
    package internal(set) var failure: TrafficError?
}
