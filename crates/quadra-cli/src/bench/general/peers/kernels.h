/* The kernels of `quadra bench general` in plain C: loops as one writes them, OpenMP where iterations are independent. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef const float *restrict in;
typedef float *restrict out;
typedef const int32_t *restrict ints;
typedef const uint8_t *restrict bytes;

/* Integers of 64 bits. */

static void products(const int64_t *restrict a, const int64_t *restrict b, int64_t *restrict c, long n) {
#pragma omp parallel for simd
    for (long i = 0; i < n; i++) c[i] = a[i] * b[i] + i;
}

static void quotients(const int64_t *restrict a, const int64_t *restrict b, int64_t *restrict q, int64_t *restrict r, long n) {
#pragma omp parallel for
    for (long i = 0; i < n; i++) { q[i] = a[i] / b[i]; r[i] = a[i] % b[i]; }
}

static void powers(const int64_t *restrict a, int64_t *restrict y, long n, int64_t m) {
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        int64_t r = 1, x = a[i];
        for (int k = 0; k < 12; k++) { r = r * x % m; x = x * x % m; }
        y[i] = r;
    }
}

static void dot64(const int64_t *restrict a, const int64_t *restrict b, int64_t *restrict s, long n) {
    int64_t sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
    for (long i = 0; i < n; i++) sum += a[i] * b[i];
    *s = sum;
}

static void fixed_point(ints x, int32_t *restrict y, long n, int64_t scale) {
#pragma omp parallel for simd
    for (long i = 0; i < n; i++) y[i] = (int32_t)((x[i] * scale) >> 16);
}

/* Recurrences. */

static void seam_row_of(in before, in e, out row, long w) {
    for (long x = 0; x < w; x++) {
        float l = before[x > 0 ? x - 1 : 0], r = before[x + 1 < w ? x + 1 : w - 1], c = before[x];
        float s = l < c ? l : c;
        row[x] = e[x] + (s < r ? s : r);
    }
}

static void seam(in e, out m, long h, long w) {
    memcpy(m, e, w * sizeof *m);
    for (long y = 1; y < h; y++) {
        m[y * w] = e[y * w] + fminf(m[(y - 1) * w], m[(y - 1) * w + 1]);
        for (long x = 1; x < w - 1; x++) {
            float l = m[(y - 1) * w + x - 1], c = m[(y - 1) * w + x], r = m[(y - 1) * w + x + 1];
            float s = l < c ? l : c;
            m[y * w + x] = e[y * w + x] + (s < r ? s : r);
        }
        m[y * w + w - 1] = e[y * w + w - 1] + fminf(m[(y - 1) * w + w - 2], m[(y - 1) * w + w - 1]);
    }
}

static void seam_row(in e, out row, long h, long w) {
    float *now = malloc(w * sizeof *now), *next = malloc(w * sizeof *next);
    memcpy(now, e, w * sizeof *now);
    for (long y = 1; y < h; y++) {
        seam_row_of(now, e + y * w, next, w);
        float *t = now; now = next; next = t;
    }
    memcpy(row, now, w * sizeof *row);
    free(now);
    free(next);
}

static void viterbi(in a, in b, out v, long states, long times) {
    memcpy(v, b, states * sizeof *v);
    for (long t = 1; t < times; t++) {
        const float *before = v + (t - 1) * states;
        float *now = v + t * states;
        for (long s = 0; s < states; s++) now[s] = -1e30f;
        for (long r = 0; r < states; r++)
            for (long s = 0; s < states; s++) {
                float x = before[r] + a[r * states + s];
                now[s] = now[s] > x ? now[s] : x;
            }
        for (long s = 0; s < states; s++) now[s] += b[t * states + s];
    }
}

static void edit_distance(ints a, ints b, int32_t *restrict d, long n, long m) {
    long w = m + 1;
    for (long i = 0; i <= n; i++) d[i * w] = i;
    for (long j = 0; j <= m; j++) d[j] = j;
    for (long i = 1; i <= n; i++)
        for (long j = 1; j <= m; j++) {
            int change = d[(i - 1) * w + j - 1] + (a[i - 1] != b[j - 1]);
            int up = d[(i - 1) * w + j] + 1, left = d[i * w + j - 1] + 1;
            int best = up < left ? up : left;
            d[i * w + j] = change < best ? change : best;
        }
}

