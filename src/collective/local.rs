//! Groups of threads of one process.

use super::{Collective, Error, Item, Kind, Reduce, of_backend, share};
use crate::backend::{Blocking, Memory, Transfer};
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::any::Any;
use core::time::Duration;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// What a rank gives to the others.
type Parcel = Arc<dyn Any + Send + Sync>;
/// What all ranks gave, or why the operation is not done on any.
type Round = Arc<Result<Vec<Parcel>, Error>>;

/// What a rank calls: equal on every rank.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    pub(super) op: &'static str,
    pub(super) reduce: Option<Reduce>,
    pub(super) root: usize,
    pub(super) kind: Option<Kind>,
    pub(super) len: usize,
}

impl Call {
    pub(super) const fn new(op: &'static str) -> Self {
        Self { op, reduce: None, root: 0, kind: None, len: 0 }
    }

    /// This rank's argument is wrong.
    pub(super) const fn refused(&self, error: crate::Error) -> Error {
        Error::Argument { op: self.op, error }
    }

    /// What another call differs by.
    fn differs(&self, other: &Self) -> Option<&'static str> {
        [
            (self.op != other.op, "operation"),
            (self.kind != other.kind, "element type"),
            (self.len != other.len, "length"),
            (self.reduce != other.reduce, "reduction"),
            (self.root != other.root, "root"),
        ]
        .into_iter()
        .find_map(|(differs, what)| differs.then_some(what))
    }
}

/// A rank's call, with what it gives or why it does not.
struct Post {
    call: Call,
    given: Result<Parcel, String>,
}

struct State {
    /// Of the operation that ranks are coming to; a rank takes its own back when it has the round.
    posts: Vec<Option<Post>>,
    round: Option<Round>,
    gone: Vec<bool>,
    /// After which the group does nothing more.
    broken: Option<Error>,
    /// Sent and not received, by sender and receiver.
    sent: BTreeMap<(usize, usize), VecDeque<Box<dyn Any + Send>>>,
}

struct Shared {
    deadline: Duration,
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn new(ranks: usize, deadline: Duration) -> Self {
        let state = State {
            posts: (0..ranks).map(|_| None).collect(),
            round: None,
            gone: vec![false; ranks],
            broken: None,
            sent: BTreeMap::new(),
        };
        Self { deadline, state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `ready`. A rank of `needed` that has left, or the deadline, breaks the group.
    fn until<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        op: &'static str,
        ready: impl Fn(&State) -> bool,
        needed: impl Fn(&State) -> Vec<usize>,
    ) -> Result<MutexGuard<'a, State>, Error> {
        let end = Instant::now().checked_add(self.deadline);
        loop {
            if ready(&state) {
                return Ok(state);
            }
            if let Some(e) = &state.broken {
                return Err(e.clone());
            }
            let missing = needed(&state);
            let left = end.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()));
            let gone = missing.iter().copied().find(|&rank| state.gone.get(rank) == Some(&true));
            let broken = match gone {
                Some(rank) => Some(Error::Ended { op, rank }),
                None if left.is_zero() => {
                    Some(Error::Missing { op, ranks: missing, seconds: self.deadline.as_secs() })
                }
                None => None,
            };
            if let Some(e) = broken {
                state.broken = Some(e.clone());
                self.changed.notify_all();
                return Err(e);
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// A rank of a group of threads of this process, over any backend: elements go through memory of the host.
///
/// Sums, products and extrema are computed pairwise in the order of the ranks, as [`sum_in_order`](super::sum_in_order) does. When it is
/// dropped, the rank leaves: ranks that wait for it get [`Error::Ended`].
pub struct Local {
    rank: usize,
    shared: Arc<Shared>,
}

impl core::fmt::Debug for Local {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Local {{ rank: {}, ranks: {} }}", self.rank, self.ranks())
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        if let Some(gone) = state.gone.get_mut(self.rank) {
            *gone = true;
        }
        self.shared.changed.notify_all();
    }
}

impl Local {
    /// The ranks of a new group, in order: each goes to its thread. A rank waits for the others for `deadline` at most.
    #[must_use]
    pub fn group(ranks: usize, deadline: Duration) -> Vec<Self> {
        let shared = Arc::new(Shared::new(ranks, deadline));
        (0..ranks).map(|rank| Self { rank, shared: Arc::clone(&shared) }).collect()
    }

