% Hardware facts: the one place where a number of a machine is written. The crate reads this file when it is compiled,
% and SWI-Prolog loads it as it is. A new machine is new facts, nothing else.
%
% The words are vendor-neutral: a warp is a wave or a subgroup, an SM a compute unit, a tensor core a matrix core.
% Memory is in bytes, bandwidth in GB/s (10^9), rates in TFLOP/s of the boost clock. hw_fp16_flops_tflops is the
% dense rate with sums in fp32, on tensor cores where there are any. What a vendor does not publish is left out.
%
% hw_language says what a kernel for the target is written in: ptx, wgsl, or rust on the host.
% hw_shared_memory_reserved_per_block is what the system keeps of an SM's shared memory for each block.
% hw_registers_per_sm counts 32-bit registers; hw_register_allocation_unit is how many a warp gets at a time, and
% hw_warp_allocation_unit how many parts an SM has, each with its share of the registers (CUDA occupancy calculator).
% hw_tensor_core_shapes lists M, N and K of the instructions (wmma and mma, wgmma, tcgen05 or mfma).
:- style_check(-discontiguous).

% Tesla P4. NVIDIA Tesla P4 data sheet (5.5 TFLOPS, 192 GB/s); 20 SMs: NVIDIA Pascal GP104.
% Limits of compute capability 6.1: CUDA C++ Programming Guide, Technical Specifications per Compute Capability.
hardware_target(sm_61).
hw_language(sm_61, ptx).
hw_compute_capability(sm_61, 6.1).
hw_warp_size(sm_61, 32).
hw_threads_per_block_max(sm_61, 1024).
hw_threads_per_sm_max(sm_61, 2048).
hw_blocks_per_sm_max(sm_61, 32).
hw_grid_x_max(sm_61, 2147483647).
hw_grid_y_max(sm_61, 65535).
hw_shared_memory_per_block_max(sm_61, 49152).
hw_shared_memory_per_sm(sm_61, 98304).
hw_registers_per_sm(sm_61, 65536).
hw_registers_per_thread_max(sm_61, 255).
hw_register_allocation_unit(sm_61, 256).
hw_warp_allocation_unit(sm_61, 4).
hw_shared_memory_allocation_unit(sm_61, 256).
hw_sm_count(sm_61, 20).
hw_memory_bandwidth_gb_s(sm_61, 192).
hw_fp32_flops_tflops(sm_61, 5.5).
hw_supports_tensor_cores(sm_61, false).

% Tesla V100 SXM2. NVIDIA V100 data sheet (15.7 and 125 TFLOPS, 900 GB/s); 80 SMs: Tesla V100 Architecture white paper.
% Limits of 7.0: CUDA C++ Programming Guide, Technical Specifications per Compute Capability.
hardware_target(sm_70).
hw_language(sm_70, ptx).
hw_compute_capability(sm_70, 7.0).
hw_warp_size(sm_70, 32).
hw_threads_per_block_max(sm_70, 1024).
hw_threads_per_sm_max(sm_70, 2048).
hw_blocks_per_sm_max(sm_70, 32).
hw_grid_x_max(sm_70, 2147483647).
hw_grid_y_max(sm_70, 65535).
hw_shared_memory_per_block_max(sm_70, 49152).
hw_shared_memory_per_block_optin(sm_70, 98304).
hw_shared_memory_per_sm(sm_70, 98304).
hw_registers_per_sm(sm_70, 65536).
hw_registers_per_thread_max(sm_70, 255).
hw_register_allocation_unit(sm_70, 256).
hw_warp_allocation_unit(sm_70, 4).
hw_shared_memory_allocation_unit(sm_70, 256).
hw_sm_count(sm_70, 80).
hw_memory_bandwidth_gb_s(sm_70, 900).
hw_fp32_flops_tflops(sm_70, 15.7).
hw_fp16_flops_tflops(sm_70, 125).
hw_supports_tensor_cores(sm_70, true).
hw_tensor_core_shapes(sm_70, f16, [mma_shape(16, 16, 16)]).

