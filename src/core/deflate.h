/* SPDX-License-Identifier: BSD-3-Clause
 * Deflate, by zlib where the library was built with it; UNSUPPORTED otherwise. */
#ifndef GARRAY_CORE_DEFLATE_H
#define GARRAY_CORE_DEFLATE_H

#include "core/file.h"

/* At most so many bytes come from one packed byte (zlib's technical details: 1032). */
#define GARRAY__DEFLATE_RATIO 1032

typedef struct garray__inflater garray__inflater;

/* Unpacks `packed` bytes that lie in the file at a place.  read() gives what the stream holds; FORMAT where it is
 * damaged or ends too early. */
garray_status garray__inflate_open(garray__infile *file, int64_t at, int64_t packed, garray__inflater **out);
garray_status garray__inflate_read(garray__inflater *inflater, void *to, size_t size, size_t *got);
void garray__inflate_close(garray__inflater *inflater);

typedef struct garray__deflater garray__deflater;

/* Packs what is written into a sink; *packed of finish() is how many bytes that were.  close() accepts NULL. */
garray_status garray__deflate_open(garray__sink *sink, garray__deflater **out);
garray_status garray__deflate_write(garray__deflater *deflater, const void *from, size_t size);
garray_status garray__deflate_finish(garray__deflater *deflater, int64_t *packed);
void garray__deflate_close(garray__deflater *deflater);

#endif
