/* SPDX-License-Identifier: BSD-3-Clause
 * Complex values as plain structs: the same layout as C's and C++'s complex types, usable in both languages
 * and in CUDA, and free of the compiler's own complex arithmetic. */
#ifndef GARRAY__COMPLEX_H
#define GARRAY__COMPLEX_H

typedef struct garray__c64 {
    float re, im;
} garray__c64;

typedef struct garray__c128 {
    double re, im;
} garray__c128;

#endif