% Tesla T4. NVIDIA T4 data sheet (8.1 and 65 TFLOPS); 320 GB/s and 40 SMs: Turing Architecture white paper.
% Limits of 7.5: CUDA C++ Programming Guide, Technical Specifications per Compute Capability.
hardware_target(sm_75).
hw_language(sm_75, ptx).
hw_compute_capability(sm_75, 7.5).
hw_warp_size(sm_75, 32).
hw_threads_per_block_max(sm_75, 1024).
hw_threads_per_sm_max(sm_75, 1024).
hw_blocks_per_sm_max(sm_75, 16).
hw_grid_x_max(sm_75, 2147483647).
hw_grid_y_max(sm_75, 65535).
hw_shared_memory_per_block_max(sm_75, 49152).
hw_shared_memory_per_block_optin(sm_75, 65536).
hw_shared_memory_per_sm(sm_75, 65536).
hw_registers_per_sm(sm_75, 65536).
hw_registers_per_thread_max(sm_75, 255).
hw_register_allocation_unit(sm_75, 256).
hw_warp_allocation_unit(sm_75, 4).
hw_shared_memory_allocation_unit(sm_75, 256).
hw_sm_count(sm_75, 40).
hw_memory_bandwidth_gb_s(sm_75, 320).
hw_fp32_flops_tflops(sm_75, 8.1).
hw_fp16_flops_tflops(sm_75, 65).
hw_supports_tensor_cores(sm_75, true).
hw_tensor_core_shapes(sm_75, f16, [mma_shape(16, 16, 16)]).
hw_tensor_core_shapes(sm_75, i8, [mma_shape(16, 16, 16)]).

% A100 40 GB. NVIDIA A100 data sheet (19.5 and 312 TFLOPS, 1,555 GB/s); 108 SMs: Ampere Architecture white paper.
% Limits of 8.0: CUDA C++ Programming Guide, Technical Specifications per Compute Capability.
hardware_target(sm_80).
hw_language(sm_80, ptx).
hw_compute_capability(sm_80, 8.0).
hw_warp_size(sm_80, 32).
hw_threads_per_block_max(sm_80, 1024).
hw_threads_per_sm_max(sm_80, 2048).
hw_blocks_per_sm_max(sm_80, 32).
hw_grid_x_max(sm_80, 2147483647).
hw_grid_y_max(sm_80, 65535).
hw_shared_memory_per_block_max(sm_80, 49152).
hw_shared_memory_per_block_optin(sm_80, 166912).
hw_shared_memory_per_sm(sm_80, 167936).
hw_shared_memory_reserved_per_block(sm_80, 1024).
hw_registers_per_sm(sm_80, 65536).
hw_registers_per_thread_max(sm_80, 255).
hw_register_allocation_unit(sm_80, 256).
hw_warp_allocation_unit(sm_80, 4).
hw_shared_memory_allocation_unit(sm_80, 128).
hw_sm_count(sm_80, 108).
hw_memory_bandwidth_gb_s(sm_80, 1555).
hw_fp32_flops_tflops(sm_80, 19.5).
hw_fp16_flops_tflops(sm_80, 312).
hw_supports_tensor_cores(sm_80, true).
hw_tensor_core_shapes(sm_80, f16, [mma_shape(16, 16, 16)]).
hw_tensor_core_shapes(sm_80, bf16, [mma_shape(16, 16, 16)]).
hw_tensor_core_shapes(sm_80, i8, [mma_shape(16, 16, 16)]).
hw_tensor_core_shapes(sm_80, f64, [mma_shape(8, 8, 4)]).

