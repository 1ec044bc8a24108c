/* SPDX-License-Identifier: BSD-3-Clause
 * Einstein's summation: the text, then operands joined two at a time by contraction.
 *
 * Each term is an array whose axes carry labels, each label once.  Labels that no other term and not the result has are
 * summed at once.  Then the pair whose product costs least is joined, until one term is left; it is put in order. */
#include <stdlib.h>
#include <string.h>
#include "core/array.h"
#include "core/elementwise.h"
#include "core/product.h"
#include "core/result.h"
#include "garray/product.h"
#include "garray/reduce.h"
#include "garray/shape.h"

/* 26 + 26 letters, then the axes of "...", counted from the last one. */
#define LETTERS 52
#define LABELS (LETTERS + GARRAY_MAX_NDIM)
#define MOST_OPERANDS 256

typedef struct term {
    garray_t *array;
    uint8_t label[GARRAY_MAX_NDIM];
} term;

typedef struct sum {
    int n;                                  /* terms left */
    term *terms;
    int64_t length[LABELS];                 /* 0: no term has the label */
    bool seen[LABELS];
    int nout;
    uint8_t out[GARRAY_MAX_NDIM];
    bool kept[LABELS];                      /* in the result */
} sum;

static int letter_of(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : -1;
}

/* ---- the text ---- */
/* The labels of one operand, up to a comma, an arrow or the end; those of "..." for so many axes as are left over.  ndim
 * below 0: of the result, where "..." has all axes that it has anywhere. */
static garray_status read_term(const char **text, int ndim, int broadcast, uint8_t *label, int *n)
{
    int letters = 0, dots = -1;
    for (const char *c = *text; *c && *c != ',' && *c != '-'; c++)
        letters += letter_of(*c) >= 0;
    *n = 0;
    for (; **text && **text != ',' && **text != '-'; ++*text) {
        int letter = letter_of(**text);
        if (**text == ' ')
            continue;
        if (strncmp(*text, "...", 3) == 0) {
            GARRAY_REQUIRE(dots < 0, INVALID, "'...' stands twice in one term");
            dots = ndim < 0 ? broadcast : ndim - letters;
            GARRAY_REQUIRE(dots >= 0, SHAPE, "an operand has %d axes, fewer than its %d letters", ndim, letters);
            GARRAY_REQUIRE(*n + dots <= GARRAY_MAX_NDIM, SHAPE, "more than %d axes", GARRAY_MAX_NDIM);
            for (int i = dots - 1; i >= 0; i--)
                label[(*n)++] = (uint8_t)(LETTERS + i);
            *text += 2;
            continue;
        }
        GARRAY_REQUIRE(letter >= 0, INVALID, **text >= ' ' && **text <= '~' ? "'%c' is no letter; a term is letters and '...'"
                                                                            : "the byte %d is no letter; a term is letters and '...'",
                       (unsigned char)**text);
        GARRAY_REQUIRE(*n < GARRAY_MAX_NDIM, SHAPE, "more than %d axes", GARRAY_MAX_NDIM);
        label[(*n)++] = (uint8_t)letter;
    }
    GARRAY_REQUIRE(ndim < 0 || *n == ndim, SHAPE, "an operand has %d axes, its term names %d", ndim, *n);
    return GARRAY_OK;
}

/* A view of x with each label once: a label that stands twice becomes the diagonal; one of length 1 that has another
 * length elsewhere goes, since it broadcasts. */
static garray_status open_term(const garray_t *x, const uint8_t *label, const int64_t *length, term *t)
{
    int64_t shape[GARRAY_MAX_NDIM], strides[GARRAY_MAX_NDIM];
    int n = 0;
    for (int i = 0; i < x->ndim; i++) {
        int at = 0;
        while (at < n && t->label[at] != label[i])
            at++;
        if (x->shape[i] == 1 && length[label[i]] != 1)
            continue;
        if (at == n) {
            t->label[n] = label[i];
            shape[n] = x->shape[i];
            strides[n++] = garray__strides(x)[i];
        } else
            strides[at] += garray__strides(x)[i];
    }
    return garray__view(x->buffer, x->data, x->dtype, n, shape, strides, (x->flags & GARRAY__WRITEABLE) != 0, &t->array);
}

