import type { InferenceSession } from "onnxruntime-node";
import { BLOCKED_CHANNELS, ModelBuilder } from "../onnx/model-builder.js";
import { type Runtime, runInOrder } from "./runtime.js";

/** The fewest channels that ONNX Runtime brings into blocks: others are padded to a whole block. */
const CHANNELS = 4;

/**
 * The number of channels in a block, 8 with AVX and 16 with AVX-512, as one image shows that is brought into blocks;
 * undefined if ONNX Runtime has none for this processor.
 */
export async function blockedChannelsOf(
  { InferenceSession, Tensor }: Runtime,
  options: InferenceSession.SessionOptions,
): Promise<number | undefined> {
  const model = new ModelBuilder();
  model.output(
    model.node("ReorderInput", [model.input("float32", 4)], "float32", { domain: BLOCKED_CHANNELS, rank: 4 }),
  );
  try {
    const session = await InferenceSession.create(model.build("blocks"), options);
    try {
      const image = new Tensor("float32", new Float32Array(CHANNELS), [1, CHANNELS, 1, 1]);
      const [blocks] = await runInOrder(session, [image]);
      const size = blocks?.dims[1] ?? 0;
      return size > CHANNELS ? size : undefined;
    } finally {
      await session.release();
    }
  } catch {
    // The operator exists for some processors only.
    return undefined;
  }
}