    /// The number of this rank, from 0.
    #[must_use]
    pub const fn rank(&self) -> usize {
        self.rank
    }

    /// How many ranks there are.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.shared.lock().posts.len()
    }

    /// How long a rank waits.
    #[cfg(all(feature = "nccl", target_os = "linux"))]
    pub(super) fn deadline(&self) -> Duration {
        self.shared.deadline
    }

    /// A function that ends the group: every later operation of any rank returns the first error that it was called with.
    #[cfg(all(feature = "nccl", target_os = "linux"))]
    pub(super) fn breaks(&self) -> impl Fn(Error) + Send + Sync + 'static {
        let shared = Arc::clone(&self.shared);
        move |e| {
            shared.lock().broken.get_or_insert(e);
            shared.changed.notify_all();
        }
    }

    /// Ranks with the same `color` as a group of their own, numbered by `key` and, where it is equal, by rank. Every rank calls it.
    ///
    /// # Errors
    /// Those of [`Collective`].
    pub fn split(&self, color: usize, key: usize) -> Result<Self, Error> {
        let call = Call::new("split");
        let all = self.exchange(call, Ok((color, key)))?;
        let mut mine: Vec<(usize, usize)> =
            all.iter().enumerate().filter(|(_, x)| x.0 == color).map(|(rank, x)| (x.1, rank)).collect();
        mine.sort_unstable();
        let rank = mine.iter().position(|x| x.1 == self.rank).unwrap_or(0);
        let first = mine.first().map_or(self.rank, |x| x.1);
        let made = (first == self.rank).then(|| Arc::new(Shared::new(mine.len(), self.shared.deadline)));
        let all = self.exchange(call, Ok(made))?;
        let shared = all.get(first).and_then(|x| Option::clone(x));
        // The first rank of a color makes its group.
        shared.map(|shared| Self { rank, shared }).ok_or(Error::Differs {
            op: call.op,
            rank: first,
            what: "color",
        })
    }

    /// What every rank gives, by rank.
    pub(super) fn exchange<V: Send + Sync + 'static>(
        &self,
        call: Call,
        given: Result<V, Error>,
    ) -> Result<Vec<Arc<V>>, Error> {
        let (op, mine) = (call.op, self.rank);
        let with_posts = |s: &State, there: bool| {
            let rank = |(rank, post): (usize, &Option<Post>)| (post.is_some() == there).then_some(rank);
            s.posts.iter().enumerate().filter_map(rank).collect::<Vec<usize>>()
        };
        // A rank that is early waits until the others have taken the round before.
        let state = self.shared.lock();
        if let Some(e) = &state.broken {
            return Err(e.clone());
        }
        let mut state = self.shared.until(state, op, |s| s.round.is_none(), |s| with_posts(s, true))?;
        let own = given.as_ref().err().cloned();
        let given = given.map(|value| Arc::new(value) as Parcel).map_err(|e| e.to_string());
        if let Some(place) = state.posts.get_mut(mine) {
            *place = Some(Post { call, given });
        }
        if state.posts.iter().all(Option::is_some) {
            state.round = Some(Arc::new(verdict(&state.posts)));
        }
        self.shared.changed.notify_all();
        let mut state = self.shared.until(state, op, |s| s.round.is_some(), |s| with_posts(s, false))?;
        let round = state.round.clone();
        if let Some(place) = state.posts.get_mut(mine) {
            *place = None;
        }
        if state.posts.iter().all(Option::is_none) {
            state.round = None;
        }
        drop(state);
        self.shared.changed.notify_all();
        if let Some(own) = own {
            return Err(own);
        }
        let wrong = |rank| Error::Differs { op, rank, what: "type" };
        match round.as_deref() {
            Some(Ok(all)) => all
                .iter()
                .enumerate()
                .map(|(rank, x)| Arc::clone(x).downcast().map_err(|_| wrong(rank)))
                .collect(),
            Some(Err(Error::Refused { rank, reason, .. })) => {
                Err(Error::Refused { op, rank: *rank, reason: reason.clone() })
            }
            Some(Err(Error::Differs { rank, what, .. })) => Err(Error::Differs { op, rank: *rank, what }),
            Some(Err(e)) => Err(e.clone()),
            None => Err(wrong(mine)),
        }
    }

    /// The reduction of every rank's `x`, in the order of the ranks.
    fn reduced<T: Item>(
        &self,
        call: Call,
        op: Reduce,
        given: Result<Vec<T>, Error>,
    ) -> Result<Vec<T>, Error> {
        let all = self.exchange(call, given)?;
        let range = share(call.len, self.rank, all.len());
        let parts: Vec<&[T]> = all.iter().map(|x| x.get(range.clone()).unwrap_or_default()).collect();
        let mut wide = vec![T::ZERO.widened(); range.len()];
        pairwise(op, &parts, &mut wide);
        let mine: Vec<T> = wide.into_iter().map(T::narrowed).collect();
        let parts = self.exchange(call, Ok(mine))?;
        Ok(parts.iter().flat_map(|part| part.iter().copied()).collect())
    }
}

