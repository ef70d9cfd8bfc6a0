/** Exports the graph as a picture. */
import { ProblemError } from "../../main/api/wire.js";
import { inSlices } from "../document/in-slices.js";
import { useDocument } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { downloadFile } from "../ui/download.js";
import { nextTask } from "../ui/next-task.js";
import { solidColours } from "../ui/solid-colours.js";
import { drawingNow } from "../viewport/drawing.js";
import { graphSvg, type SvgPicture } from "../viewport/graph-svg.js";
import { baseNameOf } from "./file-actions.js";

const words = texts.actions.pictureActions;

export type PictureFormat = "svg" | "png";

/** Pixels of a PNG per pixel of the graph at 100 % zoom. */
const PNG_SCALE = 2;
/** The longest side that all browsers draw. */
const MAX_PNG_SIDE = 8192;

/**
 * Downloads the graph as the canvas draws it, in the present theme; what is closed stays closed.
 *
 * @param selectedOnly what is selected, with the edges between
 * @throws ProblemError FAILED_PRECONDITION if there is nothing to draw
 */
export async function exportPicture(format: PictureFormat, selectedOnly: boolean): Promise<void> {
  const drawing = drawingNow(solidColours(), selectedOnly);
  if (drawing.items.length === 0) {
    throw new ProblemError({
      code: "FAILED_PRECONDITION",
      message: words.nothing,
      remedy: selectedOnly ? words.selectNodes : words.addNodes,
    });
  }
  // Another tab may be shown by the time that a large graph is drawn.
  const name = `${baseNameOf(useDocument.getState().document.name)}${selectedOnly ? "-selection" : ""}`;
  const picture = await inSlices(graphSvg(drawing), { pause: nextTask });
  const svg = new Blob([picture.svg], { type: "image/svg+xml" });
  downloadFile(format === "svg" ? svg : await pngOf(svg, picture), `${name}.${format}`);
}

async function pngOf(svg: Blob, { width, height }: SvgPicture): Promise<Blob> {
  const scale = Math.min(PNG_SCALE, MAX_PNG_SIDE / Math.max(width, height));
  const url = URL.createObjectURL(svg);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error(words.noPng))), "image/png"),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}
