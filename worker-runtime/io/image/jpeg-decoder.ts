/** Reads JPEG images, ITU T.81: baseline and progressive, as TensorFlow's DecodeJpeg does by default. */
import { invalidArgument, type TensorFlowError } from "../../protocol/status.js";
import { HuffmanTable } from "./jpeg-bits.js";
import { type JpegFrame, readFrame } from "./jpeg-frame.js";
import { enlarged, type Plane, samplesOf } from "./jpeg-samples.js";
import { readScan, type Scan, zigzag } from "./jpeg-scan.js";
import type { Pixels } from "./pixels.js";

export function isJpeg(bytes: Uint8Array): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;
}

/**
 * The pixels of a JPEG image.
 * @param channels 1 for its brightness, 3 for colors; 0 for as many as it has (colors, if it has four components)
 * @throws TensorFlowError INVALID_ARGUMENT for a damaged or cut image; UNIMPLEMENTED for rare processes
 */
export function decodeJpeg(bytes: Uint8Array, channels: 0 | 1 | 3): Pixels {
  return new Decoder(bytes).decode(channels);
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function wordAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

class Decoder {
  readonly #bytes: Uint8Array;
  readonly #quantization: (Uint16Array | undefined)[] = [];
  readonly #dc: (HuffmanTable | undefined)[] = [];
  readonly #ac: (HuffmanTable | undefined)[] = [];
  #frame: JpegFrame | undefined;
  #restartInterval = 0;
  /** The transform of an Adobe segment: 0 colors as they are, 1 YCbCr, 2 YCCK. */
  #transform: number | undefined;
  #isJfif = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  decode(channels: 0 | 1 | 3): Pixels {
    const bytes = this.#bytes;
    let isDone = false;
    let scans = 0;
    for (let at = 2; !isDone && at + 1 < bytes.length; ) {
      // Bytes between two segments are skipped, as libjpeg does.
      if (bytes[at] !== 0xff || [0x00, 0xff].includes(bytes[at + 1] ?? 0)) {
        at += 1;
        continue;
      }
      const marker = bytes[at + 1] ?? 0;
      at += 2;
      if (marker === 0xd9) isDone = true;
      if (marker === 0xd9 || (marker >= 0xd0 && marker <= 0xd8)) continue;
      const length = wordAt(bytes, at);
      if (length < 2 || at + length > bytes.length) throw damaged("a segment is cut");
      const content = bytes.subarray(at + 2, at + length);
      at += length;
      if (marker === 0xda) {
        at = readScan(bytes, at, this.#frameOf(), this.#scan(content));
        scans += 1;
      } else this.#segment(marker, content);
    }
    if (!isDone || scans === 0) throw damaged("it ends early");
    return this.#pixels(channels);
  }

  #frameOf(): JpegFrame {
    if (this.#frame) return this.#frame;
    throw damaged("it has no frame");
  }

  #segment(marker: number, content: Uint8Array): void {
    if (isFrame(marker)) {
      if (this.#frame) throw damaged("it has two frames");
      this.#frame = readFrame(marker, content);
      return;
    }
    switch (marker) {
      case 0xc4:
        this.#codes(content);
        return;
      case 0xdb:
        this.#quantizations(content);
        return;
      case 0xdd:
        this.#restartInterval = wordAt(content, 0);
        return;
      case 0xe0:
        this.#isJfif ||= startsWith(content, "JFIF");
        return;
      case 0xee:
        if (startsWith(content, "Adobe")) this.#transform = content[11];
        return;
    }
  }

  #quantizations(content: Uint8Array): void {
    for (let at = 0; at < content.length; ) {
      const [kind = 0] = content.subarray(at);
      const size = kind >> 4 === 0 ? 1 : 2;
      const table = new Uint16Array(64);
      for (let i = 0; i < 64; i++)
        table[zigzag[i] as number] =
          size === 1 ? (content[at + 1 + i] ?? 0) : wordAt(content, at + 1 + 2 * i);
      this.#quantization[kind & 15] = table;
      at += 1 + 64 * size;
    }
  }

  #codes(content: Uint8Array): void {
    for (let at = 0; at + 17 <= content.length; ) {
      const [kind = 0] = content.subarray(at);
      const counts = content.subarray(at + 1, at + 17);
      const total = counts.reduce((sum, count) => sum + count, 0);
      const table = new HuffmanTable(counts, content.slice(at + 17, at + 17 + total));
      (kind >> 4 === 0 ? this.#dc : this.#ac)[kind & 15] = table;
      at += 17 + total;
    }
  }

  #scan(content: Uint8Array): Scan {
    const { components, isProgressive } = this.#frameOf();
    const count = content[0] ?? 0;
    const parts = Array.from({ length: count }, (_, i) => {
      const [id, tables = 0] = content.subarray(1 + 2 * i);
      const component = components.find((one) => one.id === id);
      if (!component) throw damaged("a scan names a component that it does not have");
      return { component, dc: this.#dc[tables >> 4], ac: this.#ac[tables & 15] };
    });
    const [from = 0, to = 63, bits = 0] = content.subarray(1 + 2 * count);
    if (count === 0 || from > to || to > 63) throw damaged("the header of a scan is not valid");
    const restartInterval = this.#restartInterval;
    return isProgressive
      ? { components: parts, from, to, high: bits >> 4, low: bits & 15, restartInterval }
      : { components: parts, from: 0, to: 63, high: 0, low: 0, restartInterval };
  }

  #pixels(channels: 0 | 1 | 3): Pixels {
    const frame = this.#frameOf();
    const { components, width, height } = frame;
    const isGray = components.length === 1;
    const isBrightness = isGray || (channels === 1 && components.length === 3 && this.#isYcc(frame));
    const planes = (isBrightness ? components.slice(0, 1) : components).map((component) => {
      const table = this.#quantization[component.quantization];
      if (!table) throw damaged("a table of quantization is missing");
      return enlarged(samplesOf(component, table), component, frame);
    });
    const [first] = planes;
    if (isBrightness && first) {
      const wanted = channels === 0 ? 1 : channels;
      const pixels = new Uint8Array(width * height * wanted);
      each(width, height, (x, y, at) => {
        const value = first.samples[y * first.stride + x] as number;
        for (let channel = 0; channel < wanted; channel++) pixels[at * wanted + channel] = value;
      });
      return { width, height, channels: wanted, pixels };
    }
    const colors = this.#colors(frame, planes);
    return channels === 1
      ? grayOf({ width, height, channels: 3, pixels: colors })
      : { width, height, channels: 3, pixels: colors };
  }

  #isYcc({ components }: JpegFrame): boolean {
    if (this.#isJfif) return true;
    if (this.#transform !== undefined) return this.#transform !== 0;
    return components.map(({ id }) => id).join() !== "82,71,66";
  }

  #colors(frame: JpegFrame, planes: readonly Plane[]): Uint8Array {
    const { width, height } = frame;
    const out = new Uint8Array(width * height * 3);
    const [a, b, c, black] = planes;
    if (!a || !b || !c) throw damaged("a component is missing");
    const isYcc = black ? this.#transform === 2 : this.#isYcc(frame);
    each(width, height, (x, y, at) => {
      const [one, two, three] = [sampleAt(a, x, y), sampleAt(b, x, y), sampleAt(c, x, y)];
      if (isYcc) storeYcc(out, at * 3, one, two, three);
      else out.set([one, two, three], at * 3);
      if (black) separate(out, at * 3, sampleAt(black, x, y), isYcc, this.#transform !== undefined);
    });
    return out;
  }
}

function each(width: number, height: number, visit: (x: number, y: number, at: number) => void): void {
  let at = 0;
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) visit(x, y, at++);
}

