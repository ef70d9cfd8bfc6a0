/** The picture in the tray: three nodes of a graph, drawn here, because Electron takes no SVG. */

/** Twice the usual size, for screens of high resolution. */
const SIZE = 32;
const BYTES_PER_PIXEL = 4;

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Nodes, then the edges between them. */
const BOXES: readonly Box[] = [
  { left: 3, top: 4, right: 13, bottom: 12 },
  { left: 3, top: 20, right: 13, bottom: 28 },
  { left: 19, top: 12, right: 29, bottom: 20 },
  { left: 13, top: 7, right: 17, bottom: 9 },
  { left: 15, top: 7, right: 17, bottom: 25 },
  { left: 13, top: 23, right: 17, bottom: 25 },
  { left: 17, top: 15, right: 19, bottom: 17 },
];

/**
 * Blue is legible on both light and dark bars; macOS colours a black picture itself. In the byte order that Electron
 * expects.
 */
const BLUE = [246, 130, 59, 255] as const;
const BLACK = [0, 0, 0, 255] as const;

export function trayBitmap(platform: NodeJS.Platform): { readonly bytes: Buffer; readonly size: number } {
  const colour = platform === "darwin" ? BLACK : BLUE;
  const bytes = Buffer.alloc(SIZE * SIZE * BYTES_PER_PIXEL);
  for (const { left, top, right, bottom } of BOXES) {
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) bytes.set(colour, (y * SIZE + x) * BYTES_PER_PIXEL);
    }
  }
  return { bytes, size: SIZE };
}