% A10. NVIDIA A10 data sheet (31.2 and 125 TFLOPS, 600 GB/s); 72 SMs: Ampere GA102 white paper.
% Limits of 8.6: CUDA C++ Programming Guide, Technical Specifications per Compute Capability.
hardware_target(sm_86).
hw_language(sm_86, ptx).
hw_compute_capability(sm_86, 8.6).
hw_warp_size(sm_86, 32).
hw_threads_per_block_max(sm_86, 1024).
hw_threads_per_sm_max(sm_86, 1536).
hw_blocks_per_sm_max(sm_86, 16).
hw_grid_x_max(sm_86, 2147483647).
hw_grid_y_max(sm_86, 65535).
hw_shared_memory_per_block_max(sm_86, 49152).
hw_shared_memory_per_block_optin(sm_86, 101376).
hw_shared_memory_per_sm(sm_86, 102400).
hw_shared_memory_reserved_per_block(sm_86, 1024).
hw_registers_per_sm(sm_86, 65536).
hw_registers_per_thread_max(sm_86, 255).
hw_register_allocation_unit(sm_86, 256).
hw_warp_allocation_unit(sm_86, 4).
hw_shared_memory_allocation_unit(sm_86, 128).
hw_sm_count(sm_86, 72).
hw_memory_bandwidth_gb_s(sm_86, 600).
hw_fp32_flops_tflops(sm_86, 31.2).
hw_fp16_flops_tflops(sm_86, 125).
hw_supports_tensor_cores(sm_86, true).
hw_tensor_core_shapes(sm_86, f16, [mma_shape(16, 16, 16)]).
hw_tensor_core_shapes(sm_86, bf16, [mma_shape(16, 16, 16)]).
hw_tensor_core_shapes(sm_86, i8, [mma_shape(16, 16, 16)]).

% L40S. NVIDIA L40S data sheet (91.6 and 362 TFLOPS, 864 GB/s); 142 SMs: Ada GPU Architecture white paper.
% Limits of 8.9: CUDA C++ Programming Guide, Technical Specifications per Compute Capability.
hardware_target(sm_89).
hw_language(sm_89, ptx).
hw_compute_capability(sm_89, 8.9).
hw_warp_size(sm_89, 32).
hw_threads_per_block_max(sm_89, 1024).
hw_threads_per_sm_max(sm_89, 1536).
hw_blocks_per_sm_max(sm_89, 24).
hw_grid_x_max(sm_89, 2147483647).
hw_grid_y_max(sm_89, 65535).
hw_shared_memory_per_block_max(sm_89, 49152).
hw_shared_memory_per_block_optin(sm_89, 101376).
hw_shared_memory_per_sm(sm_89, 102400).
hw_shared_memory_reserved_per_block(sm_89, 1024).
hw_registers_per_sm(sm_89, 65536).
hw_registers_per_thread_max(sm_89, 255).
hw_register_allocation_unit(sm_89, 256).
hw_warp_allocation_unit(sm_89, 4).
hw_shared_memory_allocation_unit(sm_89, 128).
hw_sm_count(sm_89, 142).
hw_memory_bandwidth_gb_s(sm_89, 864).
hw_fp32_flops_tflops(sm_89, 91.6).
hw_fp16_flops_tflops(sm_89, 362).
hw_supports_tensor_cores(sm_89, true).
hw_tensor_core_shapes(sm_89, f16, [mma_shape(16, 16, 16)]).
hw_tensor_core_shapes(sm_89, bf16, [mma_shape(16, 16, 16)]).
hw_tensor_core_shapes(sm_89, i8, [mma_shape(16, 16, 16)]).

% H200 SXM. NVIDIA H200 data sheet (4.8 TB/s; 67 and, dense, 989 TFLOPS); 132 SMs, 66.9 TFLOPS: Hopper Architecture white paper.
% Limits of 9.0: CUDA C++ Programming Guide, Technical Specifications per Compute Capability. Shapes: PTX ISA, wgmma.mma_async.
% The limits and the 132 SMs are also what the driver of an H200 reports (cuDeviceGetAttribute).
hardware_target(sm_90).
hw_language(sm_90, ptx).
hw_compute_capability(sm_90, 9.0).
hw_warp_size(sm_90, 32).
hw_threads_per_block_max(sm_90, 1024).
hw_threads_per_sm_max(sm_90, 2048).
hw_blocks_per_sm_max(sm_90, 32).
hw_grid_x_max(sm_90, 2147483647).
hw_grid_y_max(sm_90, 65535).
hw_shared_memory_per_block_max(sm_90, 49152).
hw_shared_memory_per_block_optin(sm_90, 232448).
hw_shared_memory_per_sm(sm_90, 233472).
hw_shared_memory_reserved_per_block(sm_90, 1024).
hw_registers_per_sm(sm_90, 65536).
hw_registers_per_thread_max(sm_90, 255).
hw_register_allocation_unit(sm_90, 256).
hw_warp_allocation_unit(sm_90, 4).
hw_shared_memory_allocation_unit(sm_90, 128).
hw_sm_count(sm_90, 132).
hw_memory_bandwidth_gb_s(sm_90, 4800).
hw_fp32_flops_tflops(sm_90, 66.9).
hw_fp16_flops_tflops(sm_90, 989).
hw_supports_tensor_cores(sm_90, true).
hw_tensor_core_shapes(sm_90, f16, [mma_shape(64, 64, 16), mma_shape(64, 128, 16), mma_shape(64, 256, 16)]).
hw_tensor_core_shapes(sm_90, bf16, [mma_shape(64, 64, 16), mma_shape(64, 128, 16), mma_shape(64, 256, 16)]).
hw_tensor_core_shapes(sm_90, i8, [mma_shape(64, 64, 32), mma_shape(64, 128, 32), mma_shape(64, 256, 32)]).
hw_tensor_core_shapes(sm_90, f64, [mma_shape(8, 8, 4)]).

