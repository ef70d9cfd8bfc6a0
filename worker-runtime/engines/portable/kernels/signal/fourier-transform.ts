/**
 * The discrete Fourier transform X[k] = Σ x[n] · e^(-2πi·k·n/N) of one length N, in place and in double precision. Its
 * tables are computed once, so use one for all sequences of a length. Not thread-safe, since it has scratch space.
 */
export interface FourierTransform {
  readonly length: number;
  /** For the inverse without its factor 1/N, exchange the two arrays. Both hold `length` numbers. */
  transform(re: Float64Array, im: Float64Array): void;
}

/** A transform for any length of at least 1. */
export function fourierTransform(length: number): FourierTransform {
  return isPowerOfTwo(length) ? new PowerOfTwoTransform(length) : new ChirpTransform(length);
}

/** Nanoseconds per sequence of a length on a slow core. */
export function fourierCost(length: number): number {
  const NANOS_PER_BUTTERFLY = 5;
  // For the calls that copy it to scratch space and back.
  const NANOS_PER_SEQUENCE = 50;
  const padded = isPowerOfTwo(length) ? length : 2 * paddedLength(length);
  return padded * Math.max(1, Math.log2(padded)) * NANOS_PER_BUTTERFLY + NANOS_PER_SEQUENCE;
}

function isPowerOfTwo(length: number): boolean {
  return 2 ** Math.round(Math.log2(length)) === length;
}

/** The least power of two for which a cyclic convolution of sequences of a length does not overlap itself. */
function paddedLength(length: number): number {
  return 2 ** Math.ceil(Math.log2(2 * length - 1));
}

/** The Cooley–Tukey algorithm for powers of two, decimating in time. */
class PowerOfTwoTransform implements FourierTransform {
  readonly length: number;
  readonly #cos: Float64Array;
  readonly #sin: Float64Array;
  /** For each index, the index with reversed bits. */
  readonly #reversed: Uint32Array;

  constructor(length: number) {
    this.length = length;
    const half = length >> 1;
    this.#cos = new Float64Array(half);
    this.#sin = new Float64Array(half);
    for (let k = 0; k < half; k += 1) {
      this.#cos[k] = Math.cos((2 * Math.PI * k) / length);
      this.#sin[k] = -Math.sin((2 * Math.PI * k) / length);
    }
    this.#reversed = new Uint32Array(length);
    for (let i = 1; i < length; i += 1) {
      this.#reversed[i] = ((this.#reversed[i >> 1] as number) >> 1) + (i % 2) * half;
    }
  }

  transform(re: Float64Array, im: Float64Array): void {
    this.#reorder(re);
    this.#reorder(im);
    for (let half = 1; half < this.length; half *= 2) {
      this.#combine(re, im, half);
    }
  }

  #reorder(values: Float64Array): void {
    for (let i = 0; i < values.length; i += 1) {
      const j = this.#reversed[i] as number;
      if (i < j) {
        const value = values[i] as number;
        values[i] = values[j] as number;
        values[j] = value;
      }
    }
  }

  /** Combines pairs of transforms of `half` numbers into transforms of 2 · half numbers. */
  #combine(re: Float64Array, im: Float64Array, half: number): void {
    const step = this.length / (2 * half);
    for (let start = 0; start < this.length; start += 2 * half) {
      for (let k = 0; k < half; k += 1) {
        const [i, j] = [start + k, start + k + half];
        const c = this.#cos[k * step] as number;
        const s = this.#sin[k * step] as number;
        const a = re[j] as number;
        const b = im[j] as number;
        const x = a * c - b * s;
        const y = a * s + b * c;
        const u = re[i] as number;
        const v = im[i] as number;
        re[j] = u - x;
        im[j] = v - y;
        re[i] = u + x;
        im[i] = v + y;
      }
    }
  }
}

/**
 * Bluestein's algorithm for any length: since k·n = (k² + n² - (k - n)²) / 2, the transform is a convolution with the
 * chirp e^(πi·n²/N), which is computed by transforms whose length is a power of two.
 */
class ChirpTransform implements FourierTransform {
  readonly length: number;
  readonly #inner: PowerOfTwoTransform;
  readonly #chirpRe: Float64Array;
  readonly #chirpIm: Float64Array;
  /** The transform of the conjugated chirp, divided by its length for the inverse transform. */
  readonly #filterRe: Float64Array;
  readonly #filterIm: Float64Array;
  readonly #re: Float64Array;
  readonly #im: Float64Array;

  constructor(length: number) {
    const padded = paddedLength(length);
    this.length = length;
    this.#inner = new PowerOfTwoTransform(padded);
    this.#chirpRe = new Float64Array(length);
    this.#chirpIm = new Float64Array(length);
    this.#filterRe = new Float64Array(padded);
    this.#filterIm = new Float64Array(padded);
    this.#re = new Float64Array(padded);
    this.#im = new Float64Array(padded);
    // n² modulo 2N, updated incrementally so that the angle stays exact.
    let square = 0;
    for (let n = 0; n < length; n += 1) {
      const angle = (Math.PI * square) / length;
      this.#chirpRe[n] = Math.cos(angle);
      this.#chirpIm[n] = -Math.sin(angle);
      for (const at of n === 0 ? [0] : [n, padded - n]) {
        this.#filterRe[at] = Math.cos(angle) / padded;
        this.#filterIm[at] = Math.sin(angle) / padded;
      }
      square = (square + 2 * n + 1) % (2 * length);
    }
    this.#inner.transform(this.#filterRe, this.#filterIm);
  }

  transform(re: Float64Array, im: Float64Array): void {
    const [x, y] = [this.#re, this.#im];
    x.fill(0);
    y.fill(0);
    multiply(x, y, re, im, this.#chirpRe, this.#chirpIm);
    this.#inner.transform(x, y);
    multiply(x, y, x, y, this.#filterRe, this.#filterIm);
    this.#inner.transform(y, x);
    multiply(re, im, x, y, this.#chirpRe, this.#chirpIm);
  }
}

/** The complex products of the elements of two sequences, as many as the last one has. */
function multiply(
  outRe: Float64Array,
  outIm: Float64Array,
  aRe: Float64Array,
  aIm: Float64Array,
  bRe: Float64Array,
  bIm: Float64Array,
): void {
  for (let i = 0; i < bRe.length; i += 1) {
    const a = aRe[i] as number;
    const b = aIm[i] as number;
    const c = bRe[i] as number;
    const d = bIm[i] as number;
    outRe[i] = a * c - b * d;
    outIm[i] = a * d + b * c;
  }
}
