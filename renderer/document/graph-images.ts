import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";

/** A grey image of a graph's constant: brightness from 0 to 255, row by row. */
export interface GraphImage {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** The images that the graph holds itself: a constant of 8-bit pixels [n, height, width, 1]. Pure. */
export function imagesInGraph(nodes: ReadonlyMap<string, NodeDef>): GraphImage[] {
  for (const { op, attr } of nodes.values()) {
    const value = attr.get("value")?.value;
    if (op !== "Const" || value?.$case !== "tensor" || value.value.dtype !== DataType.DT_UINT8) continue;
    const { tensorContent, tensorShape } = value.value;
    const [count = 0, height = 0, width = 0, channels = 0, ...more] =
      tensorShape?.dim.map(({ size }) => Number(size)) ?? [];
    const size = height * width;
    if (channels !== 1 || more.length > 0 || tensorContent.length !== count * size) continue;
    return Array.from({ length: count }, (_, index) => ({
      ...{ width, height },
      pixels: tensorContent.subarray(index * size, (index + 1) * size),
    }));
  }
  return [];
}
