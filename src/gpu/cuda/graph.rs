//! Replays a list of launches as CUDA graphs, one for each part of the list, so that the first part runs while the host
//! prepares the next. The next list with as many launches updates the parameters of the same graphs.

use super::{Code, Function, sys};
use alloc::vec::Vec;
use core::ffi::c_void;
use core::ptr;

/// Graphs that are kept.
const GRAPHS: usize = 64;

/// Launches of the graph of a list's first part, and at most.
const FIRST: usize = 8;
const PART: usize = 48;

/// A launch as the driver takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    function: Function,
    grid: [u32; 3],
    block: [u32; 3],
    /// Where its arguments end in those of all.
    end: usize,
}

/// Launches in their order, and their arguments one after the other.
#[derive(Debug, Default)]
pub(super) struct Steps {
    each: Vec<Step>,
    arguments: Vec<u64>,
    /// Where each argument is, while the driver is called.
    pointers: Vec<*mut c_void>,
}

impl Steps {
    pub(super) const fn is_empty(&self) -> bool {
        self.each.is_empty()
    }

    /// Whether they are as many as the graph of this part of a list has: few at first, which run while the host makes more.
    pub(super) const fn is_part(&self, part: usize) -> bool {
        self.each.len() >= if part < 3 { FIRST << part } else { PART }
    }

    /// What there is, to come back to.
    pub(super) const fn mark(&self) -> [usize; 2] {
        [self.each.len(), self.arguments.len()]
    }

    /// Forgets what came after a mark.
    pub(super) fn back(&mut self, [steps, arguments]: [usize; 2]) {
        self.each.truncate(steps);
        self.arguments.truncate(arguments);
    }

    /// Takes the last step back, whose arguments become those of the step that is pushed next; gives it and their number.
    pub(super) fn reopen(&mut self) -> Option<(Step, usize)> {
        let step = self.each.pop()?;
        Some((step, step.end - self.each.last().map_or(0, |s| s.end)))
    }

    /// Puts it back, without the arguments that came behind.
    pub(super) fn close(&mut self, step: Step) {
        self.arguments.truncate(step.end);
        self.each.push(step);
    }

    /// The next argument of the step that is pushed next.
    pub(super) fn argument(&mut self, bits: u64) {
        self.arguments.push(bits);
    }

    /// The step of the arguments since the last.
    pub(super) fn push(&mut self, function: Function, grid: [u32; 3], block: [u32; 3]) {
        // A grid without blocks is no launch for the driver.
        if grid.contains(&0) {
            let end = self.each.last().map_or(0, |s| s.end);
            return self.arguments.truncate(end);
        }
        self.each.push(Step { function, grid, block, end: self.arguments.len() });
    }

    fn arguments(&self, at: usize) -> &[u64] {
        let start = at.checked_sub(1).and_then(|b| self.each.get(b)).map_or(0, |s| s.end);
        self.each.get(at).and_then(|s| self.arguments.get(start..s.end)).unwrap_or_default()
    }

    /// Where each argument is: a parameter of four bytes reads the lower half, which comes first.
    fn pointers(&mut self) -> Vec<*mut c_void> {
        let mut pointers = core::mem::take(&mut self.pointers);
        pointers.clear();
        pointers.extend(self.arguments.iter_mut().map(|a| (&raw mut *a).cast::<c_void>()));
        pointers
    }

