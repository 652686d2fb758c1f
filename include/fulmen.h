/* The C ABI of fulmen: `cargo rustc --release --features capi --crate-type staticlib` (or `cdylib`, which
 * ends with `-- -C link-arg=-Wl,-soname,libfulmen.so.0` where programs are to find it by that name).
 *
 * The functions, their arguments and the Fortran symbols (`sgemm_`) are those of the reference BLAS; an illegal
 * argument is named on the standard error output, or to the program's own handler, and nothing is written. */
#ifndef FULMEN_H
#define FULMEN_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CBLAS_ORDER { CblasRowMajor = 101, CblasColMajor = 102 } CBLAS_ORDER;
typedef enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112, CblasConjTrans = 113 } CBLAS_TRANSPOSE;
typedef enum CBLAS_UPLO { CblasUpper = 121, CblasLower = 122 } CBLAS_UPLO;
typedef enum CBLAS_DIAG { CblasNonUnit = 131, CblasUnit = 132 } CBLAS_DIAG;
typedef enum CBLAS_SIDE { CblasLeft = 141, CblasRight = 142 } CBLAS_SIDE;

/* Sets what an illegal argument is told to, by the name of the routine and the position of the argument, from 1; NULL
 * takes it back. It may return: the routine then ends with nothing written.
 *
 * On ELF systems a program may instead define, as with the reference BLAS,
 *     void cblas_xerbla(int position, const char *name, const char *form, ...);
 *     void xerbla_(const char *name, const int *position, size_t length);
 * of which the first is told of the `cblas_` functions and the second of Fortran's (`DGEMM`, `length` characters without a
 * zero). The library defines neither: one that is not there is not called, and a line is written instead. */
typedef void (*fulmen_xerbla)(const char *name, int position);
void fulmen_set_xerbla(fulmen_xerbla handler);

void cblas_sswap(int n, float *x, int incx, float *y, int incy);
void sswap_(const int *n, float *x, const int *incx, float *y, const int *incy);
void cblas_dswap(int n, double *x, int incx, double *y, int incy);
void dswap_(const int *n, double *x, const int *incx, double *y, const int *incy);
void cblas_scopy(int n, const float *x, int incx, float *y, int incy);
void scopy_(const int *n, const float *x, const int *incx, float *y, const int *incy);
void cblas_dcopy(int n, const double *x, int incx, double *y, int incy);
void dcopy_(const int *n, const double *x, const int *incx, double *y, const int *incy);
void cblas_saxpy(int n, float alpha, const float *x, int incx, float *y, int incy);
void saxpy_(const int *n, const float *alpha, const float *x, const int *incx, float *y, const int *incy);
void cblas_daxpy(int n, double alpha, const double *x, int incx, double *y, int incy);
void daxpy_(const int *n, const double *alpha, const double *x, const int *incx, double *y, const int *incy);
void cblas_sscal(int n, float alpha, float *x, int incx);
void sscal_(const int *n, const float *alpha, float *x, const int *incx);
void cblas_dscal(int n, double alpha, double *x, int incx);
void dscal_(const int *n, const double *alpha, double *x, const int *incx);
float cblas_sdot(int n, const float *x, int incx, const float *y, int incy);
float sdot_(const int *n, const float *x, const int *incx, const float *y, const int *incy);
double cblas_ddot(int n, const double *x, int incx, const double *y, int incy);
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
/* The products are exact and are added in `double`. */
double cblas_dsdot(int n, const float *x, int incx, const float *y, int incy);
double dsdot_(const int *n, const float *x, const int *incx, const float *y, const int *incy);
float cblas_sdsdot(int n, float alpha, const float *x, int incx, const float *y, int incy);
float sdsdot_(const int *n, const float *alpha, const float *x, const int *incx, const float *y, const int
    *incy);
