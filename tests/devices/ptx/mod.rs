//! The PTX compiler: what it emits is assembled by the real `ptxas`, what it builds runs in the interpreter.

mod assemble;
mod bounded;
mod fuzz;
mod group;
mod instructions;
mod memory;
mod naive;
mod numbers;
mod passes;
mod plans;
mod refused;
mod support;
mod templates;
