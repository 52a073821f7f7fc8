#ifndef QUADRA_BOARD
#define QUADRA_BOARD

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The QPUs of a Raspberry Pi 0 to 3 with the firmware's GPU, not Linux's (no vc4 overlay). Root's rights are needed, or those to open
   /dev/vcio and /dev/mem. */
typedef struct quadra_board {
    int mailbox;
    volatile uint32_t *registers;
    uint32_t memory_flags;
    int lost;
} quadra_board;

enum quadra_status {
    QUADRA_OK = 0,
    QUADRA_NO_MAILBOX,     /* /dev/vcio cannot be opened, or refuses */
    QUADRA_NO_PERIPHERALS, /* this is no Raspberry Pi 0 to 3 */
    QUADRA_NO_MAPPING,     /* /dev/mem cannot be mapped */
    QUADRA_NO_POWER,       /* the QPUs do not answer */
    QUADRA_NO_MEMORY,      /* the GPU has not so much memory */
    QUADRA_REFUSED,        /* the firmware refuses */
    QUADRA_ARGUMENTS,      /* more QPUs than the program is made for, or none, or an array that is too large */
    QUADRA_QUEUE,          /* the queue of programs reports an error */
    QUADRA_TIMEOUT,        /* the programs did not end in time, and were stopped */
    QUADRA_LOST,           /* programs could not be stopped: the machine has to be started anew */
    QUADRA_FAULT           /* on a processor: an index outside of its array, or an assertion that does not hold */
};

/* Seconds after which a launch is stopped. */
#ifndef QUADRA_SECONDS
#define QUADRA_SECONDS 10
#endif

/* Switches the QPUs on; 0, or what is wrong. */
int quadra_open(quadra_board *board);

/* Switches them off. */
void quadra_close(quadra_board *board);

/* A status in words. */
const char *quadra_text(int status);

#ifdef __cplusplus
}
#endif
#endif