float cblas_snrm2(int n, const float *x, int incx);
float snrm2_(const int *n, const float *x, const int *incx);
double cblas_dnrm2(int n, const double *x, int incx);
double dnrm2_(const int *n, const double *x, const int *incx);
float cblas_sasum(int n, const float *x, int incx);
float sasum_(const int *n, const float *x, const int *incx);
double cblas_dasum(int n, const double *x, int incx);
double dasum_(const int *n, const double *x, const int *incx);
void cblas_srot(int n, float *x, int incx, float *y, int incy, float c, float s);
void srot_(const int *n, float *x, const int *incx, float *y, const int *incy, const float *c, const float
    *s);
void cblas_drot(int n, double *x, int incx, double *y, int incy, double c, double s);
void drot_(const int *n, double *x, const int *incx, double *y, const int *incy, const double *c, const
    double *s);
void cblas_srotg(float *a, float *b, float *c, float *s);
void srotg_(float *a, float *b, float *c, float *s);
void cblas_drotg(double *a, double *b, double *c, double *s);
void drotg_(double *a, double *b, double *c, double *s);
void cblas_srotm(int n, float *x, int incx, float *y, int incy, const float *param);
void srotm_(const int *n, float *x, const int *incx, float *y, const int *incy, const float *param);
void cblas_drotm(int n, double *x, int incx, double *y, int incy, const double *param);
void drotm_(const int *n, double *x, const int *incx, double *y, const int *incy, const double *param);
void cblas_srotmg(float *d1, float *d2, float *x1, float y1, float *param);
void srotmg_(float *d1, float *d2, float *x1, const float *y1, float *param);
void cblas_drotmg(double *d1, double *d2, double *x1, double y1, double *param);
void drotmg_(double *d1, double *d2, double *x1, const double *y1, double *param);
size_t cblas_isamax(int n, const float *x, int incx);
int isamax_(const int *n, const float *x, const int *incx);
size_t cblas_idamax(int n, const double *x, int incx);
int idamax_(const int *n, const double *x, const int *incx);
void cblas_sgemv(CBLAS_ORDER order, CBLAS_TRANSPOSE trans, int m, int n, float alpha, const float *a, int
    lda, const float *x, int incx, float beta, float *y, int incy);
void sgemv_(const char *trans, const int *m, const int *n, const float *alpha, const float *a, const int
    *lda, const float *x, const int *incx, const float *beta, float *y, const int *incy);
void cblas_dgemv(CBLAS_ORDER order, CBLAS_TRANSPOSE trans, int m, int n, double alpha, const double *a, int
    lda, const double *x, int incx, double beta, double *y, int incy);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a, const int
    *lda, const double *x, const int *incx, const double *beta, double *y, const int *incy);
void cblas_sger(CBLAS_ORDER order, int m, int n, float alpha, const float *x, int incx, const float *y, int
    incy, float *a, int lda);
void sger_(const int *m, const int *n, const float *alpha, const float *x, const int *incx, const float *y,
    const int *incy, float *a, const int *lda);
void cblas_dger(CBLAS_ORDER order, int m, int n, double alpha, const double *x, int incx, const double *y,
    int incy, double *a, int lda);
void dger_(const int *m, const int *n, const double *alpha, const double *x, const int *incx, const double
    *y, const int *incy, double *a, const int *lda);
void cblas_ssyr(CBLAS_ORDER order, CBLAS_UPLO uplo, int n, float alpha, const float *x, int incx, float *a,
    int lda);
void ssyr_(const char *uplo, const int *n, const float *alpha, const float *x, const int *incx, float *a,
    const int *lda);
void cblas_dsyr(CBLAS_ORDER order, CBLAS_UPLO uplo, int n, double alpha, const double *x, int incx, double
    *a, int lda);
void dsyr_(const char *uplo, const int *n, const double *alpha, const double *x, const int *incx, double *a,
    const int *lda);
void cblas_ssyr2(CBLAS_ORDER order, CBLAS_UPLO uplo, int n, float alpha, const float *x, int incx, const
    float *y, int incy, float *a, int lda);
void ssyr2_(const char *uplo, const int *n, const float *alpha, const float *x, const int *incx, const float
    *y, const int *incy, float *a, const int *lda);
