/* Checks the C ABI against naive sums, in both precisions. Exits with 1 when one fails. */
#include "fulmen.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GENERAL, SYMMETRIC, TRIANGULAR };

static long checks, failures;

/* What the last call wrote on the standard error output names this parameter. */
static void named(int position)
{
    char text[256] = "", want[32];
    fflush(stderr);
    rewind(stderr);
    size_t n = fread(text, 1, sizeof text - 1, stderr);
    text[n] = 0;
    snprintf(want, sizeof want, "parameter %d of", position);
    checks++;
    if (!strstr(text, want)) {
        failures++;
        printf("expected \"%s\", got \"%s\"\n", want, text);
    }
    rewind(stderr);
    if (ftruncate(2, 0)) perror("ftruncate");
    lseek(2, 0, SEEK_SET);
}
#define expect(position, call) (call, named(position))

#define REAL float
#define EPS FLT_EPSILON
#define TINY FLT_MIN
#define NAME(x) s_##x
#define G(x) cblas_s##x
#define F(x) s##x##_
#define INDEX_G cblas_isamax
#define INDEX_F isamax_
#include "check.inc"
#undef REAL
#undef EPS
#undef TINY
#undef NAME
#undef G
#undef F
#undef INDEX_G
#undef INDEX_F
#define REAL double
#define EPS DBL_EPSILON
#define TINY DBL_MIN
#define NAME(x) d_##x
#define G(x) cblas_d##x
#define F(x) d##x##_
#define INDEX_G cblas_idamax
#define INDEX_F idamax_
#include "check.inc"

int main(void)
{
    s_level1(), d_level1();
    s_level2(), d_level2();
    s_level3(), d_level3();
    s_large(), d_large();
    /* Messages go to a file, to be read again. */
    if (!freopen("/tmp/fulmen-capi-stderr", "w+", stderr)) return 2;
    s_refusals(), d_refusals();
    printf("%ld checks, %ld failures\n", checks, failures);
    return failures != 0;
}
