#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Several exported files may be linked into one program: what they share is weak. So a program may also have its own way to the machine,
   by defining one of the first six functions itself. */
#define SHARED __attribute__((weak))

/* Registers of the V3D block, in words (VideoCore IV guide, pp. 82-100). */
enum {
    IDENT0 = 0x000 / 4, L2CACTL = 0x020 / 4, SLCACTL = 0x024 / 4, SRQPC = 0x430 / 4, SRQUA = 0x434 / 4, SRQUL = 0x438 / 4,
    SRQCS = 0x43c / 4, VPMBASE = 0x504 / 4, DBCFG = 0xe00 / 4, DBQITE = 0xe2c / 4, DBQITC = 0xe30 / 4
};
#define IDENTITY 0x02443356u
#define V3D 0xc00000u
#define PAGE 4096u
/* A program may read so far behind an array. */
#define GUARD 4096u
/* The hardware fetches uniforms ahead. */
#define AHEAD 64u

/* Exchanges a message with the firmware; 0, or -1. */
SHARED int quadra_mailbox(int mailbox, uint32_t *message) { return ioctl(mailbox, _IOWR(100, 0, char *), message) < 0 ? -1 : 0; }

SHARED int quadra_mailbox_open(void) { return open("/dev/vcio", O_RDWR | O_CLOEXEC); }

/* Where the processor sees the peripherals; 0 if this is no Pi of these models. */
SHARED uint32_t quadra_peripherals(void)
{
    unsigned char ranges[12];
    int file = open("/proc/device-tree/soc/ranges", O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? -1 : read(file, ranges, sizeof ranges);
    if (file >= 0)
        close(file);
    if (got != (ssize_t)sizeof ranges || ranges[0] != 0x7e)
        return 0;
    return (uint32_t)ranges[4] << 24 | (uint32_t)ranges[5] << 16 | (uint32_t)ranges[6] << 8 | ranges[7];
}

/* Physical memory, not cached; null if it cannot be had. */
SHARED volatile uint32_t *quadra_map(uint32_t physical, size_t bytes)
{
    int file = open("/dev/mem", O_RDWR | O_SYNC | O_CLOEXEC);
    void *at = file < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)physical);
    if (file >= 0)
        close(file);
    return at == MAP_FAILED ? NULL : (volatile uint32_t *)at;
}

SHARED uint32_t quadra_get(volatile uint32_t *registers, unsigned which) { return registers[which]; }

SHARED void quadra_put(volatile uint32_t *registers, unsigned which, uint32_t value) { registers[which] = value; }

SHARED void quadra_unmap(volatile uint32_t *at, size_t bytes) { munmap((void *)at, bytes); }

/* One request: its tag, and up to three values. The firmware takes the address of a message in 28 bits. */
static int ask(quadra_board *board, uint32_t tag, const uint32_t *values, uint32_t count, uint32_t *answer)
{
    uint32_t message[16] __attribute__((aligned(16))) = {0};
    message[0] = 4 * (count + 6);
    message[2] = tag;
    message[3] = message[4] = 4 * count;
    memcpy(message + 5, values, 4 * count);
    if (quadra_mailbox(board->mailbox, message) != 0)
        return QUADRA_NO_MAILBOX;
    if (message[1] != 0x80000000u || !(message[4] & 0x80000000u))
        return QUADRA_REFUSED;
    *answer = message[5];
    return QUADRA_OK;
}

static int enable(quadra_board *board, uint32_t on)
{
    uint32_t answer;
    int status = ask(board, 0x30012, &on, 1, &answer);
    return status != QUADRA_OK ? status : answer == 0 ? QUADRA_OK : QUADRA_REFUSED;
}

