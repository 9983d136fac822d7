#!/usr/bin/env python3
"""Where the coefficients of dsl/ir/portable_math*.cpp come from: minimax polynomials by Remez exchange.

fit(f, a, b, n, weight) gives the n + 1 coefficients c of the polynomial that minimises the maximum
over [a, b] of |weight(x) * (f(x) - sum c[i] x^i)|.
"""
import struct
import sys
from mpmath import (mp, mpf, matrix, lu_solve, cos, sin, pi, exp, log, sqrt, tanh, erf, erfc, taylor, atanh)

mp.prec = 300


def fit(f, a, b, n, weight=lambda x: mpf(1), steps=8):
    a, b = mpf(a), mpf(b)
    nodes = [(a + b) / 2 - (b - a) / 2 * cos(pi * i / (n + 1)) for i in range(n + 2)]
    grid_size = 24 * (n + 2)
    for _ in range(steps):
        system, right = matrix(n + 2, n + 2), matrix(n + 2, 1)
        for i, x in enumerate(nodes):
            for j in range(n + 1):
                system[i, j] = x ** j
            system[i, n + 1] = (-1) ** i / weight(x)
            right[i] = f(x)
        solution = lu_solve(system, right)
        c = [solution[j] for j in range(n + 1)]

        def error(x):
            v = c[n]
            for j in range(n - 1, -1, -1):
                v = v * x + c[j]
            return weight(x) * (f(x) - v)

        grid = [(a + b) / 2 - (b - a) / 2 * cos(pi * i / grid_size) for i in range(grid_size + 1)]
        values = [error(x) for x in grid]
        # One extremum per run of equal sign.
        extrema, start = [], 0
        for i in range(1, len(grid) + 1):
            if i == len(grid) or (values[i] > 0) != (values[start] > 0):
                best = max(range(start, i), key=lambda k: abs(values[k]))
                extrema.append(best)
                start = i
        while len(extrema) > n + 2:
            extrema.pop(0 if abs(values[extrema[0]]) < abs(values[extrema[-1]]) else -1)
        if len(extrema) < n + 2:
            break
        nodes = [grid[i] for i in extrema]
    return c, max(abs(v) for v in values)


def fit_rounded(f, a, b, n, weight=lambda x: mpf(1)):
    """As fit, with each coefficient in turn rounded to f32 and the others fitted again."""
    if n < 0:
        return [], mpf(0)
    c, error = fit(f, a, b, n, weight)
    first = mpf(single(c[0]))
    rest, last = fit_rounded(lambda x: (f(x) - first) / x, a, b, n - 1, lambda x: weight(x) * x)
    return [first] + rest, max(error, last)


def near(f, series, limit=mpf(1) / 2 ** 40):
    """f, and near 0 its Taylor series given as a list (f itself would lose all digits there)."""
    return lambda x: f(x) if abs(x) > limit else sum(c * x ** i for i, c in enumerate(series))


def show(name, result, single):
    c, e = result
    print(f"// {name}: error {mp.nstr(log(e, 2), 4)} bits")
    for v in c:
        print("  " + (float_text(v) if single else repr(float(v))) + ",")


def single(v):
    return struct.unpack("f", struct.pack("f", float(v)))[0]


def float_text(v):
    return "%.9g" % single(v)


