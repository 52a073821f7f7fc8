/* Numbers, texts and arrays as results of functions, and what a program prints. */
#include <quadra.h>
#include <stdio.h>

static const char program[] =
    "function [least, most, text] = describe(x)\n"
    "    least = min(x)\n"
    "    most = max(x)\n"
    "    text = sprintf(\"%d numbers\", numel(x))\n"
    "    print \"described \", numel(x)\n"
    "endfunction\n"
    "function y = running_sum(x)\n"
    "    y = cumsum(x)\n"
    "endfunction\n";

int main(void)
{
    const double samples[5] = {3, 1, 4, 1, 5};
    const size_t shape[1] = {5};
    double copy[5];
    quadra_options options = {0};
    quadra_value argument = {0}, results[3];
    quadra_session *session;
    options.double_precision = 1;
    options.time_limit = 60;
    session = quadra_session_open(&options);
    for (int i = 0; i < 5; i++)
        copy[i] = samples[i];
    argument.kind = QUADRA_ARRAY;
    argument.array.element = QUADRA_F64;
    argument.array.rank = 1;
    argument.array.shape = shape;
    argument.array.data = copy;
    if (session == NULL || quadra_compile(session, "results.q", program) != QUADRA_SUCCESS ||
        quadra_call(session, "describe", &argument, 1, results, 3) != QUADRA_SUCCESS) {
        fprintf(stderr, "%s\n", quadra_error());
        return 1;
    }
    printf("least %g, most %g, %s\n", results[0].number, results[1].number, results[2].text);
    printf("the program said: %s", quadra_output(session));
    if (quadra_call(session, "running_sum", &argument, 1, results, 1) != QUADRA_SUCCESS || results[0].kind != QUADRA_ARRAY) {
        fprintf(stderr, "%s\n", quadra_error());
        return 1;
    }
    for (size_t i = 0; i < results[0].array.shape[0]; i++)
        printf("%g%c", ((const double *)results[0].array.data)[i], i + 1 < results[0].array.shape[0] ? ' ' : '\n');
    quadra_session_close(session);
    return 0;
}
