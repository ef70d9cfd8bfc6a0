import type { ReactElement } from "react";
import { attempt } from "../../stores/app-store.js";
import { Button } from "../../ui/button.js";
import { downloadFile } from "../../ui/download.js";
import { pngOf } from "./pixels.js";

interface SavePngProps {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8ClampedArray<ArrayBuffer>;
}

/** Saves what is drawn, pixel by pixel. */
export function SavePng({ name, width, height, rgba }: SavePngProps): ReactElement {
  return (
    <Button
      size="small"
      variant="ghost"
      icon="download"
      onClick={() =>
        attempt(async () => {
          downloadFile(await pngOf(width, height, rgba), `${name.replace(/[^\w.-]+/g, "_")}.png`);
        })
      }
    >
      PNG
    </Button>
  );
}
