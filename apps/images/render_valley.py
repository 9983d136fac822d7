"""Renders valley.png: a made-up evening valley with hard edges, soft gradients, texture and noise,
for the demo and the tests. Usage: python3 render_valley.py OUT.png (needs numpy)."""

import struct
import sys
import zlib

import numpy as np

WIDTH, HEIGHT = 768, 512
random = np.random.default_rng(20)


def smooth_noise(shape, cells):
    """Values in [0, 1], one random value a cell, cubic in between."""
    height, width = shape
    rows, columns = cells
    grid = random.random((rows + 2, columns + 2))
    y = np.linspace(0, rows, height, endpoint=False)[:, None]
    x = np.linspace(0, columns, width, endpoint=False)[None, :]
    iy, ix = y.astype(int), x.astype(int)
    fy, fx = y - iy, x - ix
    fy, fx = fy * fy * (3 - 2 * fy), fx * fx * (3 - 2 * fx)
    top = grid[iy, ix] * (1 - fx) + grid[iy, ix + 1] * fx
    bottom = grid[iy + 1, ix] * (1 - fx) + grid[iy + 1, ix + 1] * fx
    return top * (1 - fy) + bottom * fy


def fractal(shape, cells, octaves):
    total, weight = np.zeros(shape), 0.0
    for octave in range(octaves):
        total += smooth_noise(shape, (cells[0] << octave, cells[1] << octave)) / (1 << octave)
        weight += 1 / (1 << octave)
    return total / weight


def mix(a, b, t):
    t = np.clip(t, 0, 1)[..., None]
    return np.asarray(a, float) * (1 - t) + np.asarray(b, float) * t


y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(float)

# Sky: gradient, sun with its glow, clouds stretched along the horizon.
sky = mix((52, 84, 146), (246, 196, 142), (y / 300) ** 1.3)
distance = np.hypot(x - 560, y - 168)
sky = mix((1, 1, 1), (255, 238, 196), np.exp(-(distance / 130) ** 1.2))[..., :] * 0.55 + sky * 0.75
sky[distance < 26] = (255, 246, 220)
clouds = fractal((HEIGHT, WIDTH), (12, 4), 5)
sky = sky + mix((0, 0, 0), (64, 50, 44), (clouds - 0.52) * 5 * (y < 290))
image = np.clip(sky, 0, 255)

# Five ridges, hazier with distance; the last ones carry texture and a dark forest edge.
for layer in range(5):
    depth = layer / 4
    base = 240 + 52 * layer
    line = (fractal((1, WIDTH), (1, 3 + layer), 7)[0] - 0.5) * (150 - 12 * layer) + base
    line += 16 * np.sin(np.arange(WIDTH) / (60.0 + 23 * layer) + 2 * layer)
    if layer >= 3:  # spruce tips
        tips = np.abs(((np.arange(WIDTH) * (0.11 + 0.03 * layer)) % 1) - 0.5) * 2
        line -= (1 - tips) ** 1.5 * (9 + 9 * random.random(WIDTH // 8 + 1)[np.arange(WIDTH) // 8])
    inside = y > line[None, :]
    near = mix((168, 142, 148), (30, 48, 34), np.full((HEIGHT, WIDTH), depth))
    below = (y - line[None, :]) / 120
    color = near * (1 + 0.35 * np.clip(below, 0, 1.5))[..., None]
    texture = fractal((HEIGHT, WIDTH), (24 + 16 * layer, 36 + 24 * layer), 3) - 0.5
    color = color * (1 + (0.15 + 0.7 * depth) * texture)[..., None]
    image = np.where(inside[..., None], color, image)

# A lake with a broken reflection, and a cabin: straight, high-contrast edges.
shore = 452 + 5 * np.sin(x / 47) + 3 * np.sin(x / 13)
lake = (y > shore + np.maximum(0, 90 - x) * 0.7) & (y > shore + np.maximum(0, x - 660) * 0.6)
ripple = np.clip(y + 0 * x, 0, HEIGHT - 1)
mirrored = np.clip(2 * shore - ripple - 180 + 3 * np.sin(y * 1.7 + x / 31), 0, HEIGHT - 1).astype(int)
shifted = np.clip(x + 4 * np.sin(y / 1.9), 0, WIDTH - 1).astype(int)
image = np.where(lake[..., None], image[mirrored, shifted] * 0.8 + (8, 14, 24), image)
wall = (x > 150) & (x < 218) & (y > 404) & (y < 446)
image[wall] = (96, 62, 44) + 14 * ((x[wall] // 5) % 2)[:, None]
roof = (np.abs(x - 184) < (y - 372) * 1.35) & (y > 372) & (y < 406)
image[roof] = (70, 30, 28)
for left in (160, 194):
    window = (x > left) & (x < left + 14) & (y > 414) & (y < 430)
    image[window] = (255, 214, 120)
    image[window & ((x == left + 7) | (y == 422))] = (60, 40, 30)

# Vignette and sensor noise (the same for all channels, so that the file stays small).
image *= (1.04 - 0.28 * (((x - WIDTH / 2) / WIDTH) ** 2 + ((y - HEIGHT / 2) / HEIGHT) ** 2))[..., None]
image += random.normal(0, float(sys.argv[2]) if len(sys.argv) > 2 else 0.25, (HEIGHT, WIDTH))[..., None]
pixels = np.clip(np.round(image), 0, 255).astype(np.uint8)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


# Each row takes whichever filter (none, left, up, average, Paeth) leaves the smallest residuals.
rows = []
previous = np.zeros((WIDTH, 3), int)
for row in pixels.astype(int):
    left = np.vstack([np.zeros((1, 3), int), row[:-1]])
    corner = np.vstack([np.zeros((1, 3), int), previous[:-1]])
    guess = left + previous - corner
    errors = [np.abs(guess - left), np.abs(guess - previous), np.abs(guess - corner)]
    paeth = np.where((errors[0] <= errors[1]) & (errors[0] <= errors[2]), left,
                     np.where(errors[1] <= errors[2], previous, corner))
    residuals = [(row - p) & 255 for p in (0 * row, left, previous, (left + previous) // 2, paeth)]
    best = min(range(5), key=lambda k: np.abs(((residuals[k] + 128) & 255) - 128).sum())
    rows.append(bytes([best]) + residuals[best].astype(np.uint8).tobytes())
    previous = row

with open(sys.argv[1], "wb") as out:
    out.write(b"\x89PNG\r\n\x1a\n")
    out.write(chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)))
    out.write(chunk(b"IDAT", zlib.compress(b"".join(rows), 9)))
    out.write(chunk(b"IEND", b""))
