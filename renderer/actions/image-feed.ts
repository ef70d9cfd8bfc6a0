/** Images as the value of a placeholder, decoded by the browser. */
import type { FeedValue } from "../../main/api/feeds.js";
import type { ImageShape } from "../document/feed-fit.js";
import { wantedShapeText } from "../document/feed-fit.js";
import { texts } from "../texts/texts.js";

const words = texts.actions.imageFeed;

/** More pixels would be no example, but a data set, which belongs in a .npy file. */
const MAX_PIXEL_BYTES = 64 * 1024 * 1024;
/** Weights of red, green and blue in grey (ITU-R BT.601), as TensorFlow's rgb_to_grayscale. */
const GREY_WEIGHTS = [0.2989, 0.587, 0.114] as const;

/**
 * The pixels of images in the size that a placeholder takes: the middle of each, cut to its proportions and resized; as
 * large as the first one where any size is taken. The note says what was done.
 *
 * @throws Error that can be shown, if a file is no image that the browser reads or there are too many
 */
export async function imageFeed(
  files: readonly File[],
  wanted: ImageShape,
  node: string,
): Promise<FeedValue> {
  const [first] = files;
  if (!first) throw new Error(words.none);
  const most = wanted.batch === undefined ? 1 : wanted.batch < 0 ? files.length : wanted.batch;
  if (files.length !== most) {
    throw new Error(words.wrongCount({ node, most, chosen: files.length }));
  }
  const pictures: ImageBitmap[] = [];
  try {
    for (const file of files) pictures.push(await decoded(file));
    return pixelFeed(files, pictures, wanted, node);
  } finally {
    for (const picture of pictures) picture.close();
  }
}

async function decoded(file: File): Promise<ImageBitmap> {
  try {
    return await createImageBitmap(file);
  } catch (error) {
    throw new Error(words.unreadable({ file: file.name }), { cause: error });
  }
}

function pixelFeed(
  files: readonly File[],
  pictures: readonly ImageBitmap[],
  wanted: ImageShape,
  node: string,
): FeedValue {
  const [first] = pictures;
  const width = wanted.width < 0 ? (first?.width ?? 0) : wanted.width;
  const height = wanted.height < 0 ? (first?.height ?? 0) : wanted.height;
  const size = width * height * wanted.channels;
  if (size * pictures.length > MAX_PIXEL_BYTES) {
    const shape = wantedShapeText([pictures.length, height, width, wanted.channels]);
    throw new Error(words.tooLarge({ shape, node }));
  }
  const bytes = new Uint8Array(size * pictures.length);
  const done = { cut: false, resized: false };
  pictures.forEach((picture, index) => {
    const cut = middleOf(picture, width / height);
    done.cut ||= cut.width !== picture.width || cut.height !== picture.height;
    done.resized ||= cut.width !== width || cut.height !== height;
    writePixels(
      bytes.subarray(index * size, (index + 1) * size),
      picture,
      cut,
      width,
      height,
      wanted.channels,
    );
  });
  const note = noteOf(done, pictures);
  return {
    kind: "content",
    name: files.length === 1 ? (files[0]?.name ?? "") : words.images({ count: files.length }),
    bytes,
    pixels: {
      range: "unit",
      shape: [...(wanted.batch === undefined ? [] : [pictures.length]), height, width, wanted.channels],
    },
    ...(note === undefined ? {} : { note }),
  };
}

/** "cut and resized from 640 × 480"; of several, which may differ in size, only what was done. */
function noteOf(
  done: { readonly cut: boolean; readonly resized: boolean },
  pictures: readonly Pick<ImageBitmap, "width" | "height">[],
): string | undefined {
  if (!done.cut && !done.resized) return undefined;
  const what = done.cut ? (done.resized ? "cutAndResized" : "cut") : "resized";
  const [first] = pictures;
  return first && pictures.length === 1
    ? words[`${what}From`]({ size: `${first.width} × ${first.height}` })
    : words[what];
}

interface Cut {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The largest part in the middle that has the proportions. */
function middleOf({ width, height }: Pick<ImageBitmap, "width" | "height">, proportions: number): Cut {
  const cutWidth = Math.min(width, Math.max(1, Math.round(height * proportions)));
  const cutHeight = Math.min(height, Math.max(1, Math.round(width / proportions)));
  return {
    x: Math.floor((width - cutWidth) / 2),
    y: Math.floor((height - cutHeight) / 2),
    width: cutWidth,
    height: cutHeight,
  };
}

function writePixels(
  target: Uint8Array,
  picture: ImageBitmap,
  cut: Cut,
  width: number,
  height: number,
  channels: ImageShape["channels"],
): void {
  const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error(words.cannotDraw);
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, cut.x, cut.y, cut.width, cut.height, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  const [red, green, blue] = GREY_WEIGHTS;
  for (let pixel = 0; pixel < width * height; pixel++) {
    const from = pixel * 4;
    const to = pixel * channels;
    if (channels === 1) {
      const grey = red * (data[from] ?? 0) + green * (data[from + 1] ?? 0) + blue * (data[from + 2] ?? 0);
      target[to] = Math.round(grey);
    } else {
      for (let channel = 0; channel < channels; channel++) target[to + channel] = data[from + channel] ?? 0;
    }
  }
}
