/* Wrong calls of libquadra end in errors, and the session goes on. Prints nothing if all is well. */
#include <pthread.h>
#include <quadra.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAYS(status, wanted, part)                                                                                        \
    do {                                                                                                                  \
        int got = (int)(status);                                                                                          \
        if (got != (wanted) || strstr(quadra_error(), part) == NULL) {                                                    \
            printf("%d: status %d, '%s', not %d with '%s'\n", __LINE__, got, quadra_error(), wanted, part);               \
            exit(1);                                                                                                      \
        }                                                                                                                 \
    } while (0)

static quadra_session *session;

static quadra_value array(uint32_t element, uint32_t rank, const size_t *shape, void *data)
{
    quadra_value value = {0};
    value.kind = QUADRA_ARRAY;
    value.array.element = element;
    value.array.rank = rank;
    value.array.shape = shape;
    value.array.data = data;
    return value;
}

static int call(quadra_value value)
{
    quadra_value result;
    int status = quadra_call(session, "twice", &value, 1, &result, 1);
    if (status != QUADRA_SUCCESS && result.kind != QUADRA_NOTHING)
        exit(3);
    return status;
}

static void *elsewhere(void *unused)
{
    (void)unused;
    SAYS(quadra_compile(session, "t.q", "x = 1"), QUADRA_WRONG_CALL, "belongs to the thread");
    SAYS(quadra_session_close(session), QUADRA_WRONG_CALL, "belongs to the thread");
    SAYS(quadra_stop(session), QUADRA_SUCCESS, "");
    return NULL;
}

int main(void)
{
    const char *text = "function y = twice(x)\n    y = 2*x\nendfunction\n"
                       "function [] = fill(x)\n    x[0] = 7\n    x[1] = x[5]\nendfunction\n"
                       "function [] = endless()\n    while true\n    endwhile\nendfunction\n"
                       "function o = thing()\n    o = object(a:=1)\nendfunction\n"
                       "kept = 0\nfunction [] = keep(x)\n    kept = x\nendfunction\n";
    const size_t shape[2] = {2, 3}, huge[3] = {(size_t)1 << 40, (size_t)1 << 40, 2}, one[1] = {6}, none[1] = {0};
    float memory[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    quadra_options options = {0};
    quadra_value result = {0}, two[2];
    pthread_t thread;
    size_t count = 99;

    options.device = "toaster";
    if (quadra_session_open(&options) != NULL || strstr(quadra_error(), "toaster") == NULL)
        return 10;
    options.device = "\xff";
    if (quadra_session_open(&options) != NULL || strstr(quadra_error(), "UTF-8") == NULL)
        return 11;
    options.device = NULL;
    options.qpus = 13;
    if (quadra_session_open(&options) != NULL || strstr(quadra_error(), "13 QPUs") == NULL)
        return 12;
    options.qpus = 0;
    options.time_limit = -1;
    if (quadra_session_open(&options) != NULL)
        return 13;
    options.time_limit = 0.2;
    session = quadra_session_open(&options);
    if (session == NULL)
        return 14;
    SAYS(quadra_compile(NULL, "t.q", text), QUADRA_WRONG_CALL, "null pointer");
    SAYS(quadra_compile((quadra_session *)memory, "t.q", text), QUADRA_WRONG_CALL, "no session");
    SAYS(quadra_compile(session, NULL, text), QUADRA_WRONG_CALL, "the name is a null pointer");
    SAYS(quadra_compile(session, "t.q", NULL), QUADRA_WRONG_CALL, "the program is a null pointer");
    SAYS(quadra_compile(session, "t.q", "x = 1\ny = x +"), QUADRA_PROGRAM_ERROR, "t.q:2");
    SAYS(quadra_load(session, "/nowhere/at/all.q"), QUADRA_WRONG_CALL, "cannot read");
    SAYS(quadra_compile(session, "t.q", text), QUADRA_SUCCESS, "");
    SAYS(quadra_call(session, "nothing", NULL, 0, NULL, 0), QUADRA_PROGRAM_ERROR, "'nothing' is not defined");
    SAYS(quadra_call(session, "twice", NULL, 1, &result, 1), QUADRA_WRONG_CALL, "arguments");
    SAYS(quadra_call(session, "twice", NULL, 0, NULL, 1), QUADRA_WRONG_CALL, "results");
    SAYS(quadra_call(session, "thing", NULL, 0, &result, 1), QUADRA_PROGRAM_ERROR, "object");

    SAYS(call(array(99, 2, shape, memory)), QUADRA_WRONG_CALL, "argument 1: 99 is no quadra_element");
    SAYS(call(array(QUADRA_F32, 0, shape, memory)), QUADRA_WRONG_CALL, "dimensions");
    SAYS(call(array(QUADRA_F32, 9, shape, memory)), QUADRA_WRONG_CALL, "dimensions");
    SAYS(call(array(QUADRA_F32, 2, NULL, memory)), QUADRA_WRONG_CALL, "shape");
    SAYS(call(array(QUADRA_F32, 2, shape, NULL)), QUADRA_WRONG_CALL, "null pointer");
    SAYS(call(array(QUADRA_F32, 2, shape, (char *)memory + 1)), QUADRA_WRONG_CALL, "aligned");
    SAYS(call(array(QUADRA_F32, 3, huge, memory)), QUADRA_WRONG_CALL, "does not fit");
    SAYS(call(array(QUADRA_F32, 1, none, NULL)), QUADRA_SUCCESS, "");
    result.kind = 77;
    SAYS(call(result), QUADRA_WRONG_CALL, "no quadra_kind");
    two[0] = array(QUADRA_F32, 1, one, memory);
    two[1] = array(QUADRA_F32, 1, one, memory + 2);
    SAYS(quadra_call(session, "twice", two, 2, &result, 1), QUADRA_WRONG_CALL, "overlap");

    /* A call that fails has written what it had written. */
    two[0] = array(QUADRA_F32, 1, one, memory);
    SAYS(quadra_call(session, "fill", two, 1, NULL, 0), QUADRA_SUCCESS, "");
    if (memory[0] != 7 || memory[1] != 6 || memory[6] != 7)
        return 15;
    SAYS(quadra_call(session, "endless", NULL, 0, NULL, 0), QUADRA_PROGRAM_ERROR, "time");
    SAYS(quadra_call(session, "keep", two, 1, NULL, 0), QUADRA_SUCCESS, "");
    if (pthread_create(&thread, NULL, elsewhere, NULL) != 0)
        return 16;
    pthread_join(thread, NULL);
    SAYS(call(array(QUADRA_F32, 2, shape, memory)), QUADRA_SUCCESS, "");
    if (quadra_verdicts(session, "t.q", "for", &count) != NULL || count != 0 || quadra_verdicts(session, "t.q", text, NULL) != NULL)
        return 17;
    SAYS(quadra_session_close(session), QUADRA_SUCCESS, "");
    SAYS(quadra_session_close(session), QUADRA_WRONG_CALL, "closed");
    SAYS(quadra_session_close(NULL), QUADRA_SUCCESS, "");
    SAYS(quadra_stop(session), QUADRA_WRONG_CALL, "closed");
    return 0;
}
