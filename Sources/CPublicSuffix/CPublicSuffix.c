// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
#include "CPublicSuffix.h"

#include <libpsl.h>

int32_t reachd_psl_is_registry(const char *name) {
    // Without a list built in there is none, and every name passes.
    const psl_ctx_t *list = psl_builtin();
    return list != NULL && psl_is_public_suffix2(list, name, PSL_TYPE_ICANN | PSL_TYPE_NO_STAR_RULE);
}
