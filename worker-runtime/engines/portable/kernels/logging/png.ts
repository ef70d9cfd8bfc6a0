import { deflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Colour types of PNG by the number of channels: grey, red-green-blue, and that with opacity. */
const COLOR_TYPES: Readonly<Record<number, number>> = { 1: 0, 3: 2, 4: 6 };

const BITS_PER_CHANNEL = 8;

/** The polynomial of CRC-32 (ISO 3309), bits reversed. */
const POLYNOMIAL = 0xedb88320;

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) {
    crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
  }
  return crc;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0);
  }
  return ~crc >>> 0;
}

function chunk(type: string, content: Uint8Array): Buffer {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, crc]);
}

/** A picture of 8 bits a channel. */
export interface Picture {
  readonly height: number;
  readonly width: number;
  /** 1, 3 or 4. */
  readonly channels: number;
  /** Row by row, pixel by pixel, channel by channel. */
  readonly data: Uint8Array;
}

/** The bytes of a PNG file (RFC 2083) of a picture; of the rows' filters it uses none. */
export function encodePng({ height, width, channels, data }: Picture): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(BITS_PER_CHANNEL, 8);
  header.writeUInt8(COLOR_TYPES[channels] ?? 0, 9);
  const rowBytes = width * channels;
  // A byte before each row says how it is filtered.
  const rows = new Uint8Array(height * (1 + rowBytes));
  for (let row = 0; row < height; row += 1) {
    rows.set(data.subarray(row * rowBytes, (row + 1) * rowBytes), row * (1 + rowBytes) + 1);
  }
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", new Uint8Array(0)),
  ]);
}
