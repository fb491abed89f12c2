// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

@_exported public import struct ActivityTracking.ActivityCompatibility
@_exported public import enum ActivityTracking.ActivityState

/// AFNetworking's state of an activity indicator, with its raw values 0 to 3 (contract A1).
public typealias NetworkActivityManagerState = ActivityState
