//! Tensor maps of TMA (`cuTensorMapEncodeTiled`): the driver encodes each once, and it stays in device memory.

use super::super::interpret::TensorMap;
use super::super::types::Type;
use super::{Buffer, Code, sys};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ffi::c_void;

/// Bytes of a map, and of the memory that is taken for many at a time.
const BYTES: u64 = size_of::<sys::CUtensorMap>() as u64;
const SLAB: u64 = 1 << 16;

/// What a map is of: where it begins, its type, rows and columns, distance of rows, the box, whether it is swizzled, its outer
/// dimensions.
type Key = (u64, Type, [u32; 2], u64, [u32; 2], bool, Option<[(u32, u64); 2]>);

/// Maps by what they are of. None is ever changed, as kernels may be under way that read it.
#[derive(Debug, Default)]
pub(super) struct Maps {
    known: BTreeMap<Key, u64>,
    slabs: Vec<Buffer>,
    used: u64,
}

impl Maps {
    /// Where the map is, whose matrix begins `base` bytes further. A new one is kept if `encode` likes what the driver
    /// says, in memory of `allocate`, written by `write`.
    pub(super) fn at<E>(
        &mut self,
        map: &TensorMap,
        base: u64,
        encode: impl FnOnce(Code) -> Result<(), E>,
        allocate: impl FnOnce(u64) -> Result<Buffer, E>,
        write: impl FnOnce(&Buffer, u64, &[u8]) -> Result<(), E>,
    ) -> Result<u64, E> {
        let key = (base + map.at, map.element, map.size, map.stride, map.part, map.swizzle, map.outer);
        if let Some(at) = self.known.get(&key) {
            return Ok(*at);
        }
        let mut made = Aligned(sys::CUtensorMap { opaque: [0; 16] });
        encode(made.encode(map, base + map.at))?;
        if self.slabs.is_empty() || self.used + BYTES > SLAB {
            self.slabs.push(allocate(SLAB)?);
            self.used = 0;
        }
        let Some(slab) = self.slabs.last() else { return Ok(0) };
        write(slab, self.used, made.0.opaque.map(u64::to_ne_bytes).as_flattened())?;
        let at = slab.at + self.used;
        self.used += BYTES;
        self.known.insert(key, at);
        Ok(at)
    }
}

/// Aligned as the driver asks.
#[repr(C, align(128))]
struct Aligned(sys::CUtensorMap);

impl Aligned {
    fn encode(&mut self, map: &TensorMap, at: u64) -> Code {
        use sys::CUtensorMapDataType_enum as Element;
        use sys::CUtensorMapSwizzle_enum as Swizzle;
        let element = match map.element {
            Type::F16 => Element::CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
            Type::Bf16 => Element::CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
            Type::F32 => Element::CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
            _ => Element::CU_TENSOR_MAP_DATA_TYPE_UINT8,
        };
        let swizzle = match map.swizzle {
            true => Swizzle::CU_TENSOR_MAP_SWIZZLE_128B,
            false => Swizzle::CU_TENSOR_MAP_SWIZZLE_NONE,
        };
        let [rows, cols] = map.size.map(u64::from);
        let [down, across] = map.part;
        let rank = if map.outer.is_some() { 4 } else { 2 };
        let [(many, apart), (most, far)] = map.outer.unwrap_or([(1, 16); 2]);
        // SAFETY: the map is valid for a write; every list has as many entries as a rank of 4 asks for, and the
        // driver reads no memory of the device.
        unsafe {
            sys::cuTensorMapEncodeTiled(
                &raw mut self.0,
                element,
                rank,
                core::ptr::without_provenance_mut::<c_void>(at as usize),
                [cols, rows, u64::from(many), u64::from(most)].as_ptr(),
                [map.stride, apart, far].as_ptr(),
                [across, down, 1, 1].as_ptr(),
                [1; 4].as_ptr(),
                sys::CUtensorMapInterleave_enum::CU_TENSOR_MAP_INTERLEAVE_NONE,
                swizzle,
                sys::CUtensorMapL2promotion_enum::CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                sys::CUtensorMapFloatOOBfill_enum::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
            )
        }
    }
}
