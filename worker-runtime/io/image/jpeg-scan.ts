/** Reads the scans of a JPEG image into its coefficients (ITU T.81, annexes F and G). */
import { invalidArgument } from "../../protocol/status.js";
import { BitReader, type HuffmanTable } from "./jpeg-bits.js";
import { BLOCK, type JpegComponent, type JpegFrame } from "./jpeg-frame.js";

/** Where the coefficients of a block stand, in the order of the file. */
export const zigzag = Uint8Array.of(
  ...[0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48],
  ...[41, 34, 27, 20, 13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15],
  ...[23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63],
);

export interface ScanComponent {
  readonly component: JpegComponent;
  readonly dc: HuffmanTable | undefined;
  readonly ac: HuffmanTable | undefined;
}

export interface Scan {
  readonly components: readonly ScanComponent[];
  /** The coefficients that the scan has, first and last. */
  readonly from: number;
  readonly to: number;
  /** The successive approximation: the bit of the scan before, 0 in a first one, and this one's. */
  readonly high: number;
  readonly low: number;
  /** Units between restarts; 0 for none. */
  readonly restartInterval: number;
}

/**
 * Reads a scan into the coefficients of the frame.
 * @returns where the next marker is, at the earliest
 * @throws TensorFlowError INVALID_ARGUMENT if the scan is damaged or cut
 */
export function readScan(bytes: Uint8Array, at: number, frame: JpegFrame, scan: Scan): number {
  return new ScanReader(bytes, at, frame, scan).read();
}

class ScanReader {
  readonly #bits: BitReader;
  readonly #frame: JpegFrame;
  readonly #scan: Scan;
  readonly #predictions: Int32Array;
  /** Blocks that have no more values (EOBRUN). */
  #empty = 0;

  constructor(bytes: Uint8Array, at: number, frame: JpegFrame, scan: Scan) {
    this.#bits = new BitReader(bytes, at);
    this.#frame = frame;
    this.#scan = scan;
    this.#predictions = new Int32Array(scan.components.length);
  }

  read(): number {
    const { components, restartInterval } = this.#scan;
    const [first] = components;
    const isAlone = components.length === 1 && first !== undefined;
    const wide = isAlone ? Math.ceil(first.component.width / 8) : this.#frame.unitsWide;
    const high = isAlone ? Math.ceil(first.component.height / 8) : this.#frame.unitsHigh;
    for (let unit = 0; unit < wide * high; unit++) {
      if (restartInterval > 0 && unit > 0 && unit % restartInterval === 0) this.#restart();
      const [row, column] = [Math.floor(unit / wide), unit % wide];
      if (isAlone) this.#block(first, 0, row, column);
      else this.#unit(row, column);
      if (this.#bits.isExhausted)
        throw invalidArgument("The JPEG image is damaged or cut: its pixels end early.");
    }
    return this.#bits.position;
  }

  #unit(row: number, column: number): void {
    for (const [index, part] of this.#scan.components.entries()) {
      const { h, v } = part.component;
      for (let y = 0; y < v; y++)
        for (let x = 0; x < h; x++) this.#block(part, index, row * v + y, column * h + x);
    }
  }

  #restart(): void {
    this.#bits.restart();
    this.#predictions.fill(0);
    this.#empty = 0;
  }

  #block(part: ScanComponent, index: number, row: number, column: number): void {
    const { component } = part;
    const at = (row * component.blocksWide + column) * BLOCK;
    const { from, high } = this.#scan;
    if (!this.#frame.isProgressive) {
      this.#first(part, index, at);
      this.#values(part, at, 1);
    } else if (from === 0) {
      if (high === 0) this.#first(part, index, at);
      else if (this.#bits.take(1) === 1)
        component.coefficients[at] = (component.coefficients[at] ?? 0) | (1 << this.#scan.low);
    } else if (high === 0) {
      this.#values(part, at, from);
    } else {
      this.#refine(part, at);
    }
  }

  /** The mean of a block, as its difference from the block before. */
  #first({ component, dc }: ScanComponent, index: number, at: number): void {
    const size = this.#bits.code(present(dc));
    if (size > 15) throw invalidArgument("The JPEG image is damaged: a value in it is too large.");
    const value = (this.#predictions[index] ?? 0) + this.#bits.signed(size);
    this.#predictions[index] = value;
    component.coefficients[at] = value << this.#scan.low;
  }

  #values({ component: { coefficients }, ac }: ScanComponent, at: number, from: number): void {
    if (this.#empty > 0) {
      this.#empty -= 1;
      return;
    }
    const table = present(ac);
    const { to, low } = this.#scan;
    for (let k = from; k <= to; k++) {
      const code = this.#bits.code(table);
      const [run, size] = [code >> 4, code & 15];
      if (size > 0) {
        k += run;
        if (k > 63) throw invalidArgument("The JPEG image is damaged: a block in it has too many values.");
        coefficients[at + (zigzag[k] as number)] = this.#bits.signed(size) << low;
      } else if (run === 15) {
        k += 15;
      } else {
        this.#empty = (1 << run) - 1 + this.#bits.take(run);
        return;
      }
    }
  }

  /** One more bit of the values of a block, and its new values (T.81, figure G.7). */
  #refine({ component: { coefficients }, ac }: ScanComponent, at: number): void {
    const { from, to, low } = this.#scan;
    const bit = 1 << low;
    let k = from;
    if (this.#empty === 0) {
      const table = present(ac);
      for (; k <= to; k++) {
        const code = this.#bits.code(table);
        let run = code >> 4;
        let value = 0;
        if ((code & 15) > 0) {
          value = this.#bits.take(1) === 1 ? bit : -bit;
        } else if (run < 15) {
          this.#empty = (1 << run) + this.#bits.take(run);
          break;
        }
        for (; k <= to; k++) {
          const target = at + (zigzag[k] as number);
          if (coefficients[target] !== 0) this.#correct(coefficients, target, bit);
          else if (run === 0) {
            coefficients[target] = value;
            break;
          } else run -= 1;
        }
      }
    }
    if (this.#empty > 0) {
      for (; k <= to; k++) {
        const target = at + (zigzag[k] as number);
        if (coefficients[target] !== 0) this.#correct(coefficients, target, bit);
      }
      this.#empty -= 1;
    }
  }

  #correct(coefficients: Int16Array, target: number, bit: number): void {
    const value = coefficients[target] as number;
    if (this.#bits.take(1) === 1 && (Math.abs(value) & bit) === 0) {
      coefficients[target] = value + (value > 0 ? bit : -bit);
    }
  }
}

function present(table: HuffmanTable | undefined): HuffmanTable {
  if (table) return table;
  throw invalidArgument("The JPEG image is damaged: a table of codes is missing.");
}
