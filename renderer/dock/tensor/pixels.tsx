import { type MouseEvent, type ReactElement, useEffect, useRef } from "react";
import { classNames } from "../../ui/class-names.js";
import styles from "./pixels.module.css";

interface PixelsProps {
  readonly width: number;
  readonly height: number;
  /** 8-bit RGBA, row by row. */
  readonly rgba: Uint8ClampedArray<ArrayBuffer>;
  /** For screen readers. */
  readonly label: string;
  readonly className?: string | undefined;
  /** The pixel under the pointer. */
  onPoint?(x: number, y: number): void;
}

/** A picture of pixels, enlarged without smoothing. */
export function Pixels({ width, height, rgba, label, className, onPoint }: PixelsProps): ReactElement {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (context && width > 0 && height > 0) context.putImageData(new ImageData(rgba, width, height), 0, 0);
  }, [width, height, rgba]);
  const point = (event: MouseEvent<HTMLCanvasElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const x = Math.floor(((event.clientX - box.left) / box.width) * width);
    const y = Math.floor(((event.clientY - box.top) / box.height) * height);
    if (x >= 0 && x < width && y >= 0 && y < height) onPoint?.(x, y);
  };
  return (
    <canvas
      ref={canvas}
      width={width}
      height={height}
      role="img"
      aria-label={label}
      className={classNames(styles.pixels, className)}
      {...(onPoint ? { onMouseMove: point, onClick: point } : {})}
    />
  );
}

/** The pixels as a PNG file. */
export async function pngOf(
  width: number,
  height: number,
  rgba: Uint8ClampedArray<ArrayBuffer>,
): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  canvas.getContext("2d")?.putImageData(new ImageData(rgba, width, height), 0, 0);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("The browser made no PNG."))),
      "image/png",
    ),
  );
}