% H100 SXM5: as the H200, with slower memory. NVIDIA H100 data sheet (3.35 TB/s).
hardware_target(sm_90_h100).
hw_language(sm_90_h100, ptx).
hw_compute_capability(sm_90_h100, 9.0).
hw_warp_size(sm_90_h100, 32).
hw_threads_per_block_max(sm_90_h100, 1024).
hw_threads_per_sm_max(sm_90_h100, 2048).
hw_blocks_per_sm_max(sm_90_h100, 32).
hw_grid_x_max(sm_90_h100, 2147483647).
hw_grid_y_max(sm_90_h100, 65535).
hw_shared_memory_per_block_max(sm_90_h100, 49152).
hw_shared_memory_per_block_optin(sm_90_h100, 232448).
hw_shared_memory_per_sm(sm_90_h100, 233472).
hw_shared_memory_reserved_per_block(sm_90_h100, 1024).
hw_registers_per_sm(sm_90_h100, 65536).
hw_registers_per_thread_max(sm_90_h100, 255).
hw_register_allocation_unit(sm_90_h100, 256).
hw_warp_allocation_unit(sm_90_h100, 4).
hw_shared_memory_allocation_unit(sm_90_h100, 128).
hw_sm_count(sm_90_h100, 132).
hw_memory_bandwidth_gb_s(sm_90_h100, 3350).
hw_fp32_flops_tflops(sm_90_h100, 66.9).
hw_fp16_flops_tflops(sm_90_h100, 989).
hw_supports_tensor_cores(sm_90_h100, true).
hw_tensor_core_shapes(sm_90_h100, f16, [mma_shape(64, 64, 16), mma_shape(64, 128, 16), mma_shape(64, 256, 16)]).
hw_tensor_core_shapes(sm_90_h100, bf16, [mma_shape(64, 64, 16), mma_shape(64, 128, 16), mma_shape(64, 256, 16)]).
hw_tensor_core_shapes(sm_90_h100, i8, [mma_shape(64, 64, 32), mma_shape(64, 128, 32), mma_shape(64, 256, 32)]).
hw_tensor_core_shapes(sm_90_h100, f64, [mma_shape(8, 8, 4)]).