static garray_status note_lengths(sum *s, const garray_t *x, const uint8_t *label)
{
    for (int i = 0; i < x->ndim; i++) {
        int64_t *length = &s->length[label[i]];
        for (int j = 0; j < i; j++)
            GARRAY_REQUIRE(label[j] != label[i] || x->shape[j] == x->shape[i], SHAPE,
                           "axes %d and %d of an operand have one label and lengths %lld and %lld", j, i, (long long)x->shape[j],
                           (long long)x->shape[i]);
        GARRAY_REQUIRE(!s->seen[label[i]] || *length == x->shape[i] || *length == 1 || x->shape[i] == 1, SHAPE,
                       "one label has lengths %lld and %lld", (long long)*length, (long long)x->shape[i]);
        if (!s->seen[label[i]] || *length == 1)
            *length = x->shape[i];
        s->seen[label[i]] = true;
    }
    return GARRAY_OK;
}

/* Without an arrow: the axes of "...", then the letters that occur once, in alphabetical order. */
static garray_status usual_result(sum *s, const int *times, int broadcast)
{
    int n = broadcast;
    for (int i = 0; i < LETTERS; i++)
        n += times[i] == 1;
    GARRAY_REQUIRE(n <= GARRAY_MAX_NDIM, SHAPE, "the result would have %d axes; at most %d are possible", n, GARRAY_MAX_NDIM);
    for (int i = broadcast - 1; i >= 0; i--)
        s->out[s->nout++] = (uint8_t)(LETTERS + i);
    for (int i = 0; i < LETTERS; i++)
        if (times[i] == 1)
            s->out[s->nout++] = (uint8_t)i;
    return GARRAY_OK;
}

static garray_status read_all(sum *s, const char *text, garray_list operands)
{
    uint8_t (*labels)[GARRAY_MAX_NDIM] = calloc((size_t)operands.n, sizeof *labels);
    int times[LABELS] = { 0 }, broadcast = 0, n;
    garray_status st = GARRAY_OK;
    GARRAY__CHECK(labels, NOMEM, "no host memory for %lld operands", (long long)operands.n);
    for (int64_t i = 0; i < operands.n; i++) {
        const garray_t *x = operands.v[i];
        GARRAY__TRY(read_term(&text, x->ndim, 0, labels[i], &n));
        GARRAY__CHECK(i + 1 == operands.n ? *text != ',' : *text == ',', INVALID,
                      "the text has %s terms than there are operands, %lld", i + 1 == operands.n ? "more" : "fewer",
                      (long long)operands.n);
        text += *text == ',';
        for (int k = 0; k < n; k++) {
            times[labels[i][k]]++;
            if (labels[i][k] >= LETTERS && labels[i][k] - LETTERS >= broadcast)
                broadcast = labels[i][k] - LETTERS + 1;
        }
        GARRAY__TRY(note_lengths(s, x, labels[i]));
    }
    if (*text) {
        GARRAY__CHECK(strncmp(text, "->", 2) == 0, INVALID, "'-' is not followed by '>'");
        text += 2;
        GARRAY__TRY(read_term(&text, -1, broadcast, s->out, &s->nout));
        GARRAY__CHECK(!*text, INVALID, "the result has one term, without arrow");
        int dots = 0;
        for (int i = 0; i < s->nout; i++)
            dots += s->out[i] >= LETTERS;
        GARRAY__CHECK(dots == broadcast, INVALID, "operands have axes in '...', but the result has no '...'");
    } else
        GARRAY__TRY(usual_result(s, times, broadcast));
    for (int i = 0; i < s->nout; i++) {
        GARRAY__CHECK(s->seen[s->out[i]], INVALID, "a letter of the result is in no operand");
        GARRAY__CHECK(!s->kept[s->out[i]], INVALID, "a letter stands twice in the result");
        s->kept[s->out[i]] = true;
    }
    for (; s->n < operands.n; s->n++)
        GARRAY__TRY(open_term(operands.v[s->n], labels[s->n], s->length, &s->terms[s->n]));
done:
    free(labels);
    return st;
}

