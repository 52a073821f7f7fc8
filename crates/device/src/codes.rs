//! Table of the error codes of launches and devices.

use quadra_base::CodeEntry;

/// E06xx: a launch was refused or stopped. E07xx: a device cannot be used.
pub const TABLE: &[CodeEntry] = &[
    CodeEntry {
        code: "E0601",
        title: "access outside a buffer",
        explanation: "\
A live lane loaded or stored an element that the buffer does not have. A gather may run up to 4 KiB past the end of its
buffer, where it reads zeros, because kernels prefetch; every other access must lie inside. The message names the kernel,
the source line, the lane and the address. Give the buffer the size that the kernel expects (often a multiple of 16), or
guard the access with `if index < n`.",
    },
    CodeEntry {
        code: "E0602",
        title: "gathers and receives do not match",
        explanation: "\
At most 4 gathers may wait for their receive, every receive needs a gather before it, and none may wait at the end.",
    },
    CodeEntry {
        code: "E0603",
        title: "deadlock",
        explanation: "\
Every worker waits: for a semaphore that nobody increments (or that is full), or for the mutex. The message lists who
waits for what. Semaphores start at 0 and hold at most 15.",
    },
    CodeEntry {
        code: "E0604",
        title: "the launch's budget or time ran out",
        explanation: "\
The kernel ran more instructions than the launch allows, or longer than its time limit, so it was stopped as endless. Check
the loop's condition, or raise the budget or the time limit in the launch's options. Native code of this processor counts
the turns of its loops instead of looking at the clock.",
    },
    CodeEntry { code: "E0605", title: "an assertion failed", explanation: "An `assert` of the kernel does not hold in a live lane." },
    CodeEntry {
        code: "E0606",
        title: "a gather of what the same launch stored",
        explanation: "\
Gathers go through caches that do not see what this launch has stored. Read with a plain load (`*p`, `p[i]`), which takes
the way past the caches, or split the work into two launches.",
    },
    CodeEntry {
        code: "E0607",
        title: "the arguments do not fit the kernel",
        explanation: "\
The number, type or rank of an argument differs from the kernel's parameter, an extent is missing or superfluous, more
workers are asked for than the device has, or one buffer is bound to two parameters though the kernel writes it and the
launch does not say `alias`.",
    },
    CodeEntry {
        code: "E0608",
        title: "the launch was stopped",
        explanation: "The message says why: a rule of the machine was broken that has no code of its own.",
    },
    CodeEntry {
        code: "E0609",
        title: "a semaphore or the mutex is left behind",
        explanation: "\
When all workers are done every semaphore must be 0 again and nobody may hold the mutex. On a board nothing sets them back
between launches: a semaphore that each launch leaves one higher stops the sixteenth, and a mutex that is held stops the
next. The place is that of the last increment, or of the lock. Decrement as often as you increment, with every number of
workers that the kernel is launched with, and unlock on every path.",
    },
    CodeEntry {
        code: "E0610",
        title: "a wrong proof",
        explanation: "\
In the checked mode (`--checked`, `QUADRA_CHECKED=1`) accesses of which the compiler had proved that they stay inside their
buffer are tested again. One did not: that is a mistake of the compiler, not of the program. The message names the rule. All
buffers hold what they held before the launch.",
    },
    CodeEntry {
        code: "E0619",
        title: "the launch was interrupted",
        explanation: "\
Somebody asked for an end: with Ctrl-C, because the program's time is over, or because the machine has no memory left. What a
launch on this processor had written by then stays in its buffers.",
    },
    CodeEntry { code: "E0701", title: "unknown device", explanation: "`quadra devices` lists the devices." },
    CodeEntry {
        code: "E0702",
        title: "the buffers do not fit the device",
        explanation: "A launch's buffers, each with its guard of 4 KiB, must fit the device's address space.",
    },
    CodeEntry {
        code: "E0710",
        title: "not a Raspberry Pi",
        explanation: "\
Device `vc4` is the GPU of a Raspberry Pi 0 to 3, reached through Linux. Device `emu` emulates it everywhere, exactly.",
    },
    CodeEntry {
        code: "E0711",
        title: "a Raspberry Pi with another GPU",
        explanation: "\
Pi 4 and 400 have a VideoCore VI with 8 QPUs, Pi 5 and 500 a VideoCore VII with 12. Their instructions are encoded
differently, they store through the TMU instead of the VPM, and they are driven through the kernel's `v3d` driver.",
    },
    CodeEntry {
        code: "E0712",
        title: "the Linux driver owns the GPU",
        explanation: "\
The overlays `vc4-kms-v3d` and `vc4-fkms-v3d` in config.txt give the GPU to the Linux driver, and the firmware then
refuses to enable the QPUs. Put `#` before the line that the message names, and reboot.",
    },
    CodeEntry {
        code: "E0713",
        title: "no permission",
        explanation: "\
The firmware is reached through /dev/vcio (root, or members of the group `video`), the GPU's registers and memory through
/dev/mem (root only). Run the program with `sudo`.",
    },
    CodeEntry {
        code: "E0714",
        title: "a device file is missing",
        explanation: "\
/dev/vcio belongs to the module `vcio` of the foundation's kernels, /dev/mem needs CONFIG_DEVMEM. Other distributions'
kernels may lack them, and a container sees them only if they are passed on.",
    },
    CodeEntry {
        code: "E0715",
        title: "the GPU does not do what it was asked",
        explanation: "\
The kernel, the firmware or the hardware refused a step; the message says which. If programs run that cannot be stopped,
only a reboot frees the GPU.",
    },
    CodeEntry {
        code: "E0730",
        title: "no GPU",
        explanation: "\
There is no Vulkan loader, no driver, or none of the name in QUADRA_GPU; for device `cuda`, no driver of NVIDIA's. On Debian `apt install libvulkan1 mesa-vulkan-drivers`
brings the loader and drivers of AMD, Intel and the Raspberry Pi 4 and 5. Software drivers are used only if QUADRA_GPU names them.",
    },
    CodeEntry {
        code: "E0731",
        title: "a GPU that cannot be used",
        explanation: "The driver refuses a connection, or lacks what exact results need. The message says which. Update it.",
    },
    CodeEntry {
        code: "E0732",
        title: "a shader that a GPU does not take",
        explanation: "\
The driver refuses the compiled kernel, or the kernel has more buffers than a shader of this GPU sees. Run it on another device.",
    },
    CodeEntry {
        code: "E0733",
        title: "a GPU was lost",
        explanation: "\
The driver gave the GPU up, and with it the elements of buffers that only the GPU had. What the program would print from here on
would be wrong, so it is asked to end. Run it again; update the driver; make launches shorter.",
    },
];
