! Matrix Market files by the usual ways to write numbers in Fortran; `market.py` compiles and runs this.
program market
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer :: rows(5) = [1, 2, 3, 2, 3], columns(5) = [1, 2, 3, 1, 1]
  real(dp) :: x(5) = [4.0_dp, 0.1_dp, 1.0e-100_dp, -2.5e10_dp, 1.0e200_dp], whole(3, 3) = 0
  integer :: k

  do k = 1, 5
    whole(rows(k), columns(k)) = x(k)
  end do

  open (10, file='fortran-edit-d.mtx')
  write (10, '(a)') '%%MatrixMarket matrix coordinate real general'
  write (10, '(3i10)') 3, 3, 5
  do k = 1, 5
    write (10, '(2i10, d26.17)') rows(k), columns(k), x(k)
  end do
  close (10)

  open (10, file='fortran-edit-e.mtx')
  write (10, '(a)') '%%MatrixMarket matrix coordinate real general'
  write (10, '(3i10)') 3, 3, 5
  do k = 1, 5
    write (10, '(2i10, e26.17)') rows(k), columns(k), x(k)
  end do
  close (10)

  open (10, file='fortran-list-directed.mtx')
  write (10, '(a)') '%%MatrixMarket matrix coordinate real general'
  write (10, *) 3, 3, 5
  do k = 1, 5
    write (10, *) rows(k), columns(k), x(k)
  end do
  close (10)

  open (10, file='fortran-array-d.mtx')
  write (10, '(a)') '%%MatrixMarket matrix array real general'
  write (10, '(2i10)') 3, 3
  write (10, '(d26.17)') whole
  close (10)

  open (10, file='fortran-complex.mtx')
  write (10, '(a)') '%%MatrixMarket matrix coordinate complex general'
  write (10, '(3i10)') 3, 3, 5
  do k = 1, 5
    write (10, '(2i10, 2d26.17)') rows(k), columns(k), x(k), 2*x(k)
  end do
  close (10)
end program