void cblas_dsyr2(CBLAS_ORDER order, CBLAS_UPLO uplo, int n, double alpha, const double *x, int incx, const
    double *y, int incy, double *a, int lda);
void dsyr2_(const char *uplo, const int *n, const double *alpha, const double *x, const int *incx, const
    double *y, const int *incy, double *a, const int *lda);
void cblas_ssymv(CBLAS_ORDER order, CBLAS_UPLO uplo, int n, float alpha, const float *a, int lda, const
    float *x, int incx, float beta, float *y, int incy);
void ssymv_(const char *uplo, const int *n, const float *alpha, const float *a, const int *lda, const float
    *x, const int *incx, const float *beta, float *y, const int *incy);
void cblas_dsymv(CBLAS_ORDER order, CBLAS_UPLO uplo, int n, double alpha, const double *a, int lda, const
    double *x, int incx, double beta, double *y, int incy);
void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda, const
    double *x, const int *incx, const double *beta, double *y, const int *incy);
void cblas_strmv(CBLAS_ORDER order, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int n, const
    float *a, int lda, float *x, int incx);
void strmv_(const char *uplo, const char *trans, const char *diag, const int *n, const float *a, const int
    *lda, float *x, const int *incx);
void cblas_dtrmv(CBLAS_ORDER order, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int n, const
    double *a, int lda, double *x, int incx);
void dtrmv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a, const int
    *lda, double *x, const int *incx);
void cblas_strsv(CBLAS_ORDER order, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int n, const
    float *a, int lda, float *x, int incx);
void strsv_(const char *uplo, const char *trans, const char *diag, const int *n, const float *a, const int
    *lda, float *x, const int *incx);
void cblas_dtrsv(CBLAS_ORDER order, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int n, const
    double *a, int lda, double *x, int incx);
void dtrsv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a, const int
    *lda, double *x, const int *incx);
/* Banded and packed matrices. */
void cblas_sgbmv(CBLAS_ORDER order, CBLAS_TRANSPOSE trans, int m, int n, int kl, int ku, float alpha, const
    float *a, int lda, const float *x, int incx, float beta, float *y, int incy);
void sgbmv_(const char *trans, const int *m, const int *n, const int *kl, const int *ku, const float
    *alpha, const float *a, const int *lda, const float *x, const int *incx, const float *beta, float *y,
    const int *incy);
void cblas_dgbmv(CBLAS_ORDER order, CBLAS_TRANSPOSE trans, int m, int n, int kl, int ku, double alpha,
    const double *a, int lda, const double *x, int incx, double beta, double *y, int incy);
void dgbmv_(const char *trans, const int *m, const int *n, const int *kl, const int *ku, const double
    *alpha, const double *a, const int *lda, const double *x, const int *incx, const double *beta, double
    *y, const int *incy);
void cblas_ssbmv(CBLAS_ORDER order, CBLAS_UPLO uplo, int n, int k, float alpha, const float *a, int lda,
    const float *x, int incx, float beta, float *y, int incy);
void ssbmv_(const char *uplo, const int *n, const int *k, const float *alpha, const float *a, const int
    *lda, const float *x, const int *incx, const float *beta, float *y, const int *incy);
void cblas_dsbmv(CBLAS_ORDER order, CBLAS_UPLO uplo, int n, int k, double alpha, const double *a, int lda,
    const double *x, int incx, double beta, double *y, int incy);
void dsbmv_(const char *uplo, const int *n, const int *k, const double *alpha, const double *a, const int
    *lda, const double *x, const int *incx, const double *beta, double *y, const int *incy);
void cblas_sspmv(CBLAS_ORDER order, CBLAS_UPLO uplo, int n, float alpha, const float *a, const float *x,
    int incx, float beta, float *y, int incy);
void sspmv_(const char *uplo, const int *n, const float *alpha, const float *a, const float *x, const int
    *incx, const float *beta, float *y, const int *incy);
