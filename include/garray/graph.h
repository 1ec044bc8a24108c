/* SPDX-License-Identifier: BSD-3-Clause
 * Graphs: calls that are recorded once and run again and again, at a fraction of their cost. */
#ifndef GARRAY_GRAPH_H
#define GARRAY_GRAPH_H

#include <garray/random.h>

GARRAY_BEGIN

/* A recorded region of calls. On a CUDA device a launch is one CUDA graph; on the CPU it runs the same work without
 * the checks and allocations of the calls. Launches give what the calls would have given, bit for bit.
 *
 *     GARRAY_TRY(garray_capture_begin(device));
 *     garray_matmul(a, x, &y);                            recorded, not run
 *     garray_multiply(y, 0.5, garray_into(x));            the next launch goes on from here
 *     GARRAY_TRY(garray_capture_end(&graph));
 *     for (int i = 0; i < 1000; i++)
 *         GARRAY_TRY(garray_graph_launch(graph, NULL));
 *     garray_graph_free(graph);
 *
 * Arrays that the calls read and write are those of the capture: a launch reads them as they are then. In a
 * capture a result is always new memory, and `*out` never reuses the array that was there; so what one launch
 * leaves to the next is written with garray_into() or by assignment to items. Arrays made in a capture are like others: they
 * hold values after the first launch, and each launch writes them anew; they stay valid when the graph is freed,
 * and the graph when they are released. */
typedef struct garray_graph garray_graph;

/* From here on the calling thread's calls on the device are recorded and not run, up to garray_capture_end(). Other
 * threads, and other devices, go on as ever. INVALID while the thread captures already.
 *
 * A call that cannot be recorded fails with UNSUPPORTED, and the capture with it: what needs values or the number of
 * results on the host (garray_item(), garray_to_host(), garray_nonzero(), masks as an index, printing), what takes values
 * from the host (garray_from_host()), raw access and tensors of other libraries, and waits and events. So do
 * factorizations by cuSOLVER and draws of cuRAND's engines. */
GARRAY_STATUS garray_capture_begin(garray_device device);

/* Ends the capture of the calling thread. graph NULL: what was recorded is dropped. After a call that could not be
 * recorded, or found no memory, its error is returned, there is no graph, and the thread goes on as before the
 * capture; arrays made in it hold anything, others are as they were. INVALID where no capture was begun. */
GARRAY_STATUS garray_capture_end(garray_graph **graph);

/* Runs the recorded work, on a stream of the graph's device; NULL: the calling thread's current one. The work comes after
 * earlier work on the arrays it uses, and before later work on them, as if the calls were made here; the host
 * goes on. Launches of one graph run one after the other. Errors that the device finds late come as those of the calls;
 * the CPU finds them at once and stops there. UNSUPPORTED in a capture on the device. */
GARRAY_STATUS garray_graph_launch(garray_graph *graph, garray_stream *stream);

/* Frees the graph once its launches are done; the host waits for them only if they may have found an error late. Accepts
 * NULL. */
GARRAY_API void garray_graph_free(garray_graph *graph);

/* ---- numbers that change between launches ---- */

/* A number that can be changed later, as an operand of an elementwise function, or as the value of a fill: in a capture it
 * is remembered under `parameter`, 0 to 4095; elsewhere, it is just the number. The same one may be used several
 * times, with the same number. In other places of a capture it is UNSUPPORTED: in logical functions, of reductions and
 * draws, in options. */
static inline garray_operand garray_graph_parameter(int parameter, garray_operand value)
{
    const int is_number = value.kind > GARRAY_OPERAND_ARRAY && parameter >= 0 && parameter < 4096;
    value.kind = is_number ? value.kind : GARRAY_OPERAND_NONE;
    value.flags = is_number ? GARRAY_OPERAND_PARAMETER | parameter << 16 : 0;
    return value;
}

/* The next launches use this number in place of the parameter's. INVALID for a parameter that the graph does not have, for
 * another kind of number than in the capture (whether it is complex, real or an integer decides dtypes), and
 * where a dtype that it is needed in cannot hold it. */
GARRAY_STATUS garray_graph_set(garray_graph *graph, int parameter, garray_operand value);

/* Random draws go on from launch to launch: the first one draws the numbers that the calls in the capture would have drawn,
 * the next one those that follow. The caller's garray_rng, which has moved on by one launch in the capture, does not
 * know of that: seek lets the next launch draw from its position on, tell sets its position to where the next launch will
 * draw. INVALID where the graph draws nothing with its seed and stream. */
GARRAY_STATUS garray_graph_seek(garray_graph *graph, const garray_rng *rng);
GARRAY_STATUS garray_graph_tell(garray_graph *graph, garray_rng *rng);

GARRAY_END

/* Numbers are operands here. */
#ifndef __cplusplus
#define garray_graph_parameter(parameter, value) (garray_graph_parameter)(parameter, GARRAY_OPERAND(value))
#define garray_graph_set(graph, parameter, value) (garray_graph_set)(graph, parameter, GARRAY_OPERAND(value))
#endif

#endif