/// What the posts come to.
fn verdict(posts: &[Option<Post>]) -> Result<Vec<Parcel>, Error> {
    let mut first: Option<&Call> = None;
    for (rank, post) in posts.iter().enumerate() {
        let Some(post) = post else { continue };
        let (op, what) = (post.call.op, first.and_then(|first| first.differs(&post.call)));
        if let Err(reason) = &post.given {
            return Err(Error::Refused { op, rank, reason: reason.clone() });
        }
        if let Some(what) = what {
            return Err(Error::Differs { op, rank, what });
        }
        first = first.or(Some(&post.call));
    }
    Ok(posts.iter().flatten().filter_map(|post| post.given.as_ref().ok().cloned()).collect())
}

/// Pairs of neighbours first: `(x₀ + x₁) + (x₂ + x₃)`.
fn pairwise<T: Item>(op: Reduce, parts: &[&[T]], out: &mut [T::Wide]) {
    let half = parts.len().next_power_of_two() / 2;
    let (Some((left, right)), true) = (parts.split_at_checked(half), parts.len() > 1) else {
        let Some(only) = parts.first() else { return };
        out.iter_mut().zip(*only).for_each(|(out, x)| *out = x.widened());
        return;
    };
    pairwise(op, left, out);
    let mut other = out.to_vec();
    pairwise(op, right, &mut other);
    out.iter_mut().zip(other).for_each(|(x, y)| *x = T::reduced(op, *x, y));
}

/// To the host.
fn on_host<T: Item, B: Transfer<T> + Blocking>(b: &B, x: B::Ref<'_, T>) -> Result<Vec<T>, Error> {
    let mut host = vec![T::ZERO; B::len(x)];
    b.download(x, &mut host).map_err(of_backend)?;
    Ok(host)
}

impl<B: Memory + Blocking> Collective<B> for Local {
    fn rank(&self) -> usize {
        Self::rank(self)
    }

    fn ranks(&self) -> usize {
        Self::ranks(self)
    }

    fn barrier(&self, _: &B) -> Result<(), Error> {
        self.exchange(Call::new("barrier"), Ok(())).map(drop)
    }