void cblas_dspmv(CBLAS_ORDER order, CBLAS_UPLO uplo, int n, double alpha, const double *a, const double *x,
    int incx, double beta, double *y, int incy);
void dspmv_(const char *uplo, const int *n, const double *alpha, const double *a, const double *x, const
    int *incx, const double *beta, double *y, const int *incy);
void cblas_sspr(CBLAS_ORDER order, CBLAS_UPLO uplo, int n, float alpha, const float *x, int incx, float *a);
void sspr_(const char *uplo, const int *n, const float *alpha, const float *x, const int *incx, float *a);
void cblas_dspr(CBLAS_ORDER order, CBLAS_UPLO uplo, int n, double alpha, const double *x, int incx, double
    *a);
void dspr_(const char *uplo, const int *n, const double *alpha, const double *x, const int *incx, double
    *a);
void cblas_sspr2(CBLAS_ORDER order, CBLAS_UPLO uplo, int n, float alpha, const float *x, int incx, const
    float *y, int incy, float *a);
void sspr2_(const char *uplo, const int *n, const float *alpha, const float *x, const int *incx, const
    float *y, const int *incy, float *a);
void cblas_dspr2(CBLAS_ORDER order, CBLAS_UPLO uplo, int n, double alpha, const double *x, int incx, const
    double *y, int incy, double *a);
void dspr2_(const char *uplo, const int *n, const double *alpha, const double *x, const int *incx, const
    double *y, const int *incy, double *a);
void cblas_stbmv(CBLAS_ORDER order, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int n, int k,
    const float *a, int lda, float *x, int incx);
void stbmv_(const char *uplo, const char *trans, const char *diag, const int *n, const int *k, const float
    *a, const int *lda, float *x, const int *incx);
void cblas_dtbmv(CBLAS_ORDER order, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int n, int k,
    const double *a, int lda, double *x, int incx);
void dtbmv_(const char *uplo, const char *trans, const char *diag, const int *n, const int *k, const double
    *a, const int *lda, double *x, const int *incx);
void cblas_stbsv(CBLAS_ORDER order, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int n, int k,
    const float *a, int lda, float *x, int incx);
void stbsv_(const char *uplo, const char *trans, const char *diag, const int *n, const int *k, const float
    *a, const int *lda, float *x, const int *incx);
void cblas_dtbsv(CBLAS_ORDER order, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int n, int k,
    const double *a, int lda, double *x, int incx);
void dtbsv_(const char *uplo, const char *trans, const char *diag, const int *n, const int *k, const double
    *a, const int *lda, double *x, const int *incx);
void cblas_stpmv(CBLAS_ORDER order, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int n, const
    float *a, float *x, int incx);
void stpmv_(const char *uplo, const char *trans, const char *diag, const int *n, const float *a, float *x,
    const int *incx);
void cblas_dtpmv(CBLAS_ORDER order, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int n, const
    double *a, double *x, int incx);
void dtpmv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a, double
    *x, const int *incx);
void cblas_stpsv(CBLAS_ORDER order, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int n, const
    float *a, float *x, int incx);
void stpsv_(const char *uplo, const char *trans, const char *diag, const int *n, const float *a, float *x,
    const int *incx);
void cblas_dtpsv(CBLAS_ORDER order, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int n, const
    double *a, double *x, int incx);
void dtpsv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a, double
    *x, const int *incx);
/* Matrices with matrices. */
void cblas_sgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m, int n, int k,
    float alpha, const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const float
    *alpha, const float *a, const int *lda, const float *b, const int *ldb, const float *beta, float *c,
    const int *ldc);
void cblas_dgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m, int n, int k,
    double alpha, const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double
    *alpha, const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
    const int *ldc);
