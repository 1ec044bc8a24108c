/* SPDX-License-Identifier: BSD-3-Clause
 * Functions of the interface that write down what they were given, in place of the library's: with
 * macros_caller.c, compiled as C or as C++, they show that the macros and the calling convention agree. */
#include <garray/garray.h>

struct garray_t {
    int number;
};
static struct garray_t one = { 7 };

static void show(garray_operand o)
{
    double d;
    memcpy(&d, o.bits, sizeof d);
    printf(" [kind %d flags %d array %d", o.kind & 15, o.flags, o.array ? o.array->number : 0);
    if (o.kind < GARRAY_OPERAND_DOUBLE)
        printf(" bits %lld]", (long long)o.bits[0]);
    else
        printf(" value %g, %llu]", d, (unsigned long long)o.bits[1]);
}

garray_status (garray_add)(garray_operand a, garray_operand b, garray_t **out)
{
    printf("add");
    show(a);
    show(b);
    puts("");
    *out = &one;
    return GARRAY_OK;
}

garray_status (garray_clip)(garray_operand x, garray_operand lo, garray_operand hi, garray_t **out)
{
    printf("clip");
    show(x);
    show(lo);
    show(hi);
    puts("");
    *out = &one;
    return GARRAY_OK;
}

garray_status garray_sum(const garray_t *x, garray_axes axes, const garray_reduce_opts *opts, garray_t **out)
{
    printf("sum %d axes", x->number);
    for (int i = 0; i < axes.n; i++)
        printf(" %d", axes.v[i]);
    if (opts) {
        printf(" keepdims %d dtype %d", opts->keepdims, opts->dtype);
        show(opts->initial);
        show(opts->where);
        for (int i = 0; i < 8; i++)
            if (opts->reserved[i])
                printf(" reserved word not zero");
    }
    puts("");
    *out = &one;
    return GARRAY_OK;
}

garray_status garray_zeros(garray_shape shape, garray_dtype dtype, garray_device device, garray_t **out)
{
    printf("zeros");
    for (int i = 0; i < shape.n; i++)
        printf(" %lld", (long long)shape.v[i]);
    printf(" dtype %d device %d:%d\n", dtype, device.type, device.index);
    *out = &one;
    return GARRAY_OK;
}

garray_status garray_getitem(const garray_t *x, garray_indices items, garray_t **out)
{
    printf("getitem %d:", x->number);
    for (int i = 0; i < items.n; i++) {
        const garray_index *at = &items.v[i];
        printf(" (%d %d %lld %lld %lld %d)", at->kind, at->has, (long long)at->start, (long long)at->stop,
               (long long)at->step, at->array ? at->array->number : 0);
    }
    puts("");
    *out = &one;
    return GARRAY_OK;
}

garray_status garray_concat(garray_list arrays, int axis, garray_t **out)
{
    printf("concat");
    for (int i = 0; i < arrays.n; i++)
        printf(" %d", arrays.v[i]->number);
    printf(" axis %d\n", axis);
    *out = &one;
    return GARRAY_OK;
}

garray_status (garray_item)(const garray_t *x, garray_dtype dtype, void *value)
{
    static const size_t size[] = { 0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16 };
    printf("item %d dtype %d\n", x->number, dtype);
    memset(value, 0, size[dtype]);
    return GARRAY_OK;
}

const char *garray_error_message(void)
{
    return "";
}

void garray_release(garray_t *x)
{
    (void)x;
}
