/* SPDX-License-Identifier: BSD-3-Clause
 * Tables in text: lines, fields, and the rows of numbers that become an array. */
#ifndef GARRAY_CORE_TEXT_TABLE_H
#define GARRAY_CORE_TEXT_TABLE_H

#include "core/array.h"

/* ---- lines ---- */
typedef struct garray__lines {
    char *at, *end;                 /* the rest; *end is 0 */
} garray__lines;

/* The next line without its end, which is \n, \r or both; false when there is none. */
bool garray__next_line(garray__lines *lines, char **line, size_t *length);

/* ---- fields ---- */
typedef struct garray__field {
    char *text;
    size_t length;
} garray__field;

typedef struct garray__fields {
    int64_t n, room;
    garray__field *field;
} garray__fields;

garray_status garray__fields_add(garray__fields *fields, char *text, size_t length);

/* ---- rows ---- */
typedef struct garray__table {
    int dtype;
    int64_t columns, rows, room;    /* columns is fixed before the first row */
    char *items;
} garray__table;

/* Room for one more row, which is counted. */
garray_status garray__table_row(garray__table *table, char **row);

/* The array: axes of length 1 dropped down to ndmin, transposed where unpack says so. */
garray_status garray__table_array(const garray__table *table, int ndmin, bool unpack, garray_device device, garray_t **out);

/* ---- options that both readers have ---- */
garray_status garray__check_table(garray_dtype *dtype, garray_axes usecols, int ndmin);

/* A number of rows: -1 where it is not given. */
garray_status garray__max_rows(const garray_operand *value, int64_t *rows);

#endif
