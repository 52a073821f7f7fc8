/* Runs kernels when it is told to: `load ROW` reads inputs and runs once, `time MS RUNS` repeats, `quit` ends. */
#include "kernels.h"
#include <stdio.h>
#include <time.h>

static void *p[8];
static double s[8];
static size_t sizes[8];
static int arrays, outputs, scalars;

#define N(k) ((long)s[k])
#define F(k) ((float)s[k])
#define ROW(name, ...) if (!strcmp(row, #name)) { name(__VA_ARGS__); return 1; }

static int run(const char *row) {
    ROW(products, p[0], p[1], p[2], N(0))
    ROW(quotients, p[0], p[1], p[2], p[3], N(0))
    ROW(powers, p[0], p[1], N(0), N(1))
    ROW(dot64, p[0], p[1], p[2], N(0))
    ROW(fixed_point, p[0], p[1], N(0), N(1))
    ROW(seam, p[0], p[1], N(0), N(1))
    ROW(seam_row, p[0], p[1], N(0), N(1))
    ROW(viterbi, p[0], p[1], p[2], N(0), N(1))
    ROW(edit_distance, p[0], p[1], p[2], N(0), N(1))
    ROW(smooth_rows, p[0], p[1], N(0), N(1), F(2))
    ROW(logistic_map, p[0], F(0), F(1), N(2))
    ROW(positives, p[0], p[1], p[2], N(0))
    ROW(positions, p[0], p[1], p[2], N(0))
    ROW(masked, p[0], p[1], N(0))
    ROW(halves, p[0], p[1], p[2], N(0))
    ROW(runs, p[0], p[1], p[2], N(0))
    ROW(polar, p[0], p[1], p[2], p[3], N(0))
    ROW(waves, p[0], p[1], p[2], N(0))
    ROW(gamma_curve, p[0], p[1], N(0))
    ROW(activations, p[0], p[1], p[2], N(0))
    ROW(angles, p[0], p[1], N(0))
    ROW(gray, p[0], p[1], N(0))
    ROW(add_saturated, p[0], p[1], p[2], N(0))
    ROW(negative, p[0], p[1], N(0))
    ROW(blend, p[0], p[1], p[2], N(0), N(1))
    ROW(threshold, p[0], p[1], N(0), N(1))
    ROW(mix16, p[0], p[1], p[2], N(0))
    ROW(products8, p[0], p[1], p[2], N(0))
    ROW(block_sums, p[0], p[1], N(0), N(1))
    ROW(nearest, p[0], p[1], N(0), N(1))
    ROW(counts, p[0], p[1], N(0))
    ROW(unit_rows, p[0], p[1], N(0), N(1))
    ROW(softmax, p[0], p[1], N(0), N(1))
    ROW(blur_mirror, p[0], p[1], N(0), N(1))
    ROW(gradient_clamped, p[0], p[1], N(0), N(1))
    ROW(laplace_circular, p[0], p[1], N(0), N(1))
    ROW(lift_mirror, p[0], p[1], N(0))
    ROW(local_contrast, p[0], p[1], N(0), N(1), F(2))
    ROW(window, p[0], p[1], N(0), N(1), N(2))
    ROW(counts16, p[0], p[1], N(0))
    ROW(weighted, p[0], p[1], p[2], N(0))
    ROW(joint, p[0], p[1], p[2], N(0))
    ROW(clusters, p[0], p[1], p[2], p[3], N(0))
    ROW(wave, p[0], p[1], N(0), N(1))
    ROW(life, p[0], p[1], N(0), N(1), N(2))
    ROW(jacobi, p[0], p[1], N(0), N(1))
    ROW(bodies, p[0], p[1], p[2], N(0), N(1))
    ROW(doubling, p[0], p[1], N(0))
    ROW(column_sums, p[0], p[1], N(0), N(1))
    ROW(row_sums, p[0], p[1], N(0), N(1))
    ROW(row_minima, p[0], p[1], N(0), N(1))
    ROW(centred, p[0], p[1], N(0), N(1))
    ROW(distance, p[0], p[1], p[2], N(0))
    return 0;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static void drop(void) {
    for (int k = 0; k < arrays + outputs; k++) free(p[k]);
    arrays = outputs = scalars = 0;
}

/* The manifest's lines: `in TYPE BYTES …`, `out TYPE BYTES …`, `scalar VALUE`. */
static int load(const char *directory, const char *row) {
    char path[4096], line[256], kind[16], type[16];
    double number;
    drop();
    snprintf(path, sizeof path, "%s/%s.txt", directory, row);
    FILE *f = fopen(path, "r");
    if (!f) return 0;
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "scalar %lf", &number) == 1) s[scalars++] = number;
        else if (sscanf(line, "%15s %15s %lf", kind, type, &number) == 3) {
            int k = arrays + outputs;
            sizes[k] = (size_t)number;
            p[k] = aligned_alloc(64, (sizes[k] + 127) / 64 * 64);
            if (!p[k]) return 0;
            memset(p[k], 0, sizes[k]);
            if (kind[0] == 'o') { outputs++; continue; }
            snprintf(path, sizeof path, "%s/%s.%d", directory, row, k);
            FILE *data = fopen(path, "rb");
            if (!data || fread(p[k], 1, sizes[k], data) != sizes[k]) return 0;
            fclose(data);
            arrays++;
        }
    }
    fclose(f);
    return 1;
}

static int results(const char *directory, const char *row, const char *peer) {
    char path[4096];
    for (int k = 0; k < outputs; k++) {
        snprintf(path, sizeof path, "%s/%s.%s.%d", directory, row, peer, k);
        FILE *f = fopen(path, "wb");
        if (!f || fwrite(p[arrays + k], 1, sizes[arrays + k], f) != sizes[arrays + k]) return 0;
        fclose(f);
    }
    return 1;
}

int main(int argc, char **argv) {
    char line[256], row[128] = "";
    double ms, runs;
    if (argc != 3) return 64;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "load %127s", row) == 1) {
            int ok = load(argv[1], row) && run(row) && results(argv[1], row, argv[2]);
            puts(ok ? "ok" : "none");
        } else if (sscanf(line, "time %lf %lf", &ms, &runs) == 2) {
            double begin = now();
            for (long k = 0; k < 1000 && (k < runs || now() - begin < ms); k++) {
                double start = now();
                run(row);
                printf("%.6f ", now() - start);
            }
            puts("");
        } else return 0;
        fflush(stdout);
    }
    return 0;
}
