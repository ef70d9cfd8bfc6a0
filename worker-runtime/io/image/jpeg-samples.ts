/** From coefficients of a JPEG image to samples of the image's size, as TensorFlow's decoder computes them by default. */
import { BLOCK, type JpegComponent, type JpegFrame } from "./jpeg-frame.js";

/** Fractional bits of a scaled table of quantization, and how the last pass gets rid of them and of a factor of 8. */
const SCALE_BITS = 2;
const LAST_SHIFT = SCALE_BITS + 3;

/** Scale factors of rows and columns, times 2^14 (Arai, Agui and Nakajima). */
const AAN_SCALES = [1, 1.387039845, 1.306562965, 1.175875602, 1, 0.785694958, 0.5411961, 0.275899379];

/** A plane of samples, one byte each. */
export interface Plane {
  readonly width: number;
  readonly height: number;
  /** Samples of a row, those beyond the width included. */
  readonly stride: number;
  readonly samples: Uint8Array;
}

/** The samples of a component at its own resolution. @param quantization its table, not in zigzag order */
export function samplesOf(component: JpegComponent, quantization: Uint16Array): Plane {
  const { blocksWide, blocksHigh, coefficients, width, height } = component;
  const stride = blocksWide * 8;
  const samples = new Uint8Array(stride * blocksHigh * 8);
  const scaled = scaledTable(quantization);
  const work = new Int32Array(BLOCK);
  for (let block = 0; block < blocksWide * blocksHigh; block++) {
    const at = block * BLOCK;
    for (let i = 0; i < BLOCK; i++) work[i] = (coefficients[at + i] as number) * (scaled[i] as number);
    for (let column = 0; column < 8; column++) transform(work, column, 8);
    for (let row = 0; row < 8; row++) transform(work, 8 * row, 1);
    const to = Math.floor(block / blocksWide) * 8 * stride + (block % blocksWide) * 8;
    for (let i = 0; i < BLOCK; i++) {
      const value = ((work[i] as number) >> LAST_SHIFT) + 128;
      samples[to + (i >> 3) * stride + (i & 7)] = value < 0 ? 0 : value > 255 ? 255 : value;
    }
  }
  return { width, height, stride, samples };
}

function scaledTable(quantization: Uint16Array): Int32Array {
  return Int32Array.from(quantization, (value, i) => {
    const scale = Math.round((AAN_SCALES[i >> 3] ?? 1) * (AAN_SCALES[i & 7] ?? 1) * 2 ** 14);
    return (value * scale + 2 ** (13 - SCALE_BITS)) >> (14 - SCALE_BITS);
  });
}

/** The inverse cosine transform of eight values, in place: the fast one of libjpeg-turbo (jidctfst.c), bit by bit. */
function transform(work: Int32Array, at: number, step: number): void {
  const in0 = work[at] as number;
  const in1 = work[at + step] as number;
  const in2 = work[at + 2 * step] as number;
  const in3 = work[at + 3 * step] as number;
  const in4 = work[at + 4 * step] as number;
  const in5 = work[at + 5 * step] as number;
  const in6 = work[at + 6 * step] as number;
  const in7 = work[at + 7 * step] as number;

  const even13 = in2 + in6;
  const even12 = (((in2 - in6) * 362) >> 8) - even13;
  const e0 = in0 + in4 + even13;
  const e3 = in0 + in4 - even13;
  const e1 = in0 - in4 + even12;
  const e2 = in0 - in4 - even12;

  const z13 = in5 + in3;
  const z10 = in5 - in3;
  const z11 = in1 + in7;
  const z12 = in1 - in7;
  const z5 = ((z10 + z12) * 473) >> 8;
  const o7 = z11 + z13;
  const o6 = ((z10 * -669) >> 8) + z5 - o7;
  const o5 = (((z11 - z13) * 362) >> 8) - o6;
  const o4 = ((z12 * 277) >> 8) - z5 + o5;

  work[at] = e0 + o7;
  work[at + step] = e1 + o6;
  work[at + 2 * step] = e2 + o5;
  work[at + 3 * step] = e3 - o4;
  work[at + 4 * step] = e3 + o4;
  work[at + 5 * step] = e2 - o5;
  work[at + 6 * step] = e1 - o6;
  work[at + 7 * step] = e0 - o7;
}

/** A component at the image's resolution: smoothed where it is half of it ("fancy upsampling"), repeated otherwise. */
export function enlarged(plane: Plane, { h, v }: JpegComponent, frame: JpegFrame): Plane {
  const [stepX, stepY] = [frame.maxH / h, frame.maxV / v];
  const { width, height } = frame;
  if (stepX === 1 && stepY === 1) return plane;
  const samples = new Uint8Array(width * height);
  const isSmooth = plane.width > 2;
  if (stepX === 2 && stepY === 1 && isSmooth) doubledAcross(plane, samples, width, height);
  else if (stepX === 2 && stepY === 2 && isSmooth) doubled(plane, samples, width, height);
  else if (stepX === 1 && stepY === 2) doubledDown(plane, samples, width, height);
  else repeated(plane, samples, width, height, stepX, stepY);
  return { width, height, stride: width, samples };
}

function repeated(
  plane: Plane,
  out: Uint8Array,
  width: number,
  height: number,
  stepX: number,
  stepY: number,
) {
  for (let y = 0; y < height; y++) {
    const from = Math.floor(y / stepY) * plane.stride;
    for (let x = 0; x < width; x++)
      out[y * width + x] = plane.samples[from + Math.floor(x / stepX)] as number;
  }
}

/** Each sample gets three quarters of the nearer and one of the farther neighbour. */
function doubledAcross(
  { samples, stride, width: most }: Plane,
  out: Uint8Array,
  width: number,
  height: number,
) {
  for (let y = 0; y < height; y++) {
    const row = y * stride;
    for (let x = 0; x < width; x++) {
      const near = x >> 1;
      const far = near + (x % 2 === 0 ? -1 : 1);
      const value = samples[row + near] as number;
      out[y * width + x] =
        far < 0 || far >= most
          ? value
          : (value * 3 + (samples[row + far] as number) + (x % 2 === 0 ? 1 : 2)) >> 2;
    }
  }
}

function doubledDown(
  { samples, stride, height: most }: Plane,
  out: Uint8Array,
  width: number,
  height: number,
) {
  for (let y = 0; y < height; y++) {
    const [near, far] = neighbours(y, most);
    const bias = y % 2 === 0 ? 1 : 2;
    for (let x = 0; x < width; x++) {
      out[y * width + x] =
        ((samples[near * stride + x] as number) * 3 + (samples[far * stride + x] as number) + bias) >> 2;
    }
  }
}

function doubled(
  { samples, stride, width: most, height: rows }: Plane,
  out: Uint8Array,
  width: number,
  height: number,
) {
  for (let y = 0; y < height; y++) {
    const [near, far] = neighbours(y, rows);
    const column = (x: number) =>
      (samples[near * stride + x] as number) * 3 + (samples[far * stride + x] as number);
    for (let x = 0; x < width; x++) {
      const at = x >> 1;
      const other = at + (x % 2 === 0 ? -1 : 1);
      const bias = x % 2 === 0 ? 8 : 7;
      out[y * width + x] =
        (column(at) * 3 + (other < 0 || other >= most ? column(at) : column(other)) + bias) >> 4;
    }
  }
}

/** The row that a doubled one comes from, and the next nearest; at the edges, the same. */
function neighbours(y: number, rows: number): readonly [near: number, far: number] {
  const near = y >> 1;
  return [near, Math.min(Math.max(near + (y % 2 === 0 ? -1 : 1), 0), rows - 1)];
}