static void smooth_rows(in x, out y, long h, long w, float k) {
#pragma omp parallel for
    for (long m = 0; m < h; m++) {
        float s = x[m * w];
        for (long n = 0; n < w; n++) { s += k * (x[m * w + n] - s); y[m * w + n] = s; }
    }
}

static void logistic_map(out x, float start, float r, long n) {
    x[0] = start;
    for (long i = 1; i < n; i++) x[i] = r * x[i - 1] * (1 - x[i - 1]);
}

/* Compaction. */

static void positives(in x, out y, int32_t *restrict many, long n) {
    long k = 0;
    memset(y, 0, n * sizeof *y);
    for (long i = 0; i < n; i++) if (x[i] > 0.5f) y[k++] = x[i];
    *many = k;
}

static void positions(in x, int32_t *restrict at, int32_t *restrict many, long n) {
    long k = 0;
    memset(at, 0, n * sizeof *at);
    for (long i = 0; i < n; i++) if (x[i] > 0.9f) at[k++] = i;
    *many = k;
}

static void masked(in x, out y, long n) {
    long k = 0;
    for (long i = 0; i < n; i++) if (x[i] > 0.5f) y[k++] = x[i];
}

static void halves(in x, out low, out high, long n) {
    long a = 0, b = 0;
    memset(low, 0, n * sizeof *low);
    memset(high, 0, n * sizeof *high);
    for (long i = 0; i < n; i++) if (x[i] < 0.5f) low[a++] = x[i]; else high[b++] = x[i];
}

static void runs(ints x, int32_t *restrict starts, int32_t *restrict many, long n) {
    long k = 1;
    memset(starts, 0, n * sizeof *starts);
    for (long i = 1; i < n; i++) if (x[i] != x[i - 1]) starts[k++] = i;
    *many = k;
}

/* Elementary functions. */

static void polar(in x, in y, out r, out t, long n) {
#pragma omp parallel for simd
    for (long i = 0; i < n; i++) { r[i] = sqrtf(x[i] * x[i] + y[i] * y[i]); t[i] = atan2f(y[i], x[i]); }
}

static void waves(in x, in y, out z, long n) {
#pragma omp parallel for simd
    for (long i = 0; i < n; i++) z[i] = sinf(10 * x[i]) * cosf(7 * y[i]) + tanf(0.5f * x[i]);
}

static void gamma_curve(in x, out y, long n) {
#pragma omp parallel for simd
    for (long i = 0; i < n; i++) y[i] = x[i] <= 0.0031308f ? 12.92f * x[i] : 1.055f * powf(x[i], 0.41666667f) - 0.055f;
}

static void activations(in x, out y, out z, long n) {
#pragma omp parallel for simd
    for (long i = 0; i < n; i++) { float v = 8 * x[i] - 4; y[i] = tanhf(v); z[i] = logf(1 + expf(v)); }
}

static void angles(in x, out y, long n) {
#pragma omp parallel for simd
    for (long i = 0; i < n; i++) { float v = 2 * x[i] - 1; y[i] = roundf(100 * (asinf(v) + acosf(v * v))); }
}

/* Bytes. */

static void gray(bytes x, uint8_t *restrict y, long n) {
#pragma omp parallel for simd
    for (long i = 0; i < n; i++) y[i] = (77 * x[3 * i] + 150 * x[3 * i + 1] + 29 * x[3 * i + 2]) >> 8;
}

static void add_saturated(bytes a, bytes b, uint8_t *restrict c, long n) {
#pragma omp parallel for simd
    for (long i = 0; i < n; i++) { int s = a[i] + b[i]; c[i] = s < 255 ? s : 255; }
}

static void negative(bytes x, uint8_t *restrict y, long n) {
#pragma omp parallel for simd
    for (long i = 0; i < n; i++) y[i] = 255 - x[i];
}

static void blend(bytes a, bytes b, uint8_t *restrict c, long n, int alpha) {
#pragma omp parallel for simd
    for (long i = 0; i < n; i++) c[i] = (a[i] * alpha + b[i] * (256 - alpha)) >> 8;
}

static void threshold(bytes x, uint8_t *restrict y, long n, int t) {
#pragma omp parallel for simd
    for (long i = 0; i < n; i++) y[i] = x[i] > t ? 255 : 0;
}

