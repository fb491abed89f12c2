// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The texts of the cases, a file for each chapter.
enum CaseTexts {}
