/* Lists the devices of this machine and says of every loop of a program whether it is parallel: verdicts PROGRAM.q */
#include <quadra.h>
#include <stdio.h>
#include <stdlib.h>

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t size = 0, room = 1 << 16;
    char *text = malloc(room);
    if (file == NULL || text == NULL)
        return NULL;
    for (size_t got; (got = fread(text + size, 1, room - size - 1, file)) > 0; size += got)
        if (room - size - got < 2 && (text = realloc(text, room *= 2)) == NULL)
            return NULL;
    fclose(file);
    text[size] = '\0';
    return text;
}

int main(int count, char **arguments)
{
    size_t devices, loops;
    const quadra_device *device = quadra_devices(&devices);
    const quadra_loop *loop;
    quadra_session *session;
    char *text;
    if (count != 2 || (text = read_all(arguments[1])) == NULL) {
        fprintf(stderr, "verdicts PROGRAM.q\n");
        return 2;
    }
    for (size_t i = 0; i < devices; i++)
        printf("device %s: %s\n", device[i].name, device[i].unavailable ? device[i].unavailable : "can be used");
    session = quadra_session_open(NULL);
    loop = quadra_verdicts(session, arguments[1], text, &loops);
    if (loop == NULL) {
        fprintf(stderr, "%s\n", quadra_error());
        return 1;
    }
    for (size_t i = 0; i < loops; i++)
        printf("line %u: %s\n", (unsigned)loop[i].line, loop[i].verdict);
    quadra_session_close(session);
    free(text);
    return 0;
}