% B200 SXM. NVIDIA HGX B200 data sheet (75 and, dense, 2,250 TFLOPS, 8 TB/s each); 148 SMs are what the driver reports.
% Limits of 10.0: CUDA C++ Programming Guide, Technical Specifications per Compute Capability. Shapes: PTX ISA, tcgen05.mma.
hardware_target(sm_100).
hw_language(sm_100, ptx).
hw_compute_capability(sm_100, 10.0).
hw_warp_size(sm_100, 32).
hw_threads_per_block_max(sm_100, 1024).
hw_threads_per_sm_max(sm_100, 2048).
hw_blocks_per_sm_max(sm_100, 32).
hw_grid_x_max(sm_100, 2147483647).
hw_grid_y_max(sm_100, 65535).
hw_shared_memory_per_block_max(sm_100, 49152).
hw_shared_memory_per_block_optin(sm_100, 232448).
hw_shared_memory_per_sm(sm_100, 233472).
hw_shared_memory_reserved_per_block(sm_100, 1024).
hw_registers_per_sm(sm_100, 65536).
hw_registers_per_thread_max(sm_100, 255).
hw_register_allocation_unit(sm_100, 256).
hw_warp_allocation_unit(sm_100, 4).
hw_shared_memory_allocation_unit(sm_100, 128).
hw_sm_count(sm_100, 148).
hw_memory_bandwidth_gb_s(sm_100, 8000).
hw_fp32_flops_tflops(sm_100, 75).
hw_fp16_flops_tflops(sm_100, 2250).
hw_supports_tensor_cores(sm_100, true).
hw_tensor_core_shapes(sm_100, f16, [mma_shape(128, 64, 16), mma_shape(128, 128, 16), mma_shape(128, 256, 16)]).
hw_tensor_core_shapes(sm_100, bf16, [mma_shape(128, 64, 16), mma_shape(128, 128, 16), mma_shape(128, 256, 16)]).
hw_tensor_core_shapes(sm_100, i8, [mma_shape(128, 64, 32), mma_shape(128, 128, 32), mma_shape(128, 256, 32)]).
hw_tensor_core_shapes(sm_100, f64, [mma_shape(8, 8, 4)]).

% GeForce RTX 5090. NVIDIA RTX Blackwell GPU Architecture white paper (104.8 and, dense, 209.5 TFLOPS, 1,792 GB/s, 170 SMs).
% Limits of 12.0: CUDA C++ Programming Guide, Technical Specifications per Compute Capability.
hardware_target(sm_120).
hw_language(sm_120, ptx).
hw_compute_capability(sm_120, 12.0).
hw_warp_size(sm_120, 32).
hw_threads_per_block_max(sm_120, 1024).
hw_threads_per_sm_max(sm_120, 1536).
hw_blocks_per_sm_max(sm_120, 24).
hw_grid_x_max(sm_120, 2147483647).
hw_grid_y_max(sm_120, 65535).
hw_shared_memory_per_block_max(sm_120, 49152).
hw_shared_memory_per_block_optin(sm_120, 101376).
hw_shared_memory_per_sm(sm_120, 102400).
hw_shared_memory_reserved_per_block(sm_120, 1024).
hw_registers_per_sm(sm_120, 65536).
hw_registers_per_thread_max(sm_120, 255).
hw_register_allocation_unit(sm_120, 256).
hw_warp_allocation_unit(sm_120, 4).
hw_shared_memory_allocation_unit(sm_120, 128).
hw_sm_count(sm_120, 170).
hw_memory_bandwidth_gb_s(sm_120, 1792).
hw_fp32_flops_tflops(sm_120, 104.8).
hw_fp16_flops_tflops(sm_120, 209.5).
hw_supports_tensor_cores(sm_120, true).
hw_tensor_core_shapes(sm_120, f16, [mma_shape(16, 16, 16)]).
hw_tensor_core_shapes(sm_120, bf16, [mma_shape(16, 16, 16)]).
hw_tensor_core_shapes(sm_120, i8, [mma_shape(16, 16, 16)]).

% GB10 of the DGX Spark. NVIDIA DGX Spark hardware overview (273 GB/s, 6,144 cores, which are 48 SMs of 128).
% Limits of 12.1: CUDA C++ Programming Guide, Technical Specifications per Compute Capability.
hardware_target(sm_121).
hw_language(sm_121, ptx).
hw_compute_capability(sm_121, 12.1).
hw_warp_size(sm_121, 32).
hw_threads_per_block_max(sm_121, 1024).
hw_threads_per_sm_max(sm_121, 1536).
hw_blocks_per_sm_max(sm_121, 24).
hw_grid_x_max(sm_121, 2147483647).
hw_grid_y_max(sm_121, 65535).
hw_shared_memory_per_block_max(sm_121, 49152).
hw_shared_memory_per_block_optin(sm_121, 101376).
hw_shared_memory_per_sm(sm_121, 102400).
hw_shared_memory_reserved_per_block(sm_121, 1024).
hw_registers_per_sm(sm_121, 65536).
hw_registers_per_thread_max(sm_121, 255).
hw_register_allocation_unit(sm_121, 256).
hw_warp_allocation_unit(sm_121, 4).
hw_shared_memory_allocation_unit(sm_121, 128).
hw_sm_count(sm_121, 48).
hw_memory_bandwidth_gb_s(sm_121, 273).
hw_supports_tensor_cores(sm_121, true).
hw_tensor_core_shapes(sm_121, f16, [mma_shape(16, 16, 16)]).
hw_tensor_core_shapes(sm_121, bf16, [mma_shape(16, 16, 16)]).
hw_tensor_core_shapes(sm_121, i8, [mma_shape(16, 16, 16)]).