SHARED int quadra_open(quadra_board *board)
{
    uint32_t peripherals = quadra_peripherals();
    int status;
    memset(board, 0, sizeof *board);
    if (peripherals != 0x20000000u && peripherals != 0x3f000000u)
        return QUADRA_NO_PERIPHERALS;
    /* The first chip's processor reaches memory through the VideoCore's L2 cache, so the QPUs must do so, too. */
    board->memory_flags = peripherals == 0x20000000u ? 0xc : 0x4;
    board->mailbox = quadra_mailbox_open();
    if (board->mailbox < 0)
        return QUADRA_NO_MAILBOX;
    /* Without power semaphores lose what programs before left in them. */
    (void)enable(board, 0);
    status = enable(board, 1);
    if (status == QUADRA_OK) {
        board->registers = quadra_map(peripherals + V3D, PAGE);
        if (board->registers == NULL)
            status = QUADRA_NO_MAPPING;
        else if (quadra_get(board->registers, IDENT0) != IDENTITY)
            status = QUADRA_NO_POWER;
    }
    if (status != QUADRA_OK)
        quadra_close(board);
    return status;
}

SHARED void quadra_close(quadra_board *board)
{
    if (board->registers != NULL)
        quadra_unmap(board->registers, PAGE);
    if (board->mailbox >= 0) {
        if (!board->lost)
            (void)enable(board, 0);
        close(board->mailbox);
    }
    board->registers = NULL;
    board->mailbox = -1;
}

SHARED const char *quadra_text(int status)
{
    static const char *const texts[] = {
        "no error", "/dev/vcio cannot be opened, or refuses", "this is no Raspberry Pi 0 to 3", "/dev/mem cannot be mapped",
        "the QPUs do not answer", "the GPU has not so much memory", "the firmware refuses", "wrong number of QPUs, or too large an array",
        "the queue of programs reports an error", "the programs did not end in time", "programs could not be stopped",
        "an index is outside of its array, or an assertion does not hold"};
    return status >= 0 && (size_t)status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}

/* An array of a launch. */
struct array {
    void *data;
    uint64_t bytes;
    int written;
    uint32_t at;
};

/* A launch: its memory, and where in it is what. */
struct launch {
    quadra_board *board;
    struct array *arrays;
    size_t count;
    uint32_t qpus, handle, bus, bytes, uniforms, stream, scratch;
    volatile uint32_t *memory;
};

