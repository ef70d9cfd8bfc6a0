/** An image: rows of pixels, channels fastest. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly pixels: Uint8Array;
}