    /// Starts each by a call of its own, and forgets them.
    ///
    /// # Safety
    /// The context of the functions and the stream is current, each step has the arguments of its function, and with
    /// `early` the functions wait for what was before.
    pub(super) unsafe fn start(&mut self, stream: sys::CUstream, early: bool) -> Code {
        let mut attribute = sys::CUlaunchAttribute {
            id: sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
            pad: [0; 4],
            value: sys::CUlaunchAttributeValue { programmaticStreamSerializationAllowed: 1 },
        };
        let mut pointers = self.pointers();
        let (mut first, mut code) = (0, Code::CUDA_SUCCESS);
        for s in self.each.drain(..) {
            let ([x, y, z], [i, j, k], f) = (s.grid, s.block, s.function);
            let arguments = pointers.get_mut(first..s.end).unwrap_or_default().as_mut_ptr();
            first = s.end;
            let config = sys::CUlaunchConfig {
                gridDimX: x,
                gridDimY: y,
                gridDimZ: z,
                blockDimX: i,
                blockDimY: j,
                blockDimZ: k,
                sharedMemBytes: f.shared,
                hStream: stream,
                attrs: &raw mut attribute,
                numAttrs: u32::from(early),
            };
            // SAFETY: the caller's; the driver copies the arguments before it returns.
            code = unsafe { sys::cuLaunchKernelEx(&raw const config, f.inner, arguments, ptr::null_mut()) };
            if code != Code::CUDA_SUCCESS {
                break;
            }
        }
        self.arguments.clear();
        self.pointers = pointers;
        code
    }
}

/// A graph of kernels one after the other, ready to start.
#[derive(Debug)]
struct Chain {
    /// Which part of a list it is.
    part: usize,
    graph: sys::CUgraph,
    exec: sys::CUgraphExec,
    nodes: Vec<sys::CUgraphNode>,
    steps: Steps,
}

impl Drop for Chain {
    fn drop(&mut self) {
        // SAFETY: made by `new`, in a context that is still there. The driver waits for what runs.
        unsafe {
            let _ = sys::cuGraphExecDestroy(self.exec);
            let _ = sys::cuGraphDestroy(self.graph);
        }
    }
}

fn node(s: &Step, arguments: *mut *mut c_void) -> sys::CUDA_KERNEL_NODE_PARAMS_v3 {
    let ([x, y, z], [i, j, k]) = (s.grid, s.block);
    sys::CUDA_KERNEL_NODE_PARAMS_v3 {
        func: s.function.inner,
        gridDimX: x,
        gridDimY: y,
        gridDimZ: z,
        blockDimX: i,
        blockDimY: j,
        blockDimZ: k,
        sharedMemBytes: s.function.shared,
        kernelParams: arguments,
        extra: ptr::null_mut(),
        kern: ptr::null_mut(),
        ctx: ptr::null_mut(),
    }
}

impl Chain {
    /// # Safety
    /// As [`Steps::start`].
    unsafe fn new(mut steps: Steps, part: usize, early: bool) -> Result<Self, Steps> {
        let mut pointers = steps.pointers();
        let mut chain = Self {
            part,
            graph: ptr::null_mut(),
            exec: ptr::null_mut(),
            nodes: Vec::new(),
            steps: Steps::default(),
        };
        // SAFETY: valid for a write.
        let mut code = unsafe { sys::cuGraphCreate(&raw mut chain.graph, 0) };
        let mut first = 0;
        for s in &steps.each {
            if code != Code::CUDA_SUCCESS {
                break;
            }
            let arguments = pointers.get_mut(first..s.end).unwrap_or_default().as_mut_ptr();
            first = s.end;
            let before = chain.nodes.last().copied();
            let (many, mut made) = (usize::from(before.is_some()), ptr::null_mut());
            let before = before.as_ref().map_or(ptr::null(), ptr::from_ref);
            let by = early.into();
            let edge = sys::CUgraphEdgeData { from_port: by, to_port: 0, type_: by, reserved: [0; 5] };
            let edge = if many == 0 { ptr::null() } else { &raw const edge };
            // SAFETY: numbers and pointers only.
            let mut params: sys::CUgraphNodeParams = unsafe { core::mem::zeroed() };
            params.type_ = sys::CUgraphNodeType::CU_GRAPH_NODE_TYPE_KERNEL;
            params.__bindgen_anon_1.kernel = node(s, arguments);
            // SAFETY: the caller's; the driver copies the arguments before it returns; as many nodes and edges as it says.
            code = unsafe {
                sys::cuGraphAddNode_v2(&raw mut made, chain.graph, before, edge, many, &raw mut params)
            };
            chain.nodes.push(made);
        }
        if code == Code::CUDA_SUCCESS {
            // SAFETY: the graph was made; valid for a write.
            code = unsafe { sys::cuGraphInstantiateWithFlags(&raw mut chain.exec, chain.graph, 0) };
        }
        if code != Code::CUDA_SUCCESS {
            return Err(steps);
        }
        chain.steps = steps;
        Ok(chain)
    }

