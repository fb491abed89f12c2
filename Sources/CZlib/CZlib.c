// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
#include "CZlib.h"

#include <limits.h>
#include <zlib.h>

size_t reachd_zlib_bound(size_t count) {
    // A full flush adds an empty stored block.
    return compressBound(count) + 16;
}

size_t reachd_zlib_deflate(const uint8_t *bytes, size_t count, uint8_t *piece, size_t size) {
    z_stream stream = {0};
    if (count > UINT_MAX || size > UINT_MAX) return 0;
    // Fast: the bodies are made anew with each change, and read by few.
    if (deflateInit2(&stream, 3, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    stream.next_in = (Bytef *)bytes;
    stream.avail_in = (uInt)count;
    stream.next_out = piece;
    stream.avail_out = (uInt)size;
    int result = deflate(&stream, Z_FULL_FLUSH);
    size_t written = result == Z_OK && stream.avail_in == 0 && stream.avail_out > 0 ? size - stream.avail_out : 0;
    deflateEnd(&stream);
    return written;
}

uint32_t reachd_zlib_checksum(const uint8_t *bytes, size_t count) {
    return (uint32_t)crc32_z(crc32_z(0, NULL, 0), bytes, count);
}

uint32_t reachd_zlib_combine(uint32_t first, uint32_t second, size_t second_count) {
    return (uint32_t)crc32_combine(first, second, (z_off_t)second_count);
}