function sampleAt({ samples, stride }: Plane, x: number, y: number): number {
  return samples[y * stride + x] as number;
}

/** YCbCr to red, green and blue, rounded as jdcolor.c. */
function storeYcc(out: Uint8Array, at: number, y: number, cb: number, cr: number): void {
  const [blue, red] = [cb - 128, cr - 128];
  out[at] = clamped(y + ((91881 * red + 32768) >> 16));
  out[at + 1] = clamped(y + ((-22554 * blue - 46802 * red + 32768) >> 16));
  out[at + 2] = clamped(y + ((116130 * blue + 32768) >> 16));
}

/** Print colors to screen colors, as TensorFlow does. Adobe's are stored inverted; YCCK became colors already. */
function separate(out: Uint8Array, at: number, black: number, isYcck: boolean, isAdobe: boolean): void {
  for (let channel = at; channel < at + 3; channel++) {
    const ink = isYcck ? 255 - (out[channel] as number) : (out[channel] as number);
    out[channel] = isAdobe ? (ink * black) / 255 : ((255 - ink) * (255 - black)) / 255;
  }
}

function grayOf({ width, height, pixels }: Pixels): Pixels {
  const gray = new Uint8Array(width * height);
  for (let i = 0; i < gray.length; i++) {
    const [red = 0, green = 0, blue = 0] = pixels.subarray(3 * i, 3 * i + 3);
    gray[i] = (19595 * red + 38470 * green + 7471 * blue + 32768) >> 16;
  }
  return { width, height, channels: 1, pixels: gray };
}

function clamped(value: number): number {
  return value < 0 ? 0 : value > 255 ? 255 : value;
}

function startsWith(content: Uint8Array, text: string): boolean {
  return Buffer.from(content.subarray(0, text.length)).toString("latin1") === text;
}

function damaged(how: string): TensorFlowError {
  return invalidArgument(`The JPEG image is damaged: ${how}.`);
}
