#!/usr/bin/env python3
"""Times OpenCV and Pillow on the ops on images of a table that this package's bench wrote, and prints how many times as fast ours was.
One thread; both are built for this CPU by their makers.

  python3 -m venv DIR; DIR/bin/pip install opencv-python-headless==5.0.0.93 Pillow==13.0.0 numpy==2.4.6
  DIR/bin/python beside_python.py TABLE.csv
"""

import csv
import sys
import time

import cv2
import numpy as np
import PIL
from PIL import Image

cv2.setNumThreads(1)
W, H = 1920, 1080
rng = np.random.default_rng(1)


def picture(width: int, height: int, channels: int) -> np.ndarray:
    """Slow changes, edges and some noise, as the bench draws them."""
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    base = x * 100 // width + y * 90 // height + np.where((x // 97 + y // 61) % 2 == 0, 40, 0)
    levels = [base + 7 * c + rng.integers(0, 16, base.shape) for c in range(channels)]
    found = np.stack(levels, axis=-1).astype(np.uint8)
    return found[..., 0] if channels == 1 else found


def microseconds(run) -> float:
    """The median of many samples of this thread's time."""
    run()
    samples = []
    began = time.perf_counter()
    while len(samples) < 9 or (len(samples) < 101 and time.perf_counter() - began < 3):
        start = time.thread_time_ns()
        run()
        samples.append((time.thread_time_ns() - start) / 1e3)
    return sorted(samples)[len(samples) // 2]


def resized(size: str, kind: str):
    name, channels, shape = size.split()
    (w, h), to = ((1920, 1080), (3840, 2160)) if shape == "3840x2160" else ((3840, 2160), tuple(map(int, shape.split("x"))))
    if kind == "f32":
        src = Image.fromarray(picture(w, h, 1).astype(np.float32))
    else:
        src = Image.fromarray(picture(w, h, int(channels[1:])))
        if src.mode == "RGBA":
            # Pillow multiplies by alpha; with this mode it doesn't, as we don't.
            src = Image.frombytes("CMYK", src.size, src.tobytes())
    by = {"bilinear": Image.BILINEAR, "bicubic": Image.BICUBIC, "lanczos3": Image.LANCZOS}[name]
    return [("Pillow", lambda: src.resize(to, by))]


def warped(op: str, size: str, kind: str):
    name, channels = size.split()
    src = picture(W, H, int(channels[1:]))
    src = {"u8": src, "u16": src.astype(np.uint16) * 257, "f32": src.astype(np.float32)}[kind]
    by = {"nearest": cv2.INTER_NEAREST, "bilinear": cv2.INTER_LINEAR}[name]
    matrix = cv2.invertAffineTransform(cv2.getRotationMatrix2D(((W - 1) / 2, (H - 1) / 2), 10, 0.9))
    if op == "warp_affine":
        return [("OpenCV", lambda: cv2.warpAffine(src, matrix, (W, H), flags=by | cv2.WARP_INVERSE_MAP))]
    x, y = np.meshgrid(np.arange(W), np.arange(H))
    places = np.einsum("ij,jyx->yxi", matrix, np.stack([x, y, np.ones_like(x)]))
    places = np.ascontiguousarray(places, dtype=np.float32)
    return [("OpenCV", lambda: cv2.remap(src, places, None, by, borderMode=cv2.BORDER_CONSTANT))]


def distances(name: str):
    x, y = np.meshgrid(np.arange(W), np.arange(H))
    mask = {
        "blobs": np.sin(x / 19) + np.sin(y / 23) + np.sin((x + y) / 31) > 0,
        "corner": x + y > 0,
        "noise": picture(W, H, 1) & 1 > 0,
        "stripes": x // 97 % 2 > 0,
        "diagonals": (x + y) % 600 > 0,
    }[name]
    mask = mask.astype(np.uint8) * 255
    return [("OpenCV", lambda: cv2.distanceTransform(mask, cv2.DIST_L2, cv2.DIST_MASK_PRECISE))]


def peers(op: str, size: str, kind: str):
    if op == "distance_transform":
        return distances(size)
    if op in ("warp_affine", "remap"):
        return warped(op, size, kind)
    grey, rgb = picture(W, H, 1), picture(W, H, 3)
    if op == "resize":
        return resized(size, kind)
    if op == "median":
        return [("OpenCV", lambda: cv2.medianBlur(grey, int(size)))]
    if op == "gaussian" and size == "5x5":
        return [("OpenCV", lambda: cv2.GaussianBlur(grey, (5, 5), 1.1))]
    if op == "gaussian":
        return [("OpenCV", lambda: cv2.GaussianBlur(grey, (0, 0), float(size.split()[1])))]
    if op == "grey":
        return [("OpenCV", lambda: cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY))]
    if op == "rgb_to_hsv":
        return [("OpenCV", lambda: cv2.cvtColor(rgb, cv2.COLOR_RGB2HSV))]
    if op == "nv12_to_rgb":
        frame = np.concatenate([grey, picture(W, H // 2, 1)])
        return [("OpenCV", lambda: cv2.cvtColor(frame, cv2.COLOR_YUV2RGB_NV12))]
    if op == "nv12_to_tensor":
        (w, h), to = (tuple(map(int, n.split("x"))) for n in size.split())
        frame = np.concatenate([picture(w, h, 1), picture(w, h // 2, 1)])
        mean, std = np.float32([0.485, 0.456, 0.406]), np.float32([0.229, 0.224, 0.225])

        def chain():
            colours = cv2.resize(cv2.cvtColor(frame, cv2.COLOR_YUV2RGB_NV12), to, interpolation=cv2.INTER_AREA)
            return np.ascontiguousarray(((colours.astype(np.float32) / 255 - mean) / std).transpose(2, 0, 1))

        return [("OpenCV", chain)]
    return []


print(f"OpenCV {cv2.__version__}, Pillow {PIL.__version__}")
for row in csv.DictReader(open(sys.argv[1])):
    if row["contender"] != "fulmen":
        continue
    for name, run in peers(row["op"], row["size"], row["type"]):
        theirs, ours = microseconds(run), float(row["ns"]) / 1e3
        print(f"{row['op']} {row['type']} {row['size']:24} {name} {theirs:10.0f} us, fulmen {ours:10.0f} us: {theirs / ours:.2f}", flush=True)