/* ---- joining ---- */
static bool has(const term *t, int label)
{
    for (int i = 0; i < t->array->ndim; i++)
        if (t->label[i] == label)
            return true;
    return false;
}

/* Whether a label is wanted beside the terms a and b (b may be a). */
static bool wanted(const sum *s, int label, int a, int b)
{
    if (s->kept[label])
        return true;
    for (int i = 0; i < s->n; i++)
        if (i != a && i != b && has(&s->terms[i], label))
            return true;
    return false;
}

/* Sums over the labels that nothing else has, in the term's own dtype. */
static garray_status sum_alone(const sum *s, int at)
{
    term *t = &s->terms[at];
    garray_t *less = NULL;
    int32_t axes[GARRAY_MAX_NDIM];
    int n = 0, left = 0;
    for (int i = 0; i < t->array->ndim; i++)
        if (wanted(s, t->label[i], at, at))
            t->label[left++] = t->label[i];
        else
            axes[n++] = i;
    if (n == 0)
        return GARRAY_OK;
    garray_reduce_opts opts = { .dtype = (garray_dtype)t->array->dtype };
    garray_status st = t->array->dtype == GARRAY_BOOL ? garray_any(t->array, (garray_axes){ n, axes }, NULL, &less)
                                                      : garray_sum(t->array, (garray_axes){ n, axes }, &opts, &less);
    if (st == GARRAY_OK) {
        garray_release(t->array);
        t->array = less;
    }
    return st;
}

/* Multiplications of joining two terms. */
static double cost_of(const sum *s, int a, int b)
{
    double cost = 1;
    for (int i = 0; i < s->terms[a].array->ndim; i++)
        cost *= (double)s->length[s->terms[a].label[i]];
    for (int i = 0; i < s->terms[b].array->ndim; i++)
        if (!has(&s->terms[a], s->terms[b].label[i]))
            cost *= (double)s->length[s->terms[b].label[i]];
    return cost;
}

static int place_of(const term *t, int label)
{
    int i = 0;
    while (t->label[i] != label)
        i++;
    return i;
}

/* Term a becomes the product of a and b; b goes. */
static garray_status join(sum *s, int a, int b)
{
    term *x = &s->terms[a], *y = &s->terms[b], joined = { NULL, { 0 } };
    garray_t *left = NULL, *right = NULL;
    int32_t order_x[GARRAY_MAX_NDIM], order_y[GARRAY_MAX_NDIM];
    uint8_t batch[GARRAY_MAX_NDIM], summed[GARRAY_MAX_NDIM];
    int nbatch = 0, nsummed = 0, nx = 0, ny = 0, n = 0;
    garray_status st = GARRAY_OK;
    for (int i = 0; i < x->array->ndim; i++)
        if (has(y, x->label[i])) {
            if (wanted(s, x->label[i], a, b))
                batch[nbatch++] = x->label[i];
            else
                summed[nsummed++] = x->label[i];
        }
    for (int i = 0; i < nbatch; i++) {
        joined.label[n++] = batch[i];
        order_x[nx++] = place_of(x, batch[i]);
        order_y[ny++] = place_of(y, batch[i]);
    }
    GARRAY__CHECK(x->array->ndim + y->array->ndim - nbatch - 2 * nsummed <= GARRAY_MAX_NDIM, SHAPE,
                  "a product on the way has more than %d axes", GARRAY_MAX_NDIM);
    for (int i = 0; i < x->array->ndim; i++)
        if (!has(y, x->label[i])) {
            joined.label[n++] = x->label[i];
            order_x[nx++] = i;
        }
    for (int i = 0; i < nsummed; i++) {
        order_x[nx++] = place_of(x, summed[i]);
        order_y[ny++] = place_of(y, summed[i]);
    }
    for (int i = 0; i < y->array->ndim; i++)
        if (!has(x, y->label[i])) {
            joined.label[n++] = y->label[i];
            order_y[ny++] = i;
        }
    GARRAY__TRY(garray__permuted(x->array, order_x, &left));
    GARRAY__TRY(garray__permuted(y->array, order_y, &right));
    GARRAY__TRY(garray__contract(left, right, nbatch, nsummed, &joined.array));
    garray_release(x->array);
    garray_release(y->array);
    *x = joined;
    *y = s->terms[--s->n];
done:
    garray_release(left);
    garray_release(right);
    return st;
}