void cblas_ssymm(CBLAS_ORDER order, CBLAS_SIDE side, CBLAS_UPLO uplo, int m, int n, float alpha, const float
    *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
void ssymm_(const char *side, const char *uplo, const int *m, const int *n, const float *alpha, const float
    *a, const int *lda, const float *b, const int *ldb, const float *beta, float *c, const int *ldc);
void cblas_dsymm(CBLAS_ORDER order, CBLAS_SIDE side, CBLAS_UPLO uplo, int m, int n, double alpha, const
    double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc);
void dsymm_(const char *side, const char *uplo, const int *m, const int *n, const double *alpha, const
    double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c, const int
    *ldc);
void cblas_ssyrk(CBLAS_ORDER order, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k, float alpha, const
    float *a, int lda, float beta, float *c, int ldc);
void ssyrk_(const char *uplo, const char *trans, const int *n, const int *k, const float *alpha, const float
    *a, const int *lda, const float *beta, float *c, const int *ldc);
void cblas_dsyrk(CBLAS_ORDER order, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k, double alpha,
    const double *a, int lda, double beta, double *c, int ldc);
void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha, const
    double *a, const int *lda, const double *beta, double *c, const int *ldc);
void cblas_ssyr2k(CBLAS_ORDER order, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k, float alpha,
    const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
void ssyr2k_(const char *uplo, const char *trans, const int *n, const int *k, const float *alpha, const
    float *a, const int *lda, const float *b, const int *ldb, const float *beta, float *c, const int *ldc);
void cblas_dsyr2k(CBLAS_ORDER order, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k, double alpha,
    const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc);
void dsyr2k_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha, const
    double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c, const int
    *ldc);
void cblas_strmm(CBLAS_ORDER order, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_DIAG
    diag, int m, int n, float alpha, const float *a, int lda, float *b, int ldb);
void strmm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const
    int *n, const float *alpha, const float *a, const int *lda, float *b, const int *ldb);
void cblas_dtrmm(CBLAS_ORDER order, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_DIAG
    diag, int m, int n, double alpha, const double *a, int lda, double *b, int ldb);
void dtrmm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const
    int *n, const double *alpha, const double *a, const int *lda, double *b, const int *ldb);
void cblas_strsm(CBLAS_ORDER order, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_DIAG
    diag, int m, int n, float alpha, const float *a, int lda, float *b, int ldb);
void strsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const
    int *n, const float *alpha, const float *a, const int *lda, float *b, const int *ldb);
void cblas_dtrsm(CBLAS_ORDER order, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_DIAG
    diag, int m, int n, double alpha, const double *a, int lda, double *b, int ldb);
void dtrsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const
    int *n, const double *alpha, const double *a, const int *lda, double *b, const int *ldb);

/* Complex numbers are pairs, as `float _Complex` is; a factor is passed by its address. */
void cblas_cswap(int n, void *x, int incx, void *y, int incy);
void cswap_(const int *n, void *x, const int *incx, void *y, const int *incy);
void cblas_ccopy(int n, const void *x, int incx, void *y, int incy);
void ccopy_(const int *n, const void *x, const int *incx, void *y, const int *incy);
void cblas_caxpy(int n, const void *alpha, const void *x, int incx, void *y, int incy);
void caxpy_(const int *n, const void *alpha, const void *x, const int *incx, void *y, const int *incy);
void cblas_cscal(int n, const void *alpha, void *x, int incx);
void cscal_(const int *n, const void *alpha, void *x, const int *incx);
void cblas_csscal(int n, float alpha, void *x, int incx);
void csscal_(const int *n, const float *alpha, void *x, const int *incx);
void cblas_cdotu_sub(int n, const void *x, int incx, const void *y, int incy, void *result);
void cblas_cdotc_sub(int n, const void *x, int incx, const void *y, int incy, void *result);
float cblas_scnrm2(int n, const void *x, int incx);
float scnrm2_(const int *n, const void *x, const int *incx);
float cblas_scasum(int n, const void *x, int incx);
float scasum_(const int *n, const void *x, const int *incx);
void cblas_cgemv(CBLAS_ORDER order, CBLAS_TRANSPOSE trans, int m, int n, const void *alpha, const void *a,
    int lda, const void *x, int incx, const void *beta, void *y, int incy);