static void mix16(const int16_t *restrict a, const int16_t *restrict b, int16_t *restrict y, long n) {
#pragma omp parallel for simd
    for (long i = 0; i < n; i++) y[i] = (a[i] + b[i]) >> 1;
}

/* Short rows. */

static void products8(in a, in b, out c, long n) {
#pragma omp parallel for
    for (long p = 0; p < n; p++)
        for (int i = 0; i < 8; i++) {
            float s[8] = {0};
            for (int k = 0; k < 8; k++)
                for (int j = 0; j < 8; j++) s[j] += a[p * 64 + i * 8 + k] * b[p * 64 + k * 8 + j];
            for (int j = 0; j < 8; j++) c[p * 64 + i * 8 + j] = s[j];
        }
}

static void block_sums(in x, out y, long h, long w) {
#pragma omp parallel for
    for (long m = 0; m < h / 8; m++)
        for (long n = 0; n < w / 8; n++) {
            float s = 0;
            for (int k = 0; k < 8; k++)
                for (int l = 0; l < 8; l++) s += x[(8 * m + k) * w + 8 * n + l];
            y[m * (w / 8) + n] = s;
        }
}

static void nearest(in x, int32_t *restrict at, long h, long w) {
#pragma omp parallel for
    for (long m = 0; m < h; m++) {
        float best = 1e30f;
        int where = 0;
        for (int n = 0; n < w; n++) if (x[m * w + n] < best) { best = x[m * w + n]; where = n; }
        at[m] = where;
    }
}

static void counts(in x, int32_t *restrict y, long n) {
#pragma omp parallel for
    for (long m = 0; m < n / 16; m++) {
        int c = 0;
        for (int k = 0; k < 16; k++) c += x[16 * m + k] > 0.5f;
        y[m] = c;
    }
}

static void unit_rows(in x, out y, long h, long w) {
#pragma omp parallel for
    for (long m = 0; m < h; m++) {
        float s = 0;
        for (long n = 0; n < w; n++) s += x[m * w + n] * x[m * w + n];
        float f = 1 / sqrtf(s);
        for (long n = 0; n < w; n++) y[m * w + n] = x[m * w + n] * f;
    }
}

static void softmax(in x, out y, long h, long w) {
#pragma omp parallel for
    for (long m = 0; m < h; m++) {
        float most = -1e30f, s = 0;
        for (long n = 0; n < w; n++) most = most > x[m * w + n] ? most : x[m * w + n];
        for (long n = 0; n < w; n++) { y[m * w + n] = expf(x[m * w + n] - most); s += y[m * w + n]; }
        for (long n = 0; n < w; n++) y[m * w + n] /= s;
    }
}

/* Borders. */

static long reflected(long i, long n) { i = i < 0 ? -i : i; return i < n ? i : 2 * n - 2 - i; }
static long clamped(long i, long n) { return i < 0 ? 0 : i < n ? i : n - 1; }
static long around(long i, long n) { return i < 0 ? i + n : i < n ? i : i - n; }

static void blur_mirror(in x, out y, long h, long w) {
#pragma omp parallel for
    for (long m = 0; m < h; m++) {
        const float *row[5];
        for (int k = 0; k < 5; k++) row[k] = x + reflected(m + k - 2, h) * w;
        for (long n = 0; n < w; n++) {
            float s = 0;
            if (n >= 2 && n < w - 2) continue;
            for (int k = 0; k < 5; k++)
                for (int l = -2; l <= 2; l++) s += row[k][reflected(n + l, w)];
            y[m * w + n] = s * 0.04f;
        }
        for (long n = 2; n < w - 2; n++) {
            float s = 0;
            for (int k = 0; k < 5; k++)
                for (int l = -2; l <= 2; l++) s += row[k][n + l];
            y[m * w + n] = s * 0.04f;
        }
    }
}