static garray_status join_all(sum *s)
{
    garray_status st = GARRAY_OK;
    for (int i = 0; i < s->n && st == GARRAY_OK; i++)
        st = sum_alone(s, i);
    while (s->n > 1 && st == GARRAY_OK) {
        int a = 0, b = 1;
        double least = cost_of(s, 0, 1);
        for (int i = 0; i < s->n; i++)
            for (int j = i + 1; j < s->n; j++) {
                double cost = cost_of(s, i, j);
                if (cost < least) {
                    least = cost;
                    a = i;
                    b = j;
                }
            }
        st = join(s, a, b);
    }
    return st;
}

/* The last term in the order of the result; lengths that only broadcast are 1. */
static garray_status in_order(const sum *s, garray_t **out)
{
    const term *t = &s->terms[0];
    int32_t order[GARRAY_MAX_NDIM];
    for (int i = 0; i < s->nout; i++)
        order[i] = place_of(t, s->out[i]);
    return garray__permuted(t->array, order, out);
}

garray_status garray_einsum(const char *subscripts, garray_list operands, garray_t **out)
{
    GARRAY_ENTER("garray_einsum");
    sum s = { 0 };
    garray_t *result = NULL;
    int dtype = 0;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(subscripts, INVALID, "subscripts is NULL");
    GARRAY_REQUIRE(operands.v && operands.n >= 1, INVALID, "at least one operand is needed");
    GARRAY_REQUIRE(operands.n <= MOST_OPERANDS, INVALID, "%lld operands; at most %d are possible", (long long)operands.n,
                   MOST_OPERANDS);
    for (int64_t i = 0; i < operands.n; i++) {
        GARRAY_REQUIRE(operands.v[i], INVALID, "operand %lld is NULL", (long long)i);
        st = garray__same_device(garray__device_of(operands.v[0]), operands.v[i]);
        if (st != GARRAY_OK)
            return st;
    }
    st = garray__list_dtype(operands, &dtype);
    if (st != GARRAY_OK)
        return st;
    s.terms = calloc((size_t)operands.n, sizeof *s.terms);
    GARRAY__CHECK(s.terms, NOMEM, "no host memory for %lld operands", (long long)operands.n);
    GARRAY__TRY(read_all(&s, subscripts, operands));
    /* sums of one operand are in the dtype of the whole */
    for (int i = 0; i < s.n && s.n > 1; i++)
        if (s.terms[i].array->dtype != dtype)
            GARRAY__TRY(garray_astype(s.terms[i].array, (garray_dtype)dtype, &s.terms[i].array));
    GARRAY__TRY(join_all(&s));
    GARRAY__TRY(in_order(&s, &result));
    st = garray__result_assign(out, result);
    result = NULL;
done:
    for (int i = 0; s.terms && i < s.n; i++)
        garray_release(s.terms[i].array);
    free(s.terms);
    garray_release(result);
    return st;
}