% AMD Instinct MI250X, both dies. AMD Instinct MI250X data sheet (47.9 and 383 TFLOPS, 3,276.8 GB/s, 220 compute units).
% AMD Instinct MI200 Instruction Set Architecture: waves of 64, 64 KB of LDS in steps of 512, 512 vector registers of 64 lanes in each of
% four SIMDs, allocated by eight, at most eight waves a SIMD; the mfma shapes of f16, bf16, i8 and f64.
hardware_target(cdna2).
hw_language(cdna2, wgsl).
hw_warp_size(cdna2, 64).
hw_threads_per_block_max(cdna2, 1024).
hw_threads_per_sm_max(cdna2, 2048).
hw_blocks_per_sm_max(cdna2, 32).
hw_grid_x_max(cdna2, 65535).
hw_grid_y_max(cdna2, 65535).
hw_shared_memory_per_block_max(cdna2, 65536).
hw_shared_memory_per_sm(cdna2, 65536).
hw_registers_per_sm(cdna2, 131072).
hw_registers_per_thread_max(cdna2, 512).
hw_register_allocation_unit(cdna2, 512).
hw_warp_allocation_unit(cdna2, 4).
hw_shared_memory_allocation_unit(cdna2, 512).
hw_sm_count(cdna2, 220).
hw_memory_bandwidth_gb_s(cdna2, 3276.8).
hw_fp32_flops_tflops(cdna2, 47.9).
hw_fp16_flops_tflops(cdna2, 383).
hw_supports_tensor_cores(cdna2, true).
hw_tensor_core_shapes(cdna2, f16, [mma_shape(16, 16, 16), mma_shape(32, 32, 8)]).
hw_tensor_core_shapes(cdna2, bf16, [mma_shape(16, 16, 16), mma_shape(32, 32, 8)]).
hw_tensor_core_shapes(cdna2, i8, [mma_shape(16, 16, 16), mma_shape(32, 32, 8)]).
hw_tensor_core_shapes(cdna2, f64, [mma_shape(16, 16, 4)]).

% Any WebGPU device: the default limits that every adapter has. W3C WebGPU, section Limits. The size of a subgroup is not
% guaranteed; 32 is what blocks are made multiples of.
hardware_target(webgpu).
hw_language(webgpu, wgsl).
hw_warp_size(webgpu, 32).
hw_threads_per_block_max(webgpu, 256).
hw_grid_x_max(webgpu, 65535).
hw_grid_y_max(webgpu, 65535).
hw_shared_memory_per_block_max(webgpu, 16384).
hw_supports_tensor_cores(webgpu, false).

% x86-64 baseline: System V psABI for AMD64, SSE2. Caches of Intel Nehalem: Intel 64 and IA-32 Optimization Reference Manual.
hardware_target(x86_64_v1).
hw_language(x86_64_v1, rust).
hw_isa(x86_64_v1, sse2).
hw_vector_bits(x86_64_v1, 128).
hw_vector_registers(x86_64_v1, 16).
hw_supports_fma(x86_64_v1, false).
hw_l1_data_cache(x86_64_v1, 32768).
hw_l2_cache(x86_64_v1, 262144).
hw_cache_line(x86_64_v1, 64).

% x86-64-v3: System V psABI for AMD64, AVX2 and FMA. Caches and pipes: Software Optimization Guide for the AMD Zen4
% Microarchitecture.
hardware_target(x86_64_v3).
hw_language(x86_64_v3, rust).
hw_isa(x86_64_v3, avx2).
hw_vector_bits(x86_64_v3, 256).
hw_vector_registers(x86_64_v3, 16).
hw_supports_fma(x86_64_v3, true).
hw_fma_pipes(x86_64_v3, 2).
hw_fma_latency(x86_64_v3, 4).
hw_l1_data_cache(x86_64_v3, 32768).
hw_l2_cache(x86_64_v3, 1048576).
hw_cache_line(x86_64_v3, 64).

