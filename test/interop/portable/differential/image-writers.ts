/** Writes valid and invalid BMP and GIF files. */

/** The header fields of a BMP file, and its pixels. */
export interface BmpParts {
  readonly width: number;
  readonly height: number;
  readonly bits: number;
  readonly pixels: Uint8Array;
  /** Bytes between the header and the pixels. */
  readonly gap?: number;
}

/** A whole file of the format BMP. */
export function bmp({ width, height, bits, pixels, gap = 0 }: BmpParts): Buffer {
  const start = 54 + gap;
  const file = Buffer.alloc(start + pixels.length);
  file.write("BM", 0, "latin1");
  file.writeUInt32LE(file.length, 2);
  file.writeInt32LE(start, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(height, 22);
  file.writeUInt16LE(1, 26);
  file.writeInt16LE(bits, 28);
  file.set(pixels, start);
  return file;
}

/** An image of a GIF file. */
export interface FrameParts {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly indices: Uint8Array;
  readonly colorBits: number;
  readonly colors?: Uint8Array;
  readonly transparent?: number;
  readonly interlaced?: boolean;
  /** How often the table of codes begins anew, in indices; 0 for never. */
  readonly clearEvery: number;
}

/** The codes of indices, packed from their lowest bits on; a table as large as it can be where it never begins anew. */
function packed({ indices, colorBits, clearEvery }: FrameParts): Buffer {
  const clear = 1 << colorBits;
  const out: number[] = [];
  let buffer = 0;
  let buffered = 0;
  let bits = colorBits + 1;
  let table = new Map<string, number>();
  let next = clear + 2;
  const put = (code: number) => {
    buffer |= code << buffered;
    buffered += bits;
    while (buffered >= 8) {
      out.push(buffer & 0xff);
      buffer >>>= 8;
      buffered -= 8;
    }
  };
  const begin = () => {
    put(clear);
    bits = colorBits + 1;
    table = new Map();
    next = clear + 2;
  };
  const codeOf = (run: readonly number[]) => (run.length === 1 ? run[0] : table.get(run.join()));
  begin();
  let run: number[] = [];
  for (const [i, index] of indices.entries()) {
    const longer = [...run, index];
    if (codeOf(longer) !== undefined) {
      run = longer;
      continue;
    }
    put(codeOf(run) ?? 0);
    if (clearEvery > 0 && i % clearEvery === 0) {
      begin();
    } else if (next < 4096) {
      table.set(longer.join(), next);
      // The reader is one entry behind.
      if (next === 1 << bits && bits < 12) {
        bits += 1;
      }
      next += 1;
    }
    run = [index];
  }
  put(codeOf(run) ?? 0);
  if (next === 1 << bits && bits < 12) {
    bits += 1;
  }
  put(clear + 1);
  return Buffer.from([...out, buffer & 0xff]);
}

/** Bytes as blocks of up to 255, and the empty one that ends them. */
export function blocks(content: Uint8Array): Buffer {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < content.length; at += 255) {
    const block = content.subarray(at, at + 255);
    parts.push(Uint8Array.of(block.length), block);
  }
  return Buffer.concat([...parts, Uint8Array.of(0)]);
}

/** A frame with what controls it. @param content its pixels as blocks of codes. */
export function frameBytes(frame: FrameParts, content = blocks(packed(frame))): Buffer {
  const { left, top, width, height, colors, transparent, interlaced = false, colorBits } = frame;
  const descriptor = Buffer.alloc(10);
  descriptor[0] = 0x2c;
  for (const [i, value] of [left, top, width, height].entries()) {
    descriptor.writeUInt16LE(value, 1 + i * 2);
  }
  const palette = colors === undefined ? 0 : 0x80 | (Math.log2(colors.length / 3) - 1);
  descriptor[9] = palette | (interlaced ? 0x40 : 0);
  const control = transparent === undefined ? [] : [Buffer.of(0x21, 0xf9, 4, 1, 0, 0, transparent, 0)];
  return Buffer.concat([...control, descriptor, colors ?? Buffer.alloc(0), Buffer.of(colorBits), content]);
}

/** A whole file. @param parts frames and extensions. */
export function gif(colors: Uint8Array | undefined, parts: readonly Uint8Array[], end = ";"): Buffer {
  const screen = Buffer.alloc(13);
  screen.write("GIF89a", "latin1");
  screen.writeUInt16LE(3, 6);
  screen.writeUInt16LE(2, 8);
  screen[10] = colors === undefined ? 0 : 0x80 | (Math.log2(colors.length / 3) - 1);
  return Buffer.concat([screen, colors ?? Buffer.alloc(0), ...parts, Buffer.from(end)]);
}
