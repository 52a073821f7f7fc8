// What device `cuda` needs of NVIDIA's driver, for tests: memory is the host's, launches are counted and do nothing, and every address
// that comes in is looked up. REFUSES names what goes wrong: launch, memory, module.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t Address;
static struct { Address at; size_t bytes; } blocks[4096];
static int count, wrong, launches;
static size_t there, back;

static int refuses(const char *what) {
    const char *named = getenv("REFUSES");
    return named && !strcmp(named, what);
}

static int inside(Address at, size_t bytes) {
    for (int n = 0; n < count; n++)
        if (at >= blocks[n].at && at + bytes <= blocks[n].at + blocks[n].bytes) return 1;
    wrong++;
    return 0;
}

static void report(void) {
    fprintf(stderr, "fake driver: launches %d bytes there %zu bytes back %zu wrong %d\n", launches, there, back, wrong);
}

int cuInit(unsigned flags) { atexit(report); return flags != 0; }
int cuDriverGetVersion(int *version) { *version = 13000; return 0; }
int cuGetErrorString(int status, const char **text) {
    *text = status == 2 ? "out of memory" : status == 719 ? "it failed while it ran" : status == 218 ? "a text that is none" : NULL;
    return *text == NULL;
}
int cuDeviceGetCount(int *n) { *n = 1; return 0; }
int cuDeviceGet(int *device, int n) { *device = n; return n != 0; }
int cuDeviceGetName(char *name, int most, int device) {
    snprintf(name, most, "A driver that computes nothing");
    return device != 0;
}
int cuDeviceGetAttribute(int *value, int what, int device) {
    *value = what == 1 ? 1024 : what == 8 ? 48 << 10 : what == 75 ? 9 : 0;
    return device != 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) { *context = &count; return device != 0; }
int cuCtxSetCurrent(void *context) { return context != &count; }
int cuMemAlloc_v2(Address *at, size_t bytes) {
    void *memory = refuses("memory") || count == 4096 ? NULL : malloc(bytes);
    if (!memory) return 2;
    blocks[count].at = (Address)memory;
    blocks[count++].bytes = bytes;
    *at = (Address)memory;
    return 0;
}
int cuMemFree_v2(Address at) { return !inside(at, 0); }
int cuMemAllocHost_v2(void **at, size_t bytes) { *at = malloc(bytes); return *at == NULL; }
// What is shorter is a header, or marks.
int cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, void *stream) {
    if (!inside(to, bytes) || stream != &wrong) return 1;
    if (bytes >= 4096) there += bytes;
    memcpy((void *)to, from, bytes);
    return 0;
}
int cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, void *stream) {
    if (!inside(from, bytes) || stream != &wrong) return 1;
    if (bytes >= 4096) back += bytes;
    memcpy(to, (void *)from, bytes);
    return 0;
}
int cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, void *stream) {
    if (!inside(from, bytes) || !inside(to, bytes) || stream != &wrong) return 1;
    memcpy((void *)to, (void *)from, bytes);
    return 0;
}
// The text stands at the beginning of memory that has the name of its entry point.
int cuModuleLoadDataEx(void **module, const void *text, unsigned options, const int *which, void *const *values) {
    if (options != 2 || which[0] != 5 || which[1] != 6) return 1;
    if (refuses("module")) {
        snprintf(values[0], (size_t)values[1], "its assembler has a reason");
        return 218;
    }
    const char *name = strstr(text, ".entry ");
    if (!name || !strstr(text, ".target sm_90")) return 218;
    *module = strndup(name + 7, strcspn(name + 7, "("));
    return 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
    *function = module;
    return strcmp(module, name) != 0;
}
int cuModuleUnload(void *module) { free(module); return 0; }
int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned b, unsigned c, unsigned shared,
                   void *stream, void **parameters, void **extra) {
    if (!function || !x || !y || z != 1 || !threads || threads > 1024 || b != 1 || c != 1 || shared || stream != &wrong || extra) return 1;
    // Header and marks come first.
    if (!inside(*(Address *)parameters[0], 32) || !inside(*(Address *)parameters[1], 8)) return 1;
    launches++;
    return refuses("launch") ? 719 : 0;
}
int cuStreamCreate(void **stream, unsigned flags) { *stream = &wrong; return flags != 1; }
int cuStreamSynchronize(void *stream) { return stream != &wrong; }
int cuEventCreate(void **event, unsigned flags) { *event = &there; return flags != 0; }
int cuEventRecord(void *event, void *stream) { return event != &there || stream != &wrong; }
int cuEventElapsedTime(float *milliseconds, void *from, void *to) { *milliseconds = 0.5f; return from != to; }
