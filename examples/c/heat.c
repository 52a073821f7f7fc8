/* Heat spreads through a plate: a loop of Quasar works on an array of C, in place. Prints the mean temperature. */
#include <quadra.h>
#include <stdio.h>

static const char program[] =
    "function [] = spread(now : mat'clamped, next : mat)\n"
    "    for m = 0..size(now,0)-1\n"
    "        for n = 0..size(now,1)-1\n"
    "            around = now[m-1,n] + now[m+1,n] + now[m,n-1] + now[m,n+1]\n"
    "            next[m,n] = now[m,n] + 0.2*(around - 4*now[m,n])\n"
    "        endfor\n"
    "    endfor\n"
    "endfunction\n";

enum { ROWS = 64, COLUMNS = 96 };

static int stop(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, quadra_error());
    return 1;
}

int main(void)
{
    static float plate[2][ROWS][COLUMNS];
    const size_t shape[2] = {ROWS, COLUMNS};
    double sum = 0;
    quadra_session *session = quadra_session_open(NULL);
    if (session == NULL)
        return stop("open");
    if (quadra_compile(session, "heat.q", program) != QUADRA_SUCCESS)
        return stop("compile");
    for (int m = 20; m < 40; m++)
        for (int n = 30; n < 60; n++)
            plate[0][m][n] = 1;
    for (int step = 0; step < 100; step++) {
        quadra_value arguments[2] = {{0}};
        for (int i = 0; i < 2; i++) {
            arguments[i].kind = QUADRA_ARRAY;
            arguments[i].array.element = QUADRA_F32;
            arguments[i].array.rank = 2;
            arguments[i].array.shape = shape;
            arguments[i].array.data = plate[(step + i) % 2];
        }
        if (quadra_call(session, "spread", arguments, 2, NULL, 0) != QUADRA_SUCCESS)
            return stop("spread");
    }
    for (int m = 0; m < ROWS; m++)
        for (int n = 0; n < COLUMNS; n++)
            sum += plate[0][m][n];
    printf("mean temperature %.6f\n", sum / (ROWS * COLUMNS));
    quadra_session_close(session);
    return 0;
}
