/* A Raspberry Pi for exported programs: firmware, physical memory and registers. Programs run on the emulator, as an image of the memory;
   QUADRA names the command, FAKE a folder for the image. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BASE 0x00100000u
#define WORDS (4u << 20)

static uint32_t memory[WORDS];
static uint32_t next, size, handle, powered, started, finished, uniforms;
static struct {
    uint32_t code, uniforms;
} starts[16];

static void wrong(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(3);
}

int quadra_mailbox_open(void) { return dup(0); }

uint32_t quadra_peripherals(void) { return 0x3f000000u; }

int quadra_mailbox(int mailbox, uint32_t *m)
{
    (void)mailbox;
    if (((uintptr_t)m & 15) != 0 || m[1] != 0 || m[0] != m[3] + 24 || m[5 + m[3] / 4] != 0)
        wrong("the firmware understands no such message");
    switch (m[2]) {
    case 0x30012:
        powered = m[5];
        m[5] = 0;
        break;
    case 0x3000c:
        if (handle != 0 || m[5] % 4096 != 0 || m[6] != 4096 || m[7] != 4 || m[5] > 4 * WORDS)
            wrong("a strange allocation");
        size = m[5];
        /* What was there before is there again. */
        memset(memory, 0x5a, sizeof memory);
        handle = m[5] = 7;
        next = 0;
        break;
    case 0x3000d:
        if (m[5] != handle)
            wrong("locks what is not allocated");
        m[5] = BASE;
        break;
    case 0x3000e:
        m[5] = 0;
        break;
    case 0x3000f:
        if (m[5] != handle)
            wrong("releases what is not allocated");
        handle = m[5] = 0;
        break;
    default:
        wrong("an unknown request");
    }
    m[1] = 0x80000000u;
    m[4] |= 0x80000000u;
    return 0;
}

volatile uint32_t *quadra_map(uint32_t physical, size_t bytes)
{
    static uint32_t registers[1024];
    if (physical == 0x3fc00000u)
        return registers;
    if (physical != BASE || bytes != size)
        wrong("maps what it does not have");
    return memory;
}

void quadra_unmap(volatile uint32_t *at, size_t bytes)
{
    (void)at;
    (void)bytes;
}

static void emulate(void)
{
    const char *folder = getenv("FAKE"), *command = getenv("QUADRA");
    char line[4096];
    FILE *file;
    snprintf(line, sizeof line, "%s/image.json", folder);
    file = fopen(line, "w");
    fprintf(file, "{\"threads\": [");
    for (uint32_t i = 0; i < started; i++)
        fprintf(file, "%s{\"pc\": %u, \"unif\": %u}", i > 0 ? ", " : "", starts[i].code, starts[i].uniforms);
    fprintf(file, "], \"segments\": [{\"name\": \"memory\", \"addr\": %u, \"off\": 0, \"nbytes\": %u}]}", BASE, size);
    fclose(file);
    snprintf(line, sizeof line, "%s/image.bin", folder);
    file = fopen(line, "wb");
    fwrite(memory, 1, size, file);
    fclose(file);
    snprintf(line, sizeof line, "'%s' emulate '%s/image.json' --memory-out '%s/after.bin' > /dev/null", command, folder, folder);
    if (system(line) != 0)
        wrong("the programs fail");
    snprintf(line, sizeof line, "%s/after.bin", folder);
    file = fopen(line, "rb");
    if (file == NULL || fseek(file, (long)BASE, SEEK_SET) != 0 || fread(memory, 1, size, file) != size)
        wrong("the memory cannot be read");
    fclose(file);
}

uint32_t quadra_get(volatile uint32_t *registers, unsigned which)
{
    (void)registers;
    if (!powered)
        return 0xdeadbeefu;
    if (which == 0)
        return 0x02443356u;
    if (which != 0x43c / 4)
        wrong("reads a strange register");
    if (finished < started) {
        emulate();
        finished = started;
    }
    return finished << 16 | started << 8;
}

void quadra_put(volatile uint32_t *registers, unsigned which, uint32_t value)
{
    (void)registers;
    if (which == 0x434 / 4)
        uniforms = value & 0x3fffffffu;
    if (which == 0x43c / 4)
        started = finished = 0;
    if (which == 0x430 / 4) {
        starts[started].code = value & 0x3fffffffu;
        starts[started++].uniforms = uniforms;
    }
}