    /// Changes what differs. What runs of it has what it started with.
    ///
    /// # Safety
    /// As [`Steps::start`]; there are as many steps as nodes.
    unsafe fn change(&mut self, mut steps: Steps) -> Result<(), Steps> {
        let mut pointers = steps.pointers();
        let mut first = 0;
        for (at, (s, of)) in steps.each.iter().zip(&self.nodes).enumerate() {
            let arguments = pointers.get_mut(first..s.end).unwrap_or_default().as_mut_ptr();
            first = s.end;
            let same = |o: &Step| (o.function, o.grid, o.block) == (s.function, s.grid, s.block);
            if self.steps.each.get(at).is_some_and(same) && self.steps.arguments(at) == steps.arguments(at) {
                continue;
            }
            let params = node(s, arguments);
            // SAFETY: the caller's; the node is of the graph that was made ready. The two types have the same fields.
            let code =
                unsafe { sys::cuGraphExecKernelNodeSetParams_v2(self.exec, *of, (&raw const params).cast()) };
            if code != Code::CUDA_SUCCESS {
                return Err(steps);
            }
        }
        self.steps = steps;
        Ok(())
    }
}

/// The graphs of a context, the last used one last.
#[derive(Debug, Default)]
pub(super) struct Graphs {
    chains: Vec<Chain>,
    /// The parts of lists that came once: which, and their lengths.
    once: Vec<[usize; 2]>,
}

impl Graphs {
    /// Before the context goes.
    pub(super) fn clear(&mut self) {
        self.chains.clear();
    }

    /// How many there are.
    pub(super) const fn len(&self) -> usize {
        self.chains.len()
    }

    /// Starts the steps, which are this part of a list, and forgets them: the second of a length, and those after it, as a
    /// graph.
    ///
    /// # Safety
    /// As [`Steps::start`].
    pub(super) unsafe fn start(
        &mut self,
        steps: &mut Steps,
        part: usize,
        stream: sys::CUstream,
        early: bool,
    ) -> Code {
        let n = steps.each.len();
        let known = self.chains.iter().position(|c| [c.part, c.nodes.len()] == [part, n]);
        if known.is_none() && (n < 2 || !self.once.contains(&[part, n])) {
            self.once.retain(|o| *o != [part, n]);
            self.once.push([part, n]);
            if self.once.len() > GRAPHS {
                self.once.remove(0);
            }
            // SAFETY: the caller's.
            return unsafe { steps.start(stream, early) };
        }
        let steps = core::mem::take(steps);
        let ready = match known.map(|at| self.chains.remove(at)) {
            // SAFETY: the caller's; a chain of this length.
            Some(mut chain) => unsafe { chain.change(steps) }.map(|()| chain),
            // SAFETY: the caller's.
            None => unsafe { Chain::new(steps, part, early) },
        };
        match ready {
            Ok(chain) => {
                // SAFETY: the caller's; the graph was made ready in this context.
                let code = unsafe { sys::cuGraphLaunch(chain.exec, stream) };
                self.chains.push(chain);
                if self.chains.len() > GRAPHS {
                    self.chains.remove(0);
                }
                code
            }
            // What the driver makes no graph of still runs.
            // SAFETY: the caller's.
            Err(mut steps) => unsafe { steps.start(stream, early) },
        }
    }
}
