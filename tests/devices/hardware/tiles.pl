% The rules of the tiles, written from their description and not from the Rust code. Reads the facts of the crate and
% prints one line per target, form and type: what the tests compare with the crate's own answers.

sum_bytes(f64, 8) :- !.
sum_bytes(_, 4).
bytes(i8, 1).
bytes(f16, 2).
bytes(bf16, 2).
bytes(f32, 4).
bytes(f64, 8).

gpu(T) :- hw_language(T, ptx).
gpu(T) :- hw_language(T, wgsl).

shared_most(T, S) :- hw_shared_memory_per_block_optin(T, S), !.
shared_most(T, S) :- hw_shared_memory_per_block_max(T, S).

reserved(T, R) :- hw_shared_memory_reserved_per_block(T, R), !.
reserved(_, 0).

% What bounds the blocks of an SM, as far as the facts tell.
bound(T, Threads, _, _, B) :- hw_threads_per_sm_max(T, All), B is All // Threads.
bound(T, _, _, _, B) :- hw_blocks_per_sm_max(T, B).
bound(T, _, _, Shared, B) :-
    hw_shared_memory_per_sm(T, All), reserved(T, R), hw_shared_memory_allocation_unit(T, U),
    Block is (Shared + U - 1) // U * U + R, Block > 0, B is All // Block.
bound(T, Threads, Registers, _, B) :-
    hw_registers_per_sm(T, All), hw_warp_size(T, W), hw_register_allocation_unit(T, U),
    hw_warp_allocation_unit(T, Parts),
    Warp is (Registers * W + U - 1) // U * U,
    B is All // Parts // Warp * Parts // (Threads // W).

blocks(T, Threads, Registers, Shared, Blocks) :-
    hw_warp_size(T, W), 0 is Threads mod W,
    hw_threads_per_block_max(T, Most), Threads =< Most,
    shared_most(T, S), Shared =< S,
    \+ (hw_registers_per_thread_max(T, R), Registers > R),
    findall(B, bound(T, Threads, Registers, Shared, B), Bs),
    ( Bs == [] -> Blocks = 1 ; min_list(Bs, Blocks) ),
    Blocks >= 1.

% Operations per byte in thousandths at which arithmetic and memory take the same time.
rate(T, Type, R) :- hw_tensor_core_shapes(T, Type, _), Type \== f64, hw_fp16_flops_tflops(T, R), !.
rate(T, _, R) :- hw_fp32_flops_tflops(T, R).
balance(T, Type, B) :-
    rate(T, Type, R), hw_memory_bandwidth_gb_s(T, G), !,
    B is (round(R * 1000) * 1000000) // round(G * 1000).

capped(T, Type, I, C) :- balance(T, Type, B), !, C is min(I, 2 * B).
capped(_, _, I, I).

whole_shapes(T, Type, M, N, K) :-
    ( hw_tensor_core_shapes(T, Type, Shapes)
    -> once((member(mma_shape(A, B, C), Shapes), 0 is M mod A, 0 is N mod B, 0 is K mod C))
    ; true ).

candidate(T, Type, merit(W8, I, P, Stages, Row, W16, Free), tile(M, N, K, Tm, Tn, Stages, Shared, Blocks)) :-
    bytes(Type, Z), sum_bytes(Type, S), hw_warp_size(T, Warp),
    member(M, [32, 64, 128, 256]), member(N, [32, 64, 128, 256]), member(K, [8, 16, 32, 64]),
    member([Tm, Tn], [[4, 4], [4, 8], [8, 4], [8, 8]]), member(Stages, [1, 2]),
    whole_shapes(T, Type, M, N, K),
    Threads is (M // Tm) * (N // Tn),
    Shared is Stages * (M + N) * K * Z,
    Registers is Tm * Tn * (S // 4) + (Tm + Tn) * 2 * ((Z + 3) // 4) + 32,
    blocks(T, Threads, Registers, Shared, Blocks),
    Warps is Blocks * (Threads // Warp),
    W8 is min(Warps, 8), W16 is min(Warps, 16),
    Stream is 2000 * M * N // ((M + N) * Z), capped(T, Type, Stream, I),
    P is 1000 * Tm * Tn // (Tm + Tn),
    Row is min(K * Z, 64),
    Free is -Shared.

% The first of the best.
best([X | Xs], Best) :- foldl([Y, A, B]>>(Y = MY-_, A = MA-_, (MY @> MA -> B = Y ; B = A)), Xs, X, Best).

optimal(T, gemm, Type, Tile) :-
    gpu(T), !,
    findall(Merit-C, candidate(T, Type, Merit, C), All),
    ( All == [] -> Tile = none ; best(All, _-Tile) ).
optimal(T, Form, Type, Tile) :-
    gpu(T), !,
    bytes(Type, Z), sum_bytes(Type, S), hw_warp_size(T, Warp), Each is 16 // Z,
    nth0(I, [pointwise, reduce, row_reduce], Form), Sums is I * S,
    findall(m(Warps)-tile(1, N, 1, 1, Each, 1, Shared, Blocks),
        ( member(Threads, [256, 128, 512, 64, 1024, 32]),
          N is Threads * Each, Shared is Threads // Warp * Sums,
          blocks(T, Threads, 32, Shared, Blocks),
          Warps is Blocks * (Threads // Warp) ),
        All),
    ( All == [] -> Tile = none ; best(All, _-Tile) ).
optimal(T, gemm, Type, tile(Rows, N, K, Rows, N, 1, 0, 0)) :-
    hw_language(T, rust), !,
    sum_bytes(Type, S), hw_vector_bits(T, Bits), Lanes is max(1, Bits // 8 // S),
    hw_vector_registers(T, Registers),
    findall(m(Sums, R)-V,
        ( member(V, [2, 3, 4]),
          ( hw_supports_fma(T, true) -> Taken is V + 1 ; Taken is 2 * V + 1 ),
          R is min(8, (Registers - Taken) // V // 2 * 2), Sums is R * V ),
        All),
    best(All, m(_, Rows)-Vectors),
    N is Vectors * Lanes,
    ( hw_isa(T, avx512) -> K = 512 ; K = 256 ).
optimal(T, _, Type, tile(1, Lanes, 1, 1, Lanes, 1, 0, 0)) :-
    sum_bytes(Type, S), hw_vector_bits(T, Bits), Lanes is max(1, Bits // 8 // S).

reference(T, Mode, tile(M, M, K)) :-
    gpu(T),
    ( Mode = default, hw_shared_memory_per_block_max(T, S), M = 32
    ; Mode = optin, hw_shared_memory_per_block_optin(T, S), M = 64 ),
    hw_warp_size(T, W),
    Most is min(S // (2 * M * 4), 4096 // M), K is Most - Most mod W, K > 0.

report :-
    forall(( hardware_target(T), member(F, [pointwise, reduce, row_reduce, gemm]),
             member(Y, [f16, bf16, f32, f64, i8]) ),
        ( optimal(T, F, Y, Tile)
        -> ( Tile =.. [tile | Ns] -> true ; Ns = [none] ), atomic_list_concat([T, F, Y | Ns], ' ', Line), writeln(Line)
        ; writeln(failed(T, F, Y)) )),
    forall(( hardware_target(T), reference(T, Mode, tile(M, N, K)) ),
        ( atomic_list_concat([T, reference, Mode, M, N, K], ' ', Line), writeln(Line) )).