void cgemv_(const char *trans, const int *m, const int *n, const void *alpha, const void *a, const int *lda,
    const void *x, const int *incx, const void *beta, void *y, const int *incy);
void cblas_cgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m, int n, int k,
    const void *alpha, const void *a, int lda, const void *b, int ldb, const void *beta, void *c, int ldc);
void cgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const void
    *alpha, const void *a, const int *lda, const void *b, const int *ldb, const void *beta, void *c, const
    int *ldc);
void cblas_zswap(int n, void *x, int incx, void *y, int incy);
void zswap_(const int *n, void *x, const int *incx, void *y, const int *incy);
void cblas_zcopy(int n, const void *x, int incx, void *y, int incy);
void zcopy_(const int *n, const void *x, const int *incx, void *y, const int *incy);
void cblas_zaxpy(int n, const void *alpha, const void *x, int incx, void *y, int incy);
void zaxpy_(const int *n, const void *alpha, const void *x, const int *incx, void *y, const int *incy);
void cblas_zscal(int n, const void *alpha, void *x, int incx);
void zscal_(const int *n, const void *alpha, void *x, const int *incx);
void cblas_zdscal(int n, double alpha, void *x, int incx);
void zdscal_(const int *n, const double *alpha, void *x, const int *incx);
void cblas_zdotu_sub(int n, const void *x, int incx, const void *y, int incy, void *result);
void cblas_zdotc_sub(int n, const void *x, int incx, const void *y, int incy, void *result);
double cblas_dznrm2(int n, const void *x, int incx);
double dznrm2_(const int *n, const void *x, const int *incx);
double cblas_dzasum(int n, const void *x, int incx);
double dzasum_(const int *n, const void *x, const int *incx);
void cblas_zgemv(CBLAS_ORDER order, CBLAS_TRANSPOSE trans, int m, int n, const void *alpha, const void *a,
    int lda, const void *x, int incx, const void *beta, void *y, int incy);
void zgemv_(const char *trans, const int *m, const int *n, const void *alpha, const void *a, const int *lda,
    const void *x, const int *incx, const void *beta, void *y, const int *incy);
void cblas_zgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m, int n, int k,
    const void *alpha, const void *a, int lda, const void *b, int ldb, const void *beta, void *c, int ldc);
void zgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const void
    *alpha, const void *a, const int *lda, const void *b, const int *ldb, const void *beta, void *c, const
    int *ldc);

/* LAPACK, as Fortran calls it; `info` also tells of NaN and of missing memory (-1010). */
void spotrf_(const char *uplo, const int *n, float *a, const int *lda, int *info);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void spotrs_(const char *uplo, const int *n, const int *nrhs, const float *a, const int *lda, float *b,
    const int *ldb, int *info);
void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda, double *b,
    const int *ldb, int *info);
void sposv_(const char *uplo, const int *n, const int *nrhs, float *a, const int *lda, float *b, const int
    *ldb, int *info);
void dposv_(const char *uplo, const int *n, const int *nrhs, double *a, const int *lda, double *b, const int
    *ldb, int *info);
void sgetrf_(const int *m, const int *n, float *a, const int *lda, int *ipiv, int *info);
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void sgetrs_(const char *trans, const int *n, const int *nrhs, const float *a, const int *lda, const int
    *ipiv, float *b, const int *ldb, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda, const int
    *ipiv, double *b, const int *ldb, int *info);
void sgesv_(const int *n, const int *nrhs, float *a, const int *lda, int *ipiv, float *b, const int *ldb,
    int *info);
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b, const int *ldb,
    int *info);
void sgetri_(const int *n, float *a, const int *lda, const int *ipiv, float *work, const int *lwork, int
    *info);
void dgetri_(const int *n, double *a, const int *lda, const int *ipiv, double *work, const int *lwork, int
    *info);
void ssytrf_(const char *uplo, const int *n, float *a, const int *lda, int *ipiv, float *work, const int
    *lwork, int *info);
