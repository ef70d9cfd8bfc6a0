import { type ReactElement, useEffect, useState } from "react";
import type { Example } from "../../main/api/documents.js";
import { tryParseDeviceName } from "../../worker-runtime/cluster/device-name.js";
import { atOnce } from "../../worker-runtime/graph/slices.js";
import { type GraphImage, imagesInGraph } from "../document/graph-images.js";
import type { GraphDocument } from "../document/model.js";
import { lookupOp } from "../stores/document-store.js";
import { slicedOpening } from "../stores/opening.js";
import { client } from "../transport/client.js";
import { edgePath } from "../viewport/edge-path.js";
import { edgeEnds, type GraphMap, mapOf, nodeRect } from "../viewport/graph-map.js";
import styles from "./example-picture.module.css";

const WIDTH = 240;
const HEIGHT = 96;
const MARGIN = 10;
/** Images in one row of the picture. */
const PER_ROW = 10;
/** More are not recognized in a picture of this size. */
const MOST_IMAGES = 2 * PER_ROW;

/** The picture of an example, drawn from the example itself: its images if it has any, else its graph. */
export function ExamplePicture({ example: { id } }: { readonly example: Example }): ReactElement {
  const [document, setDocument] = useState<GraphDocument>();
  useEffect(() => {
    let isOpen = true;
    client()
      .call("documents.openExample", { id })
      .then((file) => {
        if (isOpen) setDocument(atOnce(slicedOpening(file)).document);
      })
      // The card is complete without its picture; opening the example says what is wrong.
      .catch(() => undefined);
    return () => {
      isOpen = false;
    };
  }, [id]);
  const images = document ? imagesInGraph(document.nodes).slice(0, MOST_IMAGES) : [];
  return (
    <svg className={styles.picture} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {images.length > 0 ? (
        <Images images={images} />
      ) : document ? (
        <Graph map={mapOf(document, lookupOp)} />
      ) : null}
    </svg>
  );
}

function Images({ images }: { readonly images: readonly GraphImage[] }): ReactElement {
  const rows = Math.ceil(images.length / PER_ROW);
  const side = Math.min((WIDTH - 2 * MARGIN) / PER_ROW, (HEIGHT - 2 * MARGIN) / rows);
  const left = (WIDTH - side * Math.min(PER_ROW, images.length)) / 2;
  const top = (HEIGHT - side * rows) / 2;
  return (
    <>
      {images.map((image, index) => {
        // Those of one class stand under each other where there are two of each.
        const column = Math.floor(index / rows);
        const x = left + column * side;
        const y = top + (index % rows) * side;
        // biome-ignore lint/suspicious/noArrayIndexKey: the images of a graph keep their order
        return <PixelImage key={index} image={image} x={x} y={y} side={side - 2} />;
      })}
    </>
  );
}

function PixelImage({
  image: { width, height, pixels },
  x,
  y,
  side,
}: {
  readonly image: GraphImage;
  readonly x: number;
  readonly y: number;
  readonly side: number;
}): ReactElement {
  const size = side / Math.max(width, height);
  return (
    <g>
      {[...pixels].map((brightness, index) =>
        brightness === 0 ? null : (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a pixel is its place
            key={index}
            x={x + (index % width) * size}
            y={y + Math.floor(index / width) * size}
            width={size + 0.2}
            height={size + 0.2}
            opacity={brightness / 255}
          />
        ),
      )}
    </g>
  );
}

function Graph({ map }: { readonly map: GraphMap }): ReactElement {
  const { left = 0, top = 0, right = 1, bottom = 1 } = map.bounds ?? {};
  const scale = Math.min((WIDTH - 2 * MARGIN) / (right - left), (HEIGHT - 2 * MARGIN) / (bottom - top), 0.5);
  const x = (WIDTH - (right - left) * scale) / 2 - left * scale;
  const y = (HEIGHT - (bottom - top) * scale) / 2 - top * scale;
  return (
    <g transform={`translate(${x} ${y}) scale(${scale})`}>
      {map.edges.map((edge, index) => {
        const { from, to } = edgeEnds(map, index);
        return <path key={edge.id} className={styles.edge} d={edgePath(from, to).path} />;
      })}
      {map.items.map((item, index) => {
        const rect = nodeRect(map, index);
        const device = item.kind === "node" ? item.node.device : "";
        return (
          <rect
            key={item.id}
            className={styles.node}
            style={{ fill: colourOf(device) }}
            x={rect.left}
            y={rect.top}
            width={rect.right - rect.left}
            height={rect.bottom - rect.top}
            rx={10}
          />
        );
      })}
    </g>
  );
}

/** Examples name their tasks by number; the colours are those that two tasks get first. */
function colourOf(device: string): string {
  const task = tryParseDeviceName(device)?.task;
  return task === undefined ? "var(--fg-2)" : `var(--t${task + 1})`;
}