% x86-64-v4: System V psABI for AMD64, AVX-512. Caches and pipes of Sapphire Rapids (Golden Cove): Intel 64 and IA-32
% Optimization Reference Manual.
hardware_target(x86_64_v4).
hw_language(x86_64_v4, rust).
hw_isa(x86_64_v4, avx512).
hw_vector_bits(x86_64_v4, 512).
hw_vector_registers(x86_64_v4, 32).
hw_supports_fma(x86_64_v4, true).
hw_fma_pipes(x86_64_v4, 2).
hw_fma_latency(x86_64_v4, 4).
hw_l1_data_cache(x86_64_v4, 49152).
hw_l2_cache(x86_64_v4, 2097152).
hw_cache_line(x86_64_v4, 64).

% Arm Neoverse N1 Technical Reference Manual (64 KB, 1 MB) and Software Optimization Guide (two pipes, four cycles).
hardware_target(neoverse_n1).
hw_language(neoverse_n1, rust).
hw_isa(neoverse_n1, neon).
hw_vector_bits(neoverse_n1, 128).
hw_vector_registers(neoverse_n1, 32).
hw_supports_fma(neoverse_n1, true).
hw_fma_pipes(neoverse_n1, 2).
hw_fma_latency(neoverse_n1, 4).
hw_l1_data_cache(neoverse_n1, 65536).
hw_l2_cache(neoverse_n1, 1048576).
hw_cache_line(neoverse_n1, 64).

% Arm Neoverse V1 Technical Reference Manual (64 KB, 1 MB) and Software Optimization Guide (four pipes of 128 bits, four cycles).
hardware_target(neoverse_v1).
hw_language(neoverse_v1, rust).
hw_isa(neoverse_v1, neon).
hw_vector_bits(neoverse_v1, 128).
hw_vector_registers(neoverse_v1, 32).
hw_supports_fma(neoverse_v1, true).
hw_fma_pipes(neoverse_v1, 4).
hw_fma_latency(neoverse_v1, 4).
hw_l1_data_cache(neoverse_v1, 65536).
hw_l2_cache(neoverse_v1, 1048576).
hw_cache_line(neoverse_v1, 64).

% Arm Cortex-A72 Technical Reference Manual (32 KB) and Software Optimization Guide (two pipes, seven cycles); 1 MB shared by
% four cores as in the Broadcom BCM2711.
hardware_target(cortex_a72).
hw_language(cortex_a72, rust).
hw_isa(cortex_a72, neon).
hw_vector_bits(cortex_a72, 128).
hw_vector_registers(cortex_a72, 32).
hw_supports_fma(cortex_a72, true).
hw_fma_pipes(cortex_a72, 2).
hw_fma_latency(cortex_a72, 7).
hw_l1_data_cache(cortex_a72, 32768).
hw_l2_cache(cortex_a72, 1048576).
hw_cache_line(cortex_a72, 64).

% Arm Cortex-M4 Technical Reference Manual: 32 single-precision registers, VFMA in three cycles, no caches.
hardware_target(cortex_m4f).
hw_language(cortex_m4f, rust).
hw_isa(cortex_m4f, portable).
hw_vector_bits(cortex_m4f, 32).
hw_vector_registers(cortex_m4f, 32).
hw_supports_fma(cortex_m4f, true).
hw_fma_pipes(cortex_m4f, 1).
hw_fma_latency(cortex_m4f, 3).

% WebAssembly Core Specification, vector instructions: 128 bits, no fused multiply-add. It names no registers; engines on x86-64
% have 16.
hardware_target(wasm_simd128).
hw_language(wasm_simd128, rust).
hw_isa(wasm_simd128, simd128).
hw_vector_bits(wasm_simd128, 128).
hw_vector_registers(wasm_simd128, 16).
hw_supports_fma(wasm_simd128, false).
