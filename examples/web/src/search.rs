//! The search example on this module's machine.

#[path = "../../search/core.rs"]
mod engine;

use super::On;
use engine::Observer;

/// The module has no clock, and the page shows only the whole.
struct Silent;
impl Observer for Silent {
    fn kernel<R>(&mut self, _: &'static str, _: usize, _: usize, run: impl FnOnce() -> R) -> R {
        run()
    }
    fn progress(&mut self, _: usize, _: usize) {}
}

#[cfg(not(feature = "wgpu"))]
pub async fn search(_: &On, text: &[u8], query: &str, top: usize) -> Result<String, String> {
    let options = engine::Options { top, dim: 1024 };
    let answer = engine::search(text, query, options, &mut Silent).map_err(|why| why.to_string())?;
    Ok(answer.json(text))
}

#[cfg(feature = "wgpu")]
pub use device::search;

#[cfg(feature = "wgpu")]
mod device {
    use super::engine::{self, Compare, Failure, Observer, Options};
    use super::{On, Silent};
    use fulmen::backend::{Memory, Products, Rows};
    use fulmen::gpu::backend::Array;
    use fulmen::gpu::device::Error;
    use fulmen::gpu::wgpu::Wgpu;

    type Floats = Array<f32, Wgpu>;

    /// Rows go to the device, which makes them unit vectors and keeps their products with the query.
    struct There<'a> {
        on: &'a On,
        /// A batch, the query, and the scores of all passages.
        at: Option<[Floats; 3]>,
    }

    enum Wrong {
        Failure(Failure),
        Device(Error),
    }
    impl From<Failure> for Wrong {
        fn from(why: Failure) -> Self {
            Self::Failure(why)
        }
    }
    impl From<Error> for Wrong {
        fn from(why: Error) -> Self {
            Self::Device(why)
        }
    }
    impl From<Wrong> for String {
        fn from(why: Wrong) -> Self {
            match why {
                Wrong::Failure(why) => why.to_string(),
                Wrong::Device(why) => why.to_string(),
            }
        }
    }

    impl Compare for There<'_> {
        type Error = Wrong;
        fn rows<O: Observer>(
            &mut self,
            [first, all]: [usize; 2],
            rows: &mut [f32],
            query: &[f32],
            _: &mut O,
        ) -> Result<(), Wrong> {
            let (on, dim) = (self.on, query.len());
            let [batch, query, scores] = match &mut self.at {
                Some(at) => at,
                // The first batch is the longest.
                none => none.insert([on.alloc(rows.len())?, on.upload(query)?, on.alloc(all)?]),
            };
            let count = rows.len() / dim;
            let [mut batch, _] = batch.view_mut().split(rows.len())?;
            on.write(rows, batch.lend())?;
            Rows::normalize_in_place(on, batch.lend(), dim)?;
            let [_, to] = scores.view_mut().split(first)?;
            let [to, _] = to.split(count)?;
            let (query, to) = (On::vector(query.view()), On::vector_mut(to));
            Ok(Products::gemv(on, 1.0, batch.read().matrix(count, dim)?, query, 0.0, to)?)
        }
    }

    pub async fn search(on: &On, text: &[u8], query: &str, top: usize) -> Result<String, String> {
        let mut there = There { on, at: None };
        let options = Options { top, dim: 1024 };
        let compared = engine::compare(text, query, options, &mut there, &mut Silent)?;
        let mut found = Vec::new();
        if let Some([_, _, scores]) = &there.at {
            found.resize(scores.len(), 0.0);
            on.download_async(scores.view(), &mut found).await.map_err(|why| why.to_string())?;
        }
        let answer = compared.answer(&found, &mut Silent).map_err(|why| why.to_string())?;
        Ok(answer.json(text))
    }
}
