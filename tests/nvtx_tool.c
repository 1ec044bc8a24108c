/* SPDX-License-Identifier: BSD-3-Clause
 * A profiler for test_nvtx.c: what NVTX_INJECTION64_PATH names.  Writes a line to standard output per range of the domain
 * "garray" ("push NAME BYTES", "pop") and per stream that gets a name ("stream NAME"). */
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Whole lines at once: several threads may push ranges. */
static void write_line(const char *text, int length)
{
    if (length > 0 && write(1, text, (size_t)length) != length)
        _exit(3);
}

static nvtxDomainHandle_t NVTX_API create(const char *name)
{
    static char ours;
    return strcmp(name, "garray") == 0 ? (nvtxDomainHandle_t)(void *)&ours : NULL;
}

static int NVTX_API push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
    char line[200];
    if (!domain || event->version != NVTX_VERSION || event->messageType != NVTX_MESSAGE_TYPE_ASCII)
        _exit(4);
    double bytes = event->payloadType == NVTX_PAYLOAD_TYPE_DOUBLE ? event->payload.dValue : -1;
    write_line(line, snprintf(line, sizeof line, "push %s %.0f\n", event->message.ascii, bytes));
    return 0;
}

static int NVTX_API pop(nvtxDomainHandle_t domain)
{
    write_line("pop\n", 4);
    return domain ? 0 : -1;
}

static void NVTX_API name_stream(void *stream, const char *name)
{
    char line[200];
    if (!stream)
        _exit(5);
    write_line(line, snprintf(line, sizeof line, "stream %s\n", name));
}

static int set(const NvtxExportTableCallbacks *callbacks, NvtxCallbackModule module, unsigned id, NvtxFunctionPointer function)
{
    NvtxFunctionTable table = NULL;
    unsigned size = 0;
    if (!callbacks->GetModuleFunctionTable(module, &table, &size) || id >= size)
        return 0;
    *table[id] = function;
    return 1;
}

/* What NVTX calls in a tool, once for each library that has ranges. */
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t table);
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t table)
{
    const NvtxExportTableCallbacks *callbacks = table(NVTX_ETID_CALLBACKS);
    return callbacks && set(callbacks, NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainCreateA, (NvtxFunctionPointer)create) &&
           set(callbacks, NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRangePushEx, (NvtxFunctionPointer)push) &&
           set(callbacks, NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRangePop, (NvtxFunctionPointer)pop) &&
           set(callbacks, NVTX_CB_MODULE_CUDART, NVTX_CBID_CUDART_NameCudaStreamA, (NvtxFunctionPointer)name_stream);
}
