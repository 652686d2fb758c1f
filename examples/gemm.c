/* A product through the C ABI:
 *
 *   cargo rustc --release --lib --features capi --crate-type staticlib
 *   cc -Iinclude examples/gemm.c target/release/libfulmen.a -lm -lpthread -ldl -o gemm && ./gemm
 */
#include "fulmen.h"
#include <stdio.h>

int main(void)
{
    float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, c[4];
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 2, 2, 1, a, 2, b, 2, 0, c, 2);
    printf("%g %g\n%g %g\n", c[0], c[1], c[2], c[3]);
    return !(c[0] == 19 && c[1] == 22 && c[2] == 43 && c[3] == 50);
}