static void gradient_clamped(in x, out y, long height, long w) {
#pragma omp parallel for
    for (long m = 0; m < height; m++) {
        const float *a = x + clamped(m - 1, height) * w, *b = x + m * w, *c = x + clamped(m + 1, height) * w;
#define SOBEL(l, n, r) \
    do { \
        float h = a[r] + 2 * b[r] + c[r] - a[l] - 2 * b[l] - c[l], v = c[l] + 2 * c[n] + c[r] - a[l] - 2 * a[n] - a[r]; \
        y[m * w + (n)] = sqrtf(h * h + v * v); \
    } while (0)
        SOBEL(0, 0, 1);
        for (long n = 1; n < w - 1; n++) SOBEL(n - 1, n, n + 1);
        SOBEL(w - 2, w - 1, w - 1);
    }
}

static void laplace_circular(in x, out y, long h, long w) {
#pragma omp parallel for
    for (long m = 0; m < h; m++) {
        const float *a = x + around(m - 1, h) * w, *b = x + m * w, *c = x + around(m + 1, h) * w;
        y[m * w] = a[0] + c[0] + b[w - 1] + b[1] - 4 * b[0];
        for (long n = 1; n < w - 1; n++) y[m * w + n] = a[n] + c[n] + b[n - 1] + b[n + 1] - 4 * b[n];
        y[m * w + w - 1] = a[w - 1] + c[w - 1] + b[w - 2] + b[0] - 4 * b[w - 1];
    }
}

static void lift_mirror(in x, out y, long n) {
    for (long i = 0; i < n; i++) {
        if (i == 3) i = n - 3;
        y[i] = x[i] - 0.5f * (x[reflected(i - 1, n)] + x[reflected(i + 1, n)]) + 0.125f * (x[reflected(i - 3, n)] + x[reflected(i + 3, n)]);
    }
#pragma omp parallel for simd
    for (long i = 3; i < n - 3; i++) y[i] = x[i] - 0.5f * (x[i - 1] + x[i + 1]) + 0.125f * (x[i - 3] + x[i + 3]);
}

static void local_contrast(in x, out y, long h, long w, float t) {
    memset(y, 0, h * w * sizeof *y);
#pragma omp parallel for
    for (long m = 1; m < h - 1; m++)
        for (long n = 1; n < w - 1; n++) {
            long i = m * w + n;
            y[i] = x[i] > t ? x[i] - 0.25f * (x[i - w] + x[i + w] + x[i - 1] + x[i + 1]) : x[i] * 0.5f;
        }
}

static void window(in x, out y, long h, long w, long r) {
#pragma omp parallel for
    for (long m = 0; m < h; m++) {
        for (long n = 0; n < w; n++) y[m * w + n] = 0;
        for (long k = m < r ? 0 : m - r; k <= m + r && k < h; k++)
            for (long l = -r; l <= r; l++) {
                long first = l < 0 ? -l : 0, last = l > 0 ? w - l : w;
                for (long n = first; n < last; n++) y[m * w + n] += x[k * w + n + l];
            }
    }
}

/* Histograms. */

static void counts16(ints x, int32_t *restrict h, long n) {
    memset(h, 0, 65536 * sizeof *h);
#pragma omp parallel for reduction(+ : h[:65536])
    for (long i = 0; i < n; i++) h[x[i]]++;
}

static void weighted(ints x, in w, out h, long n) {
    memset(h, 0, 256 * sizeof *h);
#pragma omp parallel for reduction(+ : h[:256])
    for (long i = 0; i < n; i++) h[x[i]] += w[i];
}

static void joint(bytes a, bytes b, int32_t *restrict h, long n) {
    memset(h, 0, 65536 * sizeof *h);
#pragma omp parallel for reduction(+ : h[:65536])
    for (long i = 0; i < n; i++) h[256 * a[i] + b[i]]++;
}

static void clusters(in x, ints label, out sums, int32_t *restrict many, long n) {
    memset(sums, 0, 2000 * sizeof *sums);
    memset(many, 0, 1000 * sizeof *many);
#pragma omp parallel for reduction(+ : sums[:2000], many[:1000])
    for (long i = 0; i < n; i++) {
        sums[2 * label[i]] += x[2 * i];
        sums[2 * label[i] + 1] += x[2 * i + 1];
        many[label[i]]++;
    }
}

/* Many short steps. */

static void wave(in start, out u, long n, long steps) {
    float *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = calloc(n, sizeof *c);
    memcpy(a, start, n * sizeof *a);
    memcpy(b, start, n * sizeof *b);
    for (long t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++) c[i] = 2 * a[i] - b[i] + 0.25f * (a[i - 1] - 2 * a[i] + a[i + 1]);
        float *spare = b; b = a; a = c; c = spare;
    }
    memcpy(u, a, n * sizeof *u);
    free(a);
    free(b);
    free(c);
}

