import type { OpValue } from "../graph-op-builder.js";
import type { Operation, Output } from "../operation.js";
import { graphOf, type OpOptions } from "./common.js";

export interface PrintOptions extends OpOptions {
  /** Printed before the values. */
  readonly message?: string | undefined;
  /** The maximum number of times to print; defaults to -1, always. */
  readonly firstN?: number | undefined;
  /** Number of elements of each tensor to print; defaults to 3. */
  readonly summarize?: number | undefined;
}

/** Returns the tensor unchanged; the task that computes it prints `data` to its standard error, which is its log. */
export function printValues(x: OpValue, data: readonly OpValue[], options: PrintOptions = {}): Output {
  const attrs = {
    message: options.message ?? "",
    first_n: options.firstN ?? -1,
    summarize: options.summarize ?? 3,
  };
  return graphOf(x, data).op("Print", [x, data], attrs, options.name ?? "Print").output;
}

/** Prints a line on the task that runs it: `text` with the tensors after it, as tf.print does. */
export function print(text: string, data: readonly Output[], options: PrintOptions = {}): Operation {
  const graph = graphOf(data);
  const template = [text, ...data.map(() => "{}")].filter((part) => part !== "").join(" ");
  const attrs = { template, placeholder: "{}", summarize: options.summarize ?? 3 };
  const line = graph.op("StringFormat", [data], attrs);
  return graph.op("PrintV2", [line], { output_stream: "stderr", end: "\n" }, options.name ?? "PrintV2");
}
