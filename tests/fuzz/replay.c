/* SPDX-License-Identifier: BSD-3-Clause
 * Runs a fuzz target on the files and directories named as arguments, where there is no libFuzzer. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include "fuzz.h"

static int inputs;

static void run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    size_t size = 0, room = 1 << 20;
    uint8_t *data = malloc(room);
    if (f && data) {
        size = fread(data, 1, room, f);
        uint8_t *exact = malloc(size + 1);      /* so that a checker sees reads behind the end */
        for (size_t i = 0; i < size; i++)
            exact[i] = data[i];
        (void)LLVMFuzzerTestOneInput(exact, size);
        free(exact);
        inputs++;
    }
    if (f)
        fclose(f);
    free(data);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        DIR *d = opendir(argv[i]);
        if (!d) {
            run_file(argv[i]);
            continue;
        }
        for (struct dirent *e; (e = readdir(d));) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", argv[i], e->d_name);
            if (e->d_name[0] != '.')
                run_file(path);
        }
        closedir(d);
    }
    printf("%d inputs\n", inputs);
    return inputs == 0;
}
