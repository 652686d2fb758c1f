/* A program that has its own cblas_xerbla and xerbla_ is told of illegal arguments by them, or by the handler that it
 * sets, and nothing is written on the standard error output. Exits with 1 when a check fails. */
#include "fulmen.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char last[64];

void cblas_xerbla(int position, const char *name, const char *form, ...)
{
    snprintf(last, sizeof last, "C %d %s%s", position, name, form);
}

void xerbla_(const char *name, const int *position, size_t length)
{
    snprintf(last, sizeof last, "Fortran %d %.*s", *position, (int)length, name);
}

static void handler(const char *name, int position)
{
    snprintf(last, sizeof last, "handler %d %s", position, name);
}

static int failures;

static void told(const char *want)
{
    if (strcmp(last, want)) failures++, printf("expected \"%s\", got \"%s\"\n", want, last);
    last[0] = 0;
}

int main(void)
{
    float a[4] = {1, 2, 3, 4}, c[4] = {5, 6, 7, 8}, one = 1;
    int two = 2, bad = -1, info = 9;
    double d[4] = {1, 2, 3, 4};
    if (!freopen("/tmp/fulmen-capi-stderr", "w+", stderr)) return 2;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 2, 2, 1, a, 1, a, 2, 0, c, 2);
    told("C 9 cblas_sgemm");
    sgemm_("N", "N", &two, &bad, &two, &one, a, &two, a, &two, &one, c, &two);
    told("Fortran 4 SGEMM");
    dpotrf_("x", &two, d, &two, &info);
    told("Fortran 1 DPOTRF");
    if (info != -1) failures++, printf("info is %d\n", info);
    fulmen_set_xerbla(handler);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 2, 2, 1, a, 1, a, 2, 0, c, 2);
    told("handler 9 cblas_sgemm");
    sgemm_("N", "N", &two, &bad, &two, &one, a, &two, a, &two, &one, c, &two);
    told("handler 4 sgemm_");
    fulmen_set_xerbla(NULL);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 2, 2, 1, a, 1, a, 2, 0, c, 2);
    told("C 9 cblas_sgemm");
    /* A call that is right tells nobody. */
    sgemm_("N", "N", &two, &two, &two, &one, a, &two, a, &two, &one, c, &two);
    told("");
    if (c[0] != 5 + 7) failures++, printf("c is %g\n", (double)c[0]);
    fflush(stderr);
    if (lseek(2, 0, SEEK_END) != 0) failures++, printf("written on the standard error output\n");
    printf("xerbla: %d failures\n", failures);
    return failures != 0;
}
