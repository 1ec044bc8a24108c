/* SPDX-License-Identifier: BSD-3-Clause
 * NVTX ranges, by NVIDIA's header: it looks for a tool at the first range and needs no library. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "core/report.h"
#include "core/trace.h"

bool garray__traced;

#ifdef GARRAY_NVTX
#include <nvtx3/nvToolsExt.h>

static nvtxDomainHandle_t domain;       /* NULL where no tool listens: NVTX takes that, too */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_domain(void)
{
    domain = nvtxDomainCreateA("garray");
}

/* Before main(), so that the first call has its range. */
__attribute__((constructor)) static void start(void)
{
    const char *value = secure_getenv("GARRAY_NVTX");
    if (!value || !*value || strcmp(value, "0") == 0)
        return;
    garray__traced = true;
    atomic_fetch_or(&garray__watch, GARRAY__WATCH_TRACE);
}

void garray__trace_begin_plan(const char *name, double bytes)
{
    nvtxEventAttributes_t event = { 0 };
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = name;
    if (bytes >= 0) {
        event.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
        event.payload.dValue = bytes;
    }
    pthread_once(&once, make_domain);
    nvtxDomainRangePushEx(domain, &event);
}

void garray__trace_end(void)
{
    nvtxDomainRangePop(domain);
}

#else       /* NVTX's header was not there: garray_build_info() says so */

void garray__trace_begin_plan(const char *name, double bytes)
{
    (void)name;
    (void)bytes;
}

void garray__trace_end(void)
{
}
#endif

void garray__trace_begin(const char *name)
{
    garray__trace_begin_plan(name, -1);
}
