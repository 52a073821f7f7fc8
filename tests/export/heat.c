/* examples/heat.q with its loop in line 4 as an exported kernel. Prints what that prints. */
#include "kernel.h"
#include <math.h>
#include <stdio.h>

enum { ROWS = 128, COLUMNS = 192, ALL = ROWS * COLUMNS };

static float hot[ALL], plate[2][ALL];

static void heat(int m0, int m1, int n0, int n1)
{
    for (int m = m0; m <= m1; m++)
        for (int n = n0; n <= n1; n++)
            hot[m * COLUMNS + n] = 1;
}

int main(void)
{
    quadra_board board;
    double sum = 0, above = 0;
    if (quadra_open(&board) != QUADRA_OK)
        return 2;
    heat(20, 60, 24, 30);
    heat(90, 96, 60, 150);
    heat(30, 34, 120, 170);
    for (int i = 0; i < ALL; i++)
        plate[0][i] = hot[i];
    for (int step = 0; step < 300; step++) {
        float *now = plate[step % 2], *next = plate[1 - step % 2];
        int status = for_loop_launch(&board, 1, ROWS, COLUMNS, now, ALL, ROWS, COLUMNS, next, ALL, ROWS, COLUMNS);
        if (status != QUADRA_OK) {
            fprintf(stderr, "%s\n", quadra_text(status));
            return 3;
        }
        for (int i = 0; i < ALL; i++)
            next[i] = fmaxf(next[i], hot[i]);
    }
    for (int i = 0; i < ALL; i++) {
        sum += plate[0][i];
        above += plate[0][i] > 0.5f;
    }
    printf("mean temperature %g, %g %% above one half\n", sum / ALL, 100 * above / ALL);
    quadra_close(&board);
    return 0;
}