void dsytrf_(const char *uplo, const int *n, double *a, const int *lda, int *ipiv, double *work, const int
    *lwork, int *info);
void ssytrs_(const char *uplo, const int *n, const int *nrhs, const float *a, const int *lda, const int
    *ipiv, float *b, const int *ldb, int *info);
void dsytrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda, const int
    *ipiv, double *b, const int *ldb, int *info);
void ssysv_(const char *uplo, const int *n, const int *nrhs, float *a, const int *lda, int *ipiv, float *b,
    const int *ldb, float *work, const int *lwork, int *info);
void dsysv_(const char *uplo, const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b,
    const int *ldb, double *work, const int *lwork, int *info);
void strtrs_(const char *uplo, const char *trans, const char *diag, const int *n, const int *nrhs, const
    float *a, const int *lda, float *b, const int *ldb, int *info);
void dtrtrs_(const char *uplo, const char *trans, const char *diag, const int *n, const int *nrhs, const
    double *a, const int *lda, double *b, const int *ldb, int *info);
void sgeqrf_(const int *m, const int *n, float *a, const int *lda, float *tau, float *work, const int
    *lwork, int *info);
void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work, const int
    *lwork, int *info);
void sorgqr_(const int *m, const int *n, const int *k, float *a, const int *lda, const float *tau, float
    *work, const int *lwork, int *info);
void dorgqr_(const int *m, const int *n, const int *k, double *a, const int *lda, const double *tau, double
    *work, const int *lwork, int *info);
void sormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, const float *a,
    const int *lda, const float *tau, float *c, const int *ldc, float *work, const int *lwork, int *info);
void dormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, const double *a,
    const int *lda, const double *tau, double *c, const int *ldc, double *work, const int *lwork, int
    *info);
void sgels_(const char *trans, const int *m, const int *n, const int *nrhs, float *a, const int *lda, float
    *b, const int *ldb, float *work, const int *lwork, int *info);
void dgels_(const char *trans, const int *m, const int *n, const int *nrhs, double *a, const int *lda,
    double *b, const int *ldb, double *work, const int *lwork, int *info);
void ssyev_(const char *jobz, const char *uplo, const int *n, float *a, const int *lda, float *w, float
    *work, const int *lwork, int *info);
void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double
    *work, const int *lwork, int *info);
void ssyevd_(const char *jobz, const char *uplo, const int *n, float *a, const int *lda, float *w, float
    *work, const int *lwork, int *iwork, const int *liwork, int *info);
void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double
    *work, const int *lwork, int *iwork, const int *liwork, int *info);
void ssygv_(const int *itype, const char *jobz, const char *uplo, const int *n, float *a, const int *lda, float
    *b, const int *ldb, float *w, float *work, const int *lwork, int *info);
void dsygv_(const int *itype, const char *jobz, const char *uplo, const int *n, double *a, const int *lda,
    double *b, const int *ldb, double *w, double *work, const int *lwork, int *info);
void sgeev_(const char *jobvl, const char *jobvr, const int *n, float *a, const int *lda, float *wr, float
    *wi, float *vl, const int *ldvl, float *vr, const int *ldvr, float *work, const int *lwork, int *info);
void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda, double *wr, double
    *wi, double *vl, const int *ldvl, double *vr, const int *ldvr, double *work, const int *lwork, int *info);
void sgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, float *a, const int *lda,
    float *s, float *u, const int *ldu, float *vt, const int *ldvt, float *work, const int *lwork, int
    *info);
void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a, const int *lda,
    double *s, double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int
    *info);
void sgesdd_(const char *jobz, const int *m, const int *n, float *a, const int *lda, float *s, float *u,
    const int *ldu, float *vt, const int *ldvt, float *work, const int *lwork, int *iwork, int *info);
void dgesdd_(const char *jobz, const int *m, const int *n, double *a, const int *lda, double *s, double *u,
    const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *iwork, int *info);

#ifdef __cplusplus
}
#endif
#endif