static void life(ints start, int32_t *restrict result, long h, long w, long steps) {
    int32_t *a = malloc(h * w * sizeof *a), *b = malloc(h * w * sizeof *b);
    memcpy(a, start, h * w * sizeof *a);
    memcpy(b, start, h * w * sizeof *b);
    for (long t = 0; t < steps; t++) {
#pragma omp parallel for
        for (long m = 1; m < h - 1; m++)
            for (long i = m * w + 1; i < m * w + w - 1; i++) {
                int s = a[i - w - 1] + a[i - w] + a[i - w + 1] + a[i - 1] + a[i + 1] + a[i + w - 1] + a[i + w] + a[i + w + 1];
                b[i] = s == 3 || (s == 2 && a[i] == 1);
            }
        int32_t *spare = a; a = b; b = spare;
    }
    memcpy(result, a, h * w * sizeof *a);
    free(a);
    free(b);
}

static void jacobi(in b, out x, long n, long steps) {
    float *y = calloc(n, sizeof *y);
    memset(x, 0, n * sizeof *x);
    for (long t = 0; t < steps; t++) {
        for (long i = 1; i < n - 1; i++) y[i] = 0.5f * (b[i] + x[i - 1] + x[i + 1]);
        for (long i = 1; i < n - 1; i++) x[i] = y[i];
    }
    free(y);
}

static void bodies(in start, out x, out v, long n, long steps) {
    float *f = malloc(n * sizeof *f);
    memcpy(x, start, n * sizeof *x);
    memset(v, 0, n * sizeof *v);
    for (long t = 0; t < steps; t++) {
#pragma omp parallel for
        for (long i = 0; i < n; i++) {
            float s = 0;
            for (long j = 0; j < n; j++) { float d = x[j] - x[i]; s += d / ((d * d + 0.01f) * sqrtf(d * d + 0.01f)); }
            f[i] = s;
        }
        for (long i = 0; i < n; i++) { v[i] += 0.00001f * f[i]; x[i] += 0.001f * v[i]; }
    }
    free(f);
}

static void doubling(in x, out y, long n) {
    float *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    memcpy(a, x, n * sizeof *a);
    for (long d = 1; d < n; d *= 2) {
#pragma omp parallel for simd
        for (long i = d; i < n; i++) b[i] = a[i] + a[i - d];
        memcpy(b, a, d * sizeof *a);
        float *spare = a; a = b; b = spare;
    }
    memcpy(y, a, n * sizeof *y);
    free(a);
    free(b);
}

/* Reductions along an axis. */

static void column_sums(in x, out y, long h, long w) {
    memset(y, 0, w * sizeof *y);
#pragma omp parallel for reduction(+ : y[:w])
    for (long m = 0; m < h; m++)
        for (long n = 0; n < w; n++) y[n] += x[m * w + n];
}

static void row_sums(in x, out y, long h, long w) {
#pragma omp parallel for
    for (long m = 0; m < h; m++) {
        float s = 0;
        for (long n = 0; n < w; n++) s += x[m * w + n];
        y[m] = s;
    }
}

static void row_minima(in x, out y, long h, long w) {
#pragma omp parallel for
    for (long m = 0; m < h; m++) {
        float s = x[m * w];
        for (long n = 0; n < w; n++) s = x[m * w + n] < s ? x[m * w + n] : s;
        y[m] = s;
    }
}

static void centred(in x, out y, long h, long w) {
    float *s = malloc(w * sizeof *s);
    column_sums(x, s, h, w);
    for (long n = 0; n < w; n++) s[n] /= h;
#pragma omp parallel for
    for (long m = 0; m < h; m++)
        for (long n = 0; n < w; n++) y[m * w + n] = x[m * w + n] - s[n];
    free(s);
}

static void distance(in a, in b, out y, long n) {
    float s = 0;
#pragma omp parallel for simd reduction(max : s)
    for (long i = 0; i < n; i++) { float d = fabsf(a[i] - b[i]); s = s > d ? s : d; }
    *y = s;
}