    fn broadcast<T: Item>(&self, b: &B, root: usize, x: B::Mut<'_, T>) -> Result<(), Error>
    where
        B: Transfer<T>,
    {
        let len = B::len(B::read(&x));
        let call = Call { root, kind: Some(T::KIND), len, ..Call::new("broadcast") };
        let given = match root {
            _ if root >= self.ranks() => Err(call.refused(crate::Error::index("root", root, self.ranks()))),
            _ if root == self.rank => on_host(b, B::read(&x)),
            _ => Ok(Vec::new()),
        };
        let all = self.exchange(call, given)?;
        match all.get(root) {
            Some(from) if root != self.rank => b.write(from, x).map_err(of_backend),
            _ => Ok(()),
        }
    }

    fn all_reduce<T: Item>(&self, b: &B, op: Reduce, x: B::Mut<'_, T>) -> Result<(), Error>
    where
        B: Transfer<T>,
    {
        let len = B::len(B::read(&x));
        let call = Call { reduce: Some(op), kind: Some(T::KIND), len, ..Call::new("all_reduce") };
        let sum = self.reduced(call, op, on_host(b, B::read(&x)))?;
        b.write(&sum, x).map_err(of_backend)
    }

    fn reduce_scatter<T: Item>(
        &self,
        b: &B,
        op: Reduce,
        x: B::Ref<'_, T>,
        out: B::Mut<'_, T>,
    ) -> Result<(), Error>
    where
        B: Transfer<T>,
    {
        let (len, each) = (B::len(x), B::len(B::read(&out)));
        let call = Call { reduce: Some(op), kind: Some(T::KIND), len, ..Call::new("reduce_scatter") };
        let fits = each.checked_mul(self.ranks()) == Some(len);
        let given = if fits {
            on_host(b, x)
        } else {
            Err(call.refused(crate::Error::len("x", each.saturating_mul(self.ranks()), len)))
        };
        let all = self.exchange(call, given)?;
        let start = self.rank * each;
        let parts: Vec<&[T]> = all.iter().map(|x| x.get(start..start + each).unwrap_or_default()).collect();
        let mut wide = vec![T::ZERO.widened(); each];
        pairwise(op, &parts, &mut wide);
        let sum: Vec<T> = wide.into_iter().map(T::narrowed).collect();
        b.write(&sum, out).map_err(of_backend)
    }

    fn all_gather<T: Item>(&self, b: &B, x: B::Ref<'_, T>, out: B::Mut<'_, T>) -> Result<(), Error>
    where
        B: Transfer<T>,
    {
        let (len, got) = (B::len(x), B::len(B::read(&out)));
        let call = Call { kind: Some(T::KIND), len, ..Call::new("all_gather") };
        let given = if len.checked_mul(self.ranks()) == Some(got) {
            on_host(b, x)
        } else {
            Err(call.refused(crate::Error::len("out", len.saturating_mul(self.ranks()), got)))
        };
        let all = self.exchange(call, given)?;
        let joined: Vec<T> = all.iter().flat_map(|x| x.iter().copied()).collect();
        b.write(&joined, out).map_err(of_backend)
    }

    fn send_receive<T: Item>(
        &self,
        b: &B,
        (to, x): (usize, B::Ref<'_, T>),
        (from, out): (usize, B::Mut<'_, T>),
    ) -> Result<(), Error>
    where
        B: Transfer<T>,
    {
        let (op, size, mine) = ("send_receive", self.ranks(), self.rank);
        for (arg, rank) in [("to", to), ("from", from)] {
            if rank >= size {
                return Err(Error::Argument { op, error: crate::Error::index(arg, rank, size) });
            }
        }
        let host = on_host(b, x)?;
        let mut state = self.shared.lock();
        state.sent.entry((mine, to)).or_default().push_back(Box::new(host));
        self.shared.changed.notify_all();
        let key = (from, mine);
        let there = |s: &State| s.sent.get(&key).is_some_and(|queue| !queue.is_empty());
        let mut state = self.shared.until(state, op, there, |_| vec![from])?;
        let parcel = state.sent.get_mut(&key).and_then(VecDeque::pop_front);
        drop(state);
        let differs = |what| Error::Differs { op, rank: from, what };
        let parcel = parcel.and_then(|parcel| parcel.downcast::<Vec<T>>().ok());
        let parcel = parcel.ok_or_else(|| differs("element type"))?;
        if parcel.len() != B::len(B::read(&out)) {
            return Err(differs("length"));
        }
        b.write(&parcel, out).map_err(of_backend)
    }
}
