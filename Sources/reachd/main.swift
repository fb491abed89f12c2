// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

exit(Program.run(Array(CommandLine.arguments.dropFirst())))
