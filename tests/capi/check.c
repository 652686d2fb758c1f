/* Checks the C ABI against naive sums, in both precisions. Exits with 1 when one fails. */
#include "fulmen.h"
#include <complex.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { GENERAL, SYMMETRIC, TRIANGULAR };
/* The largest order of what LAPACK is asked for, and what such a matrix takes with gaps. */
enum { ORDER = 40, AREA = ORDER * (ORDER + 3) };

static long checks, failures;

/* What the last call wrote on the standard error output. */
static void says(const char *want)
{
    char text[256] = "";
    fflush(stderr);
    rewind(stderr);
    size_t n = fread(text, 1, sizeof text - 1, stderr);
    text[n] = 0;
    checks++;
    if (!strstr(text, want)) {
        failures++;
        printf("expected \"%s\", got \"%s\"\n", want, text);
    }
    rewind(stderr);
    if (ftruncate(2, 0)) perror("ftruncate");
    lseek(2, 0, SEEK_SET);
}
/* It names this parameter. */
static void named(int position)
{
    char want[32];
    snprintf(want, sizeof want, "parameter %d of", position);
    says(want);
}
#define expect(position, call) (call, named(position))

/* Where there is no memory for scratch, that is said and nothing is written. */
static void starved(void)
{
    enum { n = 3000 };
    float *a = calloc(n * n, sizeof *a), *b = calloc(n, sizeof *b), *c = calloc(n, sizeof *c);
    c[0] = 7;
    struct rlimit all, little;
    getrlimit(RLIMIT_AS, &all);
    little = all, little.rlim_cur = 1 << 20;
    if (setrlimit(RLIMIT_AS, &little)) perror("setrlimit");
    cblas_ssymm(CblasColMajor, CblasLeft, CblasUpper, n, 1, 1, a, n, b, n, 0, c, n);
    setrlimit(RLIMIT_AS, &all);
    says("no memory for the scratch of cblas_ssymm");
    checks++;
    if (c[0] != 7) failures++, printf("written without scratch\n");
    cblas_ssymm(CblasColMajor, CblasLeft, CblasUpper, n, 1, 1, a, n, b, n, 0, c, n);
    checks++;
    if (c[0] != 0) failures++, printf("not computed once there is memory\n");
    free(a), free(b), free(c);
}

/* A thread that ends gives its scratch back before the program's own destructors run, which may still call. */
static pthread_key_t key;
static double last[2];

static double symmetric(void)
{
    double a[9] = {2, 1, 0, 1, 2, 1, 0, 1, 2}, b[3] = {1, 2, 3}, c[3] = {0};
    int info, three = 3, one = 1;
    cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, 3, 1, 1, a, 3, b, 3, 0, c, 3);
    dposv_("L", &three, &one, a, &three, c, &three, &info);
    return info ? NAN : c[2];
}

static void at_end(void *nothing)
{
    (void)nothing;
    last[1] = symmetric();
}

static void *thread(void *nothing)
{
    pthread_setspecific(key, &key);
    last[0] = symmetric();
    return nothing;
}

static void ends(void)
{
    pthread_t id;
    if (pthread_key_create(&key, at_end) || pthread_create(&id, NULL, thread, NULL) || pthread_join(id, NULL)) perror("thread");
    for (int i = 0; i < 2; i++) {
        checks++;
        if (!(fabs(last[i] - 3) < 1e-12)) failures++, printf("%g in %s\n", last[i], i ? "a destructor" : "a thread");
    }
}

#define SINGLE
#define REAL float
#define EPS FLT_EPSILON
#define TINY FLT_MIN
#define NAME(x) s_##x
#define G(x) cblas_s##x
#define F(x) s##x##_
#define INDEX_G cblas_isamax
#define INDEX_F isamax_
#define CREAL crealf
#define CIMAG cimagf
#define CG(x) cblas_c##x
#define CF(x) c##x##_
#define SG(x) cblas_sc##x
#define SF(x) sc##x##_
#define RG cblas_csscal
#define RF csscal_
#include "check.inc"
#include "lines.inc"
#include "complex.inc"
#include "lapack.inc"
#undef SINGLE
#undef REAL
#undef EPS
#undef TINY
#undef NAME
#undef G
#undef F
#undef INDEX_G
#undef INDEX_F
#undef CREAL
#undef CIMAG
#undef CG
#undef CF
#undef SG
#undef SF
#undef RG
#undef RF
#define REAL double
#define EPS DBL_EPSILON
#define TINY DBL_MIN
#define NAME(x) d_##x
#define G(x) cblas_d##x
#define F(x) d##x##_
#define INDEX_G cblas_idamax
#define INDEX_F idamax_
#define CREAL creal
#define CIMAG cimag
#define CG(x) cblas_z##x
#define CF(x) z##x##_
#define SG(x) cblas_dz##x
#define SF(x) dz##x##_
#define RG cblas_zdscal
#define RF zdscal_
#include "check.inc"
#include "lines.inc"
#include "complex.inc"
#include "lapack.inc"

int main(void)
{
    s_level1(), d_level1();
    s_level2(), d_level2();
    s_lines(), d_lines();
    s_level3(), d_level3();
    s_complex_level1(), d_complex_level1();
    s_complex_matrices(), d_complex_matrices();
    s_large(), d_large();
    s_lapack(), d_lapack();
    /* Seconds for what must end at once. */
    alarm(60);
    s_empty(), d_empty();
    s_lines_empty(), d_lines_empty();
    alarm(0);
    /* Messages go to a file, to be read again. */
    if (!freopen("/tmp/fulmen-capi-stderr", "w+", stderr)) return 2;
    s_refusals(), d_refusals();
    s_lines_refusals(), d_lines_refusals();
    s_complex_refusals(), d_complex_refusals();
    s_lapack_refusals(), d_lapack_refusals();
    starved();
    /* Behind that: memory that a thread has reserved is lent to others. */
    ends();
    printf("%ld checks, %ld failures\n", checks, failures);
    return failures != 0;
}
