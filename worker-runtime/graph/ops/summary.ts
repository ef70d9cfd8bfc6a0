/**
 * Summaries that a graph makes of its tensors: each is a string, a serialized Summary message, which FileWriter takes.
 * Facts from tensorflow/python/summary/summary.py.
 */
import { SummaryMetadata } from "../../../protos/generated/tensorflow/summary.js";
import { Tensor } from "../../protocol/tensor.js";
import type { AttrInput } from "../attr-values.js";
import { Graph } from "../graph.js";
import type { OpInput } from "../graph-op-builder.js";
import { Output } from "../operation.js";
import { graphOf } from "./common.js";

/** The collection of all summaries, which `mergeAll` merges. */
const SUMMARIES = "summaries";

export interface SummaryOptions {
  /** The collections that the summary is added to; defaults to "summaries". */
  readonly collections?: readonly string[] | undefined;
}

/** Adds a summary op in a scope whose name is the tag that TensorBoard shows. */
function summarize(
  type: string,
  name: string,
  tensor: Output,
  { collections = [SUMMARIES] }: SummaryOptions,
  parts: (tag: string) => readonly OpInput[],
  attrs: Readonly<Record<string, AttrInput | undefined>> = {},
): Output {
  const graph = Graph.of(tensor);
  const made = graph.withNameScope(cleanTag(name), (scope) =>
    graph.op(type, parts(scope.replace(/\/$/, "")), attrs, scope),
  );
  for (const collection of collections) graph.addToCollection(collection, made.output);
  return made.output;
}

/** A tag that is a valid name of a scope. */
function cleanTag(name: string): string {
  return name.replace(/[^-/\w.]/g, "_").replace(/^\/+/, "");
}

/** A number of a step, which TensorBoard draws as a curve. */
export function scalar(name: string, tensor: Output, options: SummaryOptions = {}): Output {
  return summarize("ScalarSummary", name, tensor, options, (tag) => [tag, tensor]);
}

/** How a tensor's values are distributed. */
export function histogram(name: string, values: Output, options: SummaryOptions = {}): Output {
  return summarize("HistogramSummary", name, values, options, (tag) => [tag, values]);
}

export interface ImageSummaryOptions extends SummaryOptions {
  /** How many images of the batch are kept; defaults to 3. */
  readonly maxOutputs?: number | undefined;
}

/** Images [batch, height, width, channels] with 1, 3 or 4 channels. Floats are scaled to the range of a byte. */
export function image(name: string, images: Output, options: ImageSummaryOptions = {}): Output {
  const attrs = { max_images: options.maxOutputs ?? 3 };
  return summarize("ImageSummary", name, images, options, (tag) => [tag, images], attrs);
}

/** Text, which TensorBoard shows as Markdown; tensors of strings are shown as tables. */
export function text(name: string, strings: Output, options: SummaryOptions = {}): Output {
  const metadata = SummaryMetadata.fromPartial({ pluginData: { pluginName: "text" } });
  const serialized = Tensor.of([SummaryMetadata.encode(metadata).finish()], "string", []);
  return summarize("TensorSummaryV2", name, strings, options, (tag) => [tag, strings, serialized]);
}

/** One summary with the values of several. */
export function merge(
  summaries: readonly Output[],
  options: SummaryOptions & { readonly name?: string } = {},
): Output {
  const graph = graphOf(summaries);
  return graph.withNameScope(options.name ?? "Merge", () => {
    const merged = graph.op("MergeSummary", [summaries]).output;
    for (const collection of options.collections ?? []) graph.addToCollection(collection, merged);
    return merged;
  });
}

/** One summary with the values of all in a collection; undefined if there are none. */
export function mergeAll(graph: Graph, collection: string = SUMMARIES): Output | undefined {
  const all = graph.collection(collection).filter((item) => item instanceof Output);
  return all.length > 0 ? merge(all) : undefined;
}