half_ln2 = log(mpf(2)) / 2
ln2 = log(mpf(2))
fact = mp.factorial
table = {
    "exp32": lambda: show("(e^r - 1 - r) / r^2", fit(near(lambda r: (exp(r) - 1 - r) / r ** 2, [1 / fact(i + 2) for i in range(6)]),
                          -half_ln2 * 1.001, half_ln2 * 1.001, 4, lambda r: r * r + mpf(10) ** -9), True),
    "exp2_32": lambda: show("(2^r - 1 - r ln2) / r^2", fit(near(lambda r: (exp(r * ln2) - 1 - r * ln2) / r ** 2, [ln2 ** (i + 2) / fact(i + 2) for i in range(6)]),
                            -0.5, 0.5, 4, lambda r: r * r + mpf(10) ** -9), True),
    "log32": lambda: show("(log(1+f) - f + f^2/2) / f^3", fit(near(lambda f: (log(1 + f) - f + f * f / 2) / f ** 3, [(-1) ** i / mpf(i + 3) for i in range(6)]),
                          sqrt(mpf(1) / 2) - 1, sqrt(mpf(2)) - 1, 9, lambda f: f * f + mpf(10) ** -9), True),
    "tanh32": lambda: show("((e^2r - 1) / 2 - r) / r^2", fit(near(lambda r: ((exp(2 * r) - 1) / 2 - r) / r ** 2, [mpf(2) ** (i + 1) / fact(i + 2) for i in range(6)]),
                           -half_ln2 / 2 * mpf("1.001"), half_ln2 / 2 * mpf("1.001"), 4, lambda r: abs(r) + mpf(10) ** -9), True),
    "erf32": lambda: show("erf(x)/x - 1 in z", fit_rounded(near(lambda z: erf(sqrt(z)) / sqrt(z) - 1, [2 / sqrt(pi) - 1, -2 / sqrt(pi) / 3]),
                          mpf("0.001"), mpf("1.003"), 6), True),
    "erfc32": lambda: show("log(erfc(t))/t + 1 in t", fit_rounded(lambda t: log(erfc(t)) / t + 1, mpf("0.998"), mpf("4.1"), 7,
                           lambda t: t * erfc(t)), True),
    "sin": lambda n=5: show("(sin r - r) / r^3 in z", fit(near(lambda z: (sin(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3, [mpf(-1) / 6, mpf(1) / 120]),
                          0, (pi / 4 * mpf("1.0001")) ** 2, 4, lambda z: z + mpf(10) ** -9), False),
    "cos": lambda: show("(cos r - 1 + z/2) / z^2 in z", fit(near(lambda z: (cos(sqrt(z)) - 1 + z / 2) / z ** 2, [mpf(1) / 24, mpf(-1) / 720]),
                        0, (pi / 4 * mpf("1.0001")) ** 2, 3, lambda z: z * z + mpf(10) ** -9), False),
    "pow_log": lambda: show("(atanh(s)/s) 2/ln2 in z = s^2", fit(near(lambda z: atanh(sqrt(z)) / sqrt(z) * 2 / ln2, [2 / ln2, 2 / ln2 / 3, 2 / ln2 / 5]),
                            0, mpf("0.02945"), 7), False),
    "pow_exp": lambda: show("(2^r - 1)/r", fit(near(lambda r: (exp(r * ln2) - 1) / r, [ln2 ** (i + 1) / fact(i + 1) for i in range(6)]),
                            -0.5, 0.5, 7), False),
    "exp64": lambda: show("(e^r - 1 - r) / r^2", fit(near(lambda r: (exp(r) - 1 - r) / r ** 2, [1 / fact(i + 2) for i in range(6)]),
                          -half_ln2 * mpf("1.0001"), half_ln2 * mpf("1.0001"), 10, lambda r: r * r + mpf(10) ** -15), False),
    "exp2_64": lambda: show("(2^r - 1 - r ln2) / r^2", fit(near(lambda r: (exp(r * ln2) - 1 - r * ln2) / r ** 2, [ln2 ** (i + 2) / fact(i + 2) for i in range(6)]),
                            -0.5, 0.5, 10, lambda r: r * r + mpf(10) ** -15), False),
    "log64": lambda: show("(2 atanh(s)/s - 2) / z in z = s^2", fit(near(lambda z: (2 * atanh(sqrt(z)) / sqrt(z) - 2) / z, [mpf(2) / 3, mpf(2) / 5, mpf(2) / 7]),
                          0, mpf("0.02945"), 7, lambda z: z + mpf(10) ** -9), False),
    "tanh64": lambda: show("(tanh(x) - x) / x^3 in z = x^2", fit(near(lambda z: (tanh(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3, [mpf(-1) / 3, mpf(2) / 15]),
                           0, mpf("0.3907"), 11, lambda z: z + mpf(10) ** -9), False),
    "erf64": lambda: show("erf(x)/x - 2/sqrt(pi) in z, over z", fit(near(lambda z: (erf(sqrt(z)) / sqrt(z) - 2 / sqrt(pi)) / z, [-2 / sqrt(pi) / 3, 2 / sqrt(pi) / 10]),
                          0, mpf("1.0001"), 12, lambda z: z + mpf(10) ** -9), False),
    "erfc64": lambda: show("e^(x^2) erfc(x) in u = (x - 2.5) / (x + 2.5)", fit(lambda u: exp((mpf("2.5") * (1 + u) / (1 - u)) ** 2) * erfc(mpf("2.5") * (1 + u) / (1 - u)),
                           mpf(-3) / 7 - mpf("0.0001"), mpf("3.6") / 8.6, 15, lambda u: mpf(1)), False),
    "sin64": lambda: show("(sin r - r) / r^3 in z", fit(near(lambda z: (sin(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3, [mpf(-1) / 6, mpf(1) / 120]),
                          0, (pi / 4 * mpf("1.0001")) ** 2, 6, lambda z: z + mpf(10) ** -9), False),
    "cos64": lambda: show("(cos r - 1 + z/2) / z^2 in z", fit(near(lambda z: (cos(sqrt(z)) - 1 + z / 2) / z ** 2, [mpf(1) / 24, mpf(-1) / 720]),
                          0, (pi / 4 * mpf("1.0001")) ** 2, 6, lambda z: z * z + mpf(10) ** -12), False),
    "pow64": lambda: show("(atanh(s)/s 2/ln2 - 2/ln2 - 2/(3 ln2) z) / z^2", fit(near(lambda z: (atanh(sqrt(z)) / sqrt(z) - 1 - z / 3) * 2 / ln2 / z ** 2, [2 / ln2 / (2 * i + 5) for i in range(5)], mpf(1) / 2 ** 30),
                          0, mpf("0.02945"), 9, lambda z: z * z + mpf(10) ** -12), False),
}
if __name__ == "__main__":
    for name in sys.argv[1:] or table:
        print(name)
        table[name]()
