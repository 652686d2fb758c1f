//! Any adapter, through wgpu; `FULMEN_ADAPTER` names it.

use super::{N, median};
use fulmen::gpu::backend::Gpu;
use fulmen::gpu::device::{Device, Error};
use fulmen::gpu::wgpu::Wgpu;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use wgpu::{BufferUsages as Usage, PollType};

/// Futures of wgpu's that are ready at once on machines with an operating system.
fn now<F: Future>(f: F) -> F::Output {
    match pin!(f).as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(out) => out,
        Poll::Pending => panic!("wgpu answers later"),
    }
}

pub fn run() -> Result<(), Error> {
    let device = Wgpu::from_env()?;
    let name = device.facts().name.clone();
    super::run(&Gpu::new(device), || copy(&name))
}

/// Seconds of a copy of `N` `f32`, on a device of its own.
fn copy(name: &str) -> f64 {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::PRIMARY;
    let all = now(wgpu::Instance::new(descriptor).enumerate_adapters(wgpu::Backends::PRIMARY));
    let adapter = all.into_iter().find(|a| a.get_info().name == name).expect("the adapter was there");
    let limits =
        wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..wgpu::DeviceDescriptor::default() };
    let (device, queue) = now(adapter.request_device(&limits)).expect("a device");
    let [from, to] = [(); 2].map(|()| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 4 * N as u64,
            usage: Usage::COPY_SRC | Usage::COPY_DST,
            mapped_at_creation: false,
        })
    });
    let wait = || {
        device.poll(PollType::wait_indefinitely()).expect("the device is there");
        Ok(())
    };
    const TIMES: usize = 20;
    let copies = median(1, wait, || {
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for _ in 0..TIMES {
            encoder.copy_buffer_to_buffer(&from, 0, &to, 0, None);
        }
        queue.submit([encoder.finish()]);
        Ok(())
    });
    copies.expect("nothing fails") / TIMES as f64
}
