/** Colors of one pixel: red, green and blue, or hue, saturation and value; all from 0 to 1 unless stated otherwise. */

export type Triple = readonly [number, number, number];

/** Hue is a fraction of a full turn. */
export function hsvOfRgb(r: number, g: number, b: number): Triple {
  const value = Math.max(r, g, b);
  const range = value - Math.min(r, g, b);
  const saturation = value > 0 ? range / value : 0;
  if (!(range > 0)) {
    return [0, saturation, value];
  }
  const unit = 1 / (6 * range);
  const hue = r === value ? unit * (g - b) : g === value ? unit * (b - r) + 2 / 6 : unit * (r - g) + 4 / 6;
  return [hue < 0 ? hue + 1 : hue, saturation, value];
}

const clamped = (value: number) => Math.min(Math.max(value, 0), 1);

/** Each color is a trapezoid of the hue; a hue beyond a full turn is not wrapped. */
export function rgbOfHsv(h: number, s: number, v: number): Triple {
  const sixth = h * 6;
  const shade = (part: number) => (1 - s + s * clamped(part)) * v;
  return [shade(Math.abs(sixth - 3) - 1), shade(2 - Math.abs(sixth - 2)), shade(2 - Math.abs(sixth - 4))];
}

/** For each sixth of the hue circle, the colors by decreasing brightness. */
const orders: readonly Triple[] = [
  [0, 1, 2],
  [1, 0, 2],
  [1, 2, 0],
  [2, 1, 0],
  [2, 0, 1],
  [0, 2, 1],
];

/** Rotates the hue of a pixel; its largest and smallest color are kept. @param turn 1 for the full circle. */
export function turnHue(rgb: Triple, turn: number): Triple {
  const largest = Math.max(...rgb);
  const smallest = Math.min(...rgb);
  const range = largest - smallest;
  if (!(range > 0)) {
    return [largest, largest, largest];
  }
  const hue = Math.fround(hsvOfRgb(...rgb)[0] * 6 + turn * 6);
  const turned = hue - 6 * Math.floor(hue / 6);
  const sixth = Math.min(Math.floor(turned), 5);
  const part = sixth % 2 === 0 ? turned - sixth : 1 - (turned - sixth);
  const sorted = [largest, smallest + part * range, smallest];
  const order = orders[sixth] ?? [0, 1, 2];
  const result: [number, number, number] = [0, 0, 0];
  for (const [rank, color] of order.entries()) {
    result[color] = sorted[rank] ?? 0;
  }
  return result;
}

/** Multiplies the saturation of a pixel, limited to 1. */
export function scaleSaturation(rgb: Triple, factor: number): Triple {
  const [h, s, v] = hsvOfRgb(...rgb);
  return rgbOfHsv(h, clamped(s * factor), v);
}
