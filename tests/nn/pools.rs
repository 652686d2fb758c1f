//! Windows of many kinds: dilated, over padding of either side, rounded up, counted in every way.

use super::*;
use common::nn::pool::{AvgPool, AvgPoolBackward, MaxPool, MaxPoolBackward, MaxPoolIndices, pool};

fn many<T: Element>(op: &Routine<T>) {
    let mut kinds = [0; 5];
    for seed in 0..120 {
        let [rows, cols] = [1 + seed % 7, 1 + seed * 5 % 41];
        let a = (op.sample)(rows, cols, &mut Noise(seed as u64));
        let p = pool(&a);
        let floor = fulmen::Pool { ceil: false, ..p };
        let found = [
            p.kernel[0] > 1,
            p.dilation != [1; 3],
            p.padding != p.padding_end,
            p.output() != floor.output(),
            a.get("count_padding").is_some(),
        ];
        kinds.iter_mut().zip(found).for_each(|(n, found)| *n += usize::from(found));
        let out = op.run(Form::On, &a).unwrap().unwrap();
        let label = format!("{} {} on {}, {p:?}", op.name, T::NAME, op.lane);
        op.compare(&label, &out, &(op.want)(&a.wide()));
    }
    let counted = op.name.starts_with("avg");
    assert!(kinds.iter().take(if counted { 5 } else { 4 }).all(|n| *n > 8), "{kinds:?}");
}

#[test]
fn windows_of_many_kinds() {
    for_each_lane!(|s| {
        many(&Routine::<f32>::of::<MaxPool>(s));
        many(&Routine::<f32>::of::<MaxPoolIndices>(s));
        many(&Routine::<f64>::of::<MaxPoolBackward>(s));
        many(&Routine::<f32>::of::<AvgPool>(s));
        many(&Routine::<f64>::of::<AvgPoolBackward>(s));
    });
}