static uint64_t pages(uint64_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

/* The only width that is safe on the uncached memory of every model is 32 bits. */
static void copy_in(volatile uint32_t *to, const void *from, size_t bytes)
{
    const unsigned char *bytewise = from;
    for (size_t i = 0; i < bytes; i += 4) {
        uint32_t word = 0;
        memcpy(&word, bytewise + i, bytes - i < 4 ? bytes - i : 4);
        to[i / 4] = word;
    }
}

static void copy_out(void *to, const volatile uint32_t *from, size_t bytes)
{
    unsigned char *bytewise = to;
    for (size_t i = 0; i < bytes; i += 4) {
        uint32_t word = from[i / 4];
        memcpy(bytewise + i, &word, bytes - i < 4 ? bytes - i : 4);
    }
}

static void release(struct launch *launch)
{
    uint32_t answer;
    if (launch->memory != NULL)
        quadra_unmap(launch->memory, launch->bytes);
    if (launch->bus != 0)
        (void)ask(launch->board, 0x3000e, &launch->handle, 1, &answer);
    if (launch->handle != 0)
        (void)ask(launch->board, 0x3000f, &launch->handle, 1, &answer);
}

/* Allocates what a launch needs, and puts code and arrays into it. `words` uniforms are read by each QPU. */
static int prepare(struct launch *launch, const uint64_t *code, size_t length, uint32_t words, uint32_t scratch)
{
    uint64_t next = pages(8 * (uint64_t)length);
    uint32_t request[3];
    int status;
    if (launch->board->lost)
        return QUADRA_LOST;
    launch->uniforms = (uint32_t)next;
    launch->stream = (uint32_t)pages(4 * (uint64_t)words + AHEAD);
    next += (uint64_t)launch->stream * launch->qpus;
    launch->scratch = (uint32_t)next;
    next += pages((uint64_t)scratch * launch->qpus);
    for (size_t i = 0; i < launch->count; i++) {
        launch->arrays[i].at = (uint32_t)next;
        if (launch->arrays[i].bytes > 0x3fffffffu - GUARD || next > 0x3fffffffu)
            return QUADRA_ARGUMENTS;
        next += pages(launch->arrays[i].bytes + GUARD);
    }
    if (next > 0x3fffffffu)
        return QUADRA_ARGUMENTS;
    launch->bytes = request[0] = (uint32_t)next;
    request[1] = PAGE;
    request[2] = launch->board->memory_flags;
    status = ask(launch->board, 0x3000c, request, 3, &launch->handle);
    if (status == QUADRA_OK && launch->handle == 0)
        status = QUADRA_NO_MEMORY;
    if (status == QUADRA_OK)
        status = ask(launch->board, 0x3000d, &launch->handle, 1, &launch->bus);
    if (status == QUADRA_OK && launch->bus == 0)
        status = QUADRA_REFUSED;
    if (status == QUADRA_OK) {
        launch->memory = quadra_map(launch->bus & 0x3fffffffu, launch->bytes);
        if (launch->memory == NULL)
            status = QUADRA_NO_MAPPING;
    }
    if (status != QUADRA_OK) {
        release(launch);
        return status;
    }
    for (uint32_t i = 0; i < launch->bytes / 4; i++)
        launch->memory[i] = 0;
    for (size_t i = 0; i < length; i++) {
        launch->memory[2 * i] = (uint32_t)code[i];
        launch->memory[2 * i + 1] = (uint32_t)(code[i] >> 32);
    }
    for (size_t i = 0; i < launch->count; i++)
        copy_in(launch->memory + launch->arrays[i].at / 4, launch->arrays[i].data, (size_t)launch->arrays[i].bytes);
    return QUADRA_OK;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Waits for the end of all programs; those that do not end lose their power. */
static int await(quadra_board *board, uint32_t programs)
{
    double begin = seconds();
    int status = QUADRA_OK;
    for (unsigned looks = 0; status == QUADRA_OK; looks++) {
        uint32_t state = quadra_get(board->registers, SRQCS);
        if (state >> 7 & 1)
            status = QUADRA_QUEUE;
        else if ((state >> 16 & 0xff) == programs)
            return QUADRA_OK;
        else if (seconds() - begin > QUADRA_SECONDS)
            status = QUADRA_TIMEOUT;
        if (looks > 200) {
            struct timespec pause = {0, 100000};
            nanosleep(&pause, NULL);
        }
    }
    quadra_put(board->registers, SRQCS, 1u << 7 | 1u);
    (void)enable(board, 0);
    /* What still runs may write to its memory, which therefore is not given back. */
    if (quadra_get(board->registers, IDENT0) == IDENTITY || enable(board, 1) != QUADRA_OK) {
        board->lost = 1;
        return QUADRA_LOST;
    }
    return status;
}

/* Runs the programs whose uniforms are in place, and brings back what they wrote. */
static int run(struct launch *launch)
{
    volatile uint32_t *registers = launch->board->registers;
    int status;
    quadra_put(registers, DBCFG, 0);
    quadra_put(registers, DBQITE, 0);
    quadra_put(registers, DBQITC, 0xffffffffu);
    quadra_put(registers, L2CACTL, 1u << 2);
    quadra_put(registers, SLCACTL, 0xffffffffu);
    quadra_put(registers, SRQCS, 1u << 16 | 1u << 8 | 1u << 7);
    quadra_put(registers, VPMBASE, 16);
    for (uint32_t i = 0; i < launch->qpus; i++) {
        quadra_put(registers, SRQUA, launch->bus + launch->uniforms + i * launch->stream);
        quadra_put(registers, SRQUL, 1024);
        quadra_put(registers, SRQPC, launch->bus);
    }
    status = await(launch->board, launch->qpus);
    if (status == QUADRA_LOST)
        return status;
    for (size_t i = 0; i < launch->count && status == QUADRA_OK; i++)
        if (launch->arrays[i].written)
            copy_out(launch->arrays[i].data, launch->memory + launch->arrays[i].at / 4, (size_t)launch->arrays[i].bytes);
    release(launch);
    return status;
}

static inline uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
