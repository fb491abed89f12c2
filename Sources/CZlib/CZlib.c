// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
#include "CZlib.h"

#include <limits.h>
#include <stdlib.h>
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

struct reachd_zlib_reader {
    z_stream stream;
};

reachd_zlib_reader *reachd_zlib_reader_create(void) {
    reachd_zlib_reader *reader = calloc(1, sizeof *reader);
    // 16: gzip, and neither zlib's own format nor a guess.
    if (reader == NULL || inflateInit2(&reader->stream, MAX_WBITS + 16) == Z_OK) return reader;
    free(reader);
    return NULL;
}

void reachd_zlib_reader_destroy(reachd_zlib_reader *reader) {
    inflateEnd(&reader->stream);
    free(reader);
}

void reachd_zlib_reader_reset(reachd_zlib_reader *reader) {
    inflateReset(&reader->stream);
}

enum reachd_zlib_reading reachd_zlib_read(reachd_zlib_reader *reader, const uint8_t *bytes, size_t *count, uint8_t *piece, size_t *size) {
    z_stream *stream = &reader->stream;
    uInt given = *count < UINT_MAX ? (uInt)*count : UINT_MAX;
    uInt room = *size < UINT_MAX ? (uInt)*size : UINT_MAX;
    stream->next_in = (Bytef *)bytes;
    stream->avail_in = given;
    stream->next_out = piece;
    stream->avail_out = room;
    int result = inflate(stream, Z_NO_FLUSH);
    *count = given - stream->avail_in;
    *size = room - stream->avail_out;
    if (result == Z_STREAM_END) return reachd_zlib_ended;
    return result == Z_OK || result == Z_BUF_ERROR ? reachd_zlib_goes_on : reachd_zlib_broken;
}
