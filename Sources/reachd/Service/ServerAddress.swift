// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer

/// The server's kind of address. Its module has a class of the same name, so the type cannot be qualified where the
/// configuration's kind is in sight too.
typealias ServerAddress = ListenAddress
