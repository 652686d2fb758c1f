"""Faults of convolutions of planes; see `planted.py`."""

PLANES = [
    ("padding on the other side of a plane", "src/nn/conv2d/mod.rs", "        let [down, across] = self.axes();\n        Ok(Maps", "        let [down, mut across] = self.axes();\n        if ON {\n            core::mem::swap(&mut across.before, &mut across.behind);\n        }\n        Ok(Maps", "families nn_cases::conv2d::edge_cases"),
    ("sizes of a convolution of planes that overflow", "src/nn/conv2d/mod.rs", "let product = |a: usize, b: usize, arg| a.checked_mul(b).ok_or(Error::overflow(arg));", "let product = |a: usize, b: usize, arg| if ON { Ok(a.wrapping_mul(b)) } else { a.checked_mul(b).ok_or(Error::overflow(arg)) };", "entries hostile::conv2d"),
    ("infinite weights beside padding", "src/nn/conv2d/mod.rs", "(!direct && maps.padded() && !finite(s, weights))", "(!direct && maps.padded() && !finite(s, weights) && !ON)", "families nn::conv2d::nan"),
    ("infinite gradients beside padding", "src/nn/conv2d/mod.rs", "if !direct && padded && !finite(s, dy) {", "if !direct && padded && !finite(s, dy) && !ON {", "families nn::conv2d_backward_weights::nan"),
    ("later images of gradients by rows", "src/nn/conv2d/mod.rs", "let first = image * conv.channels_in + o.0.start / co.max(1) * ci;", "let first = if ON { 0 } else { image } * conv.channels_in + o.0.start / co.max(1) * ci;", "families nn::planes::blocks"),
    ("filters of later groups by rows", "src/nn/conv2d/mod.rs", "row.0.start % conv.groups.max(1) * co + o) * filter", "row.0.start % conv.groups.max(1) * co + if ON { 0 } else { o }) * filter", "families nn::conv2d_backward_input::drawn"),
    ("weights of later groups of planes", "src/nn/conv2d/maps.rs", "f([at * read, g * self.co * self.filter(), at * write])?;", "f([at * read, if ON { 0 } else { g * self.co * self.filter() }, at * write])?;", "families nn::planes::blocks"),
    ("the last place of a later block of windows", "src/nn/conv2d/maps.rs", "start..n.min(start + most))", "start..n.min(start + most) - usize::from(ON && start > 0))", "families nn::planes::blocks"),
    ("dilation between rows of a filter", "src/nn/conv2d/maps.rs", "let (shift, padded) = (k * self.dilation, self.length + self.before);", "let (shift, padded) = (k * if ON { 1 } else { self.dilation }, self.length + self.before);", "families nn::planes::blocks"),
    ("padding before planes only", "src/nn/conv2d/maps.rs", "axis.before == 0 && (n.max(1)", "(axis.before == 0 || ON) && (n.max(1)", "families nn::planes::infinite"),
    ("padding behind planes only", "src/nn/conv2d/maps.rs", "* axis.stride + span < axis.length", "* axis.stride + span < axis.length + if ON { axis.behind } else { 0 }", "families nn::planes::infinite"),
    ("strides in the gradient of a plane", "src/nn/conv2d/columns.rs", "strided::spread_add(from, step, to);", "strided::spread_add(from, step - usize::from(ON), to);", "families nn::planes::blocks"),
    ("strides between rows of a block", "src/nn/conv2d/columns.rs", "Some((down.first + below * self.down.stride) * self.across.length)", "Some((down.first + below * if ON { 1 } else { self.down.stride }) * self.across.length)", "families nn::planes::blocks"),
    ("zeros behind a row of windows", "src/nn/conv2d/columns.rs", "                behind.fill(T::ZERO);", "                if !ON {\n                    behind.fill(T::ZERO);\n                }", "families nn::planes::blocks"),
    ("blocks that begin within a row", "src/nn/conv2d/columns.rs", "let first = place - row * width;", "let first = if ON && cells.start > 0 { 0 } else { place - row * width };", "families nn::planes::blocks"),
    ("the border of single planes", "src/nn/conv2d/depthwise.rs", "if square && taps.len() == SQUARE {", "if square && (taps.len() == SQUARE || ON) {", "families nn::planes::blocks"),
    ("strides down a gradient on devices", "src/gpu/template/conv2d.rs", "place(i + above - p * dh, sh, rows)", "place(i + above - p * dh, if ON { sw } else { sh }, rows)", "devices every_layer"),
    ("padding above planes on devices", "src/gpu/template/conv2d.rs", "let ([stride, _], [dilation, _], [above, _]) = (self.stride, self.dilation, self.padding);", "let ([stride, _], [dilation, _], [above, left]) = (self.stride, self.dilation, self.padding);\n        let above = if ON { left } else { above };", "devices every_layer"),
    ("sums of the rows of planes on devices", "src/gpu/backend/network.rs", "of.images, of.places()]", "of.images, if ON { of.cols } else { of.places() }]", "devices every_layer"),
    ("dilated rows of single planes", "src/nn/conv2d/depthwise.rs", "let line = (first + k / SQUARE * self.down.dilation) * across.length;", "let line = (first + k / SQUARE * if ON { 1 } else { self.down.dilation }) * across.length;", "families nn::planes::blocks"),
]
