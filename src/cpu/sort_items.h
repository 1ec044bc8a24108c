/* SPDX-License-Identifier: BSD-3-Clause
 * Stable sorting of one type of item, as a template: ITEM its type, LESS(a, b) its order, NAME(x) names what is
 * defined; for radix sort DIGITS and DIGIT(a, i), the i-th byte of the key from the low end (equal items have equal
 * digits).  Defines NAME(sort), NAME(merge_part) and, with DIGITS, NAME(select). */

/* Runs of 8 by insertion, then merged from below, between a and b; the result is in a. */
static void NAME(merge_sort)(ITEM *a, ITEM *b, int64_t n)
{
    enum { RUN = 8 };
    ITEM *from = a, *to = b;
    for (int64_t begin = 0; begin < n; begin += RUN) {
        int64_t end = n - begin < RUN ? n : begin + RUN;
        for (int64_t i = begin + 1; i < end; i++) {
            ITEM x = a[i];
            int64_t j = i;
            for (; j > begin && LESS(x, a[j - 1]); j--)
                a[j] = a[j - 1];
            a[j] = x;
        }
    }
    for (int64_t width = RUN; width < n; width *= 2) {
        for (int64_t begin = 0; begin < n; begin += 2 * width) {
            int64_t middle = n - begin < width ? n : begin + width;
            int64_t end = n - begin < 2 * width ? n : begin + 2 * width, i = begin, j = middle, k = begin;
            if (middle < end && !LESS(from[middle], from[middle - 1]))
                j = end;                        /* in order already: copied below */
            while (i < middle && j < end) {
                bool second = LESS(from[j], from[i]);
                to[k++] = from[second ? j : i];
                j += second;
                i += !second;
            }
            if (i < middle) {
                memcpy(to + k, from + i, (size_t)(middle - i) * sizeof(ITEM));
                k += middle - i;
            }
            j = k;                              /* what is left of the second run lies where it belongs */
            memcpy(to + k, from + j, (size_t)(end - k) * sizeof(ITEM));
        }
        ITEM *t = from;
        from = to;
        to = t;
    }
    if (from != a)
        memcpy(a, from, (size_t)n * sizeof(ITEM));
}

#ifdef DIGITS
/* Sorts src by the bytes [0, digits) of the keys, with dst for room; the result goes to src, or to dst if other is
 * set.  What fits the cache is sorted byte by byte from the lowest up; more is first dealt out by the highest byte.
 * Bytes that are the same in all items are left out. */
static void NAME(radix_sort)(ITEM *src, ITEM *dst, int64_t n, int digits, bool other)
{
    enum { FEW = 24 * DIGITS, CACHED = 262144 / (int)sizeof(ITEM) };
    if (n < FEW) {
        NAME(merge_sort)(src, dst, n);
    } else if (n <= CACHED) {
        uint32_t count[DIGITS][256];
        memset(count, 0, (size_t)digits * sizeof count[0]);
        for (int64_t i = 0; i < n; i++)
            for (int d = 0; d < digits; d++)
                count[d][DIGIT(src[i], d)]++;
        for (int d = 0; d < digits; d++) {
            uint32_t *place = count[d], total = 0;
            if (place[DIGIT(src[0], d)] == (uint32_t)n)
                continue;
            for (int v = 0; v < 256; v++) {
                uint32_t c = place[v];
                place[v] = total;
                total += c;
            }
            for (int64_t i = 0; i < n; i++)
                dst[place[DIGIT(src[i], d)]++] = src[i];
            ITEM *t = src;
            src = dst;
            dst = t;
            other = !other;
        }
    } else if (digits > 0) {        /* without digits left the keys are equal */
        int64_t place[256];
        do {
            digits--;
            memset(place, 0, sizeof place);
            for (int64_t i = 0; i < n; i++)
                place[DIGIT(src[i], digits)]++;
        } while (place[DIGIT(src[0], digits)] == n && digits > 0);
        if (place[DIGIT(src[0], digits)] != n) {
            int64_t total = 0, begin = 0;
            for (int v = 0; v < 256; v++) {
                int64_t c = place[v];
                place[v] = total;
                total += c;
            }
            for (int64_t i = 0; i < n; i++)
                dst[place[DIGIT(src[i], digits)]++] = src[i];
            for (int v = 0; v < 256; begin = place[v++])
                if (place[v] > begin)
                    NAME(radix_sort)(dst + begin, src + begin, place[v] - begin, digits, !other);
            return;
        }
    }
    if (other)
        memcpy(dst, src, (size_t)n * sizeof(ITEM));
}

/* Leaves the k least items of a, in their order in a, at its front; of equal keys the first.  b is a copy's room. */
static void NAME(select)(ITEM *a, ITEM *b, int64_t n, int64_t k)
{
    uint8_t chosen[DIGITS];
    int64_t left = n, rank = k, kept = 0;       /* of the items in b that agree with chosen, `rank` are wanted */
    if (k >= n)
        return;
    memcpy(b, a, (size_t)n * sizeof(ITEM));
    for (int d = DIGITS - 1; d >= 0; d--) {
        int64_t count[256] = { 0 }, same = 0;
        int v = 0;
        for (int64_t i = 0; i < left; i++)
            count[DIGIT(b[i], d)]++;
        for (; rank > count[v]; v++)
            rank -= count[v];
        chosen[d] = (uint8_t)v;
        for (int64_t i = 0; i < left; i++)
            if (DIGIT(b[i], d) == v)
                b[same++] = b[i];
        left = same;
    }
    for (int64_t i = 0; kept < k; i++) {
        int d = DIGITS - 1;
        while (d >= 0 && DIGIT(a[i], d) == chosen[d])
            d--;
        if (d >= 0 ? DIGIT(a[i], d) < chosen[d] : rank-- > 0)
            a[kept++] = a[i];
    }
}
#endif

static void NAME(sort)(ITEM *a, ITEM *b, int64_t n)
{
#ifdef DIGITS
    NAME(radix_sort)(a, b, n, DIGITS, false);
#else
    NAME(merge_sort)(a, b, n);
#endif
}

/* Items [begin, end) of the merger of x and y, of equal ones those of x first. */
static void NAME(merge_part)(ITEM *to, const ITEM *x, int64_t nx, const ITEM *y, int64_t ny, int64_t begin, int64_t end)
{
    /* How many of the first `begin` come from x: the least i where y[begin - i - 1] goes before x[i]. */
    int64_t low = begin > ny ? begin - ny : 0, high = begin < nx ? begin : nx;
    while (low < high) {
        int64_t i = low + (high - low) / 2;
        if (LESS(y[begin - i - 1], x[i]))
            high = i;
        else
            low = i + 1;
    }
    int64_t i = low, j = begin - low;
    to += begin;
    for (int64_t k = begin; k < end; k++) {
        bool second = i >= nx || (j < ny && LESS(y[j], x[i]));
        *to++ = second ? y[j] : x[i];
        j += second;
        i += !second;
    }
}

#undef ITEM
#undef LESS
#undef NAME
#undef DIGITS
#undef DIGIT
