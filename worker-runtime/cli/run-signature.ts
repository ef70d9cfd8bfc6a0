/** Runs a graph by one of its signatures: inputs and outputs have the names that the signature gives them. */
import type { SignatureDef, TensorInfo } from "../../protos/generated/tensorflow/meta_graph.js";
import { type GraphNotes, nodeOf } from "../graph/housekeeping.js";
import { servingSignatures, tensorsOf } from "../graph/run-choice.js";
import { didYouMean } from "../graph/similar-names.js";
import { invalidArgument, notFound } from "../protocol/status.js";

export interface NamedSignature {
  readonly name: string;
  /** Tensors by the names of the inputs. */
  readonly inputs: ReadonlyMap<string, string>;
  /** Tensors by the names of the outputs, sorted; an output of several tensors has a name for each: "words.0". */
  readonly outputs: ReadonlyMap<string, string>;
  /** Outputs that are operations without a value. */
  readonly targets: readonly string[];
}

/** @throws TensorFlowError NOT_FOUND naming the existing signatures */
export function signatureNamed(notes: GraphNotes, name: string): NamedSignature {
  const all = servingSignatures(notes);
  const found = all.find(([key]) => key === name)?.[1];
  if (found) return named(name, found);
  const names = all.map(([key]) => key);
  throw notFound(
    names.length === 0
      ? `The graph has no signatures, so there is no "${name}". Name tensors with --fetch.`
      : `There is no signature "${name}".${didYouMean(name, names)} The graph has: ${names.join(", ")}.`,
  );
}

/** The tensor that an input's name stands for; other names are taken as tensors. */
export function fedTensor(signature: NamedSignature | undefined, text: string): string {
  return signature?.inputs.get(text) ?? text;
}

/** The outputs that are wanted: all, or those that are named. @throws TensorFlowError INVALID_ARGUMENT */
export function wantedOutputs(
  { name, outputs }: NamedSignature,
  wanted: readonly string[],
): ReadonlyMap<string, string> {
  if (wanted.length === 0) return outputs;
  return new Map(
    wanted.map((output) => {
      const tensor = outputs.get(output);
      if (tensor !== undefined) return [output, tensor];
      throw invalidArgument(
        `The signature ${name} has no output "${output}".${didYouMean(output, [...outputs.keys()])} ` +
          `It has ${[...outputs.keys()].join(", ")}.`,
      );
    }),
  );
}

function named(name: string, { inputs, outputs }: SignatureDef): NamedSignature {
  const all = entriesOf(outputs);
  return {
    name,
    inputs: new Map(entriesOf(inputs)),
    outputs: new Map(all.filter(([, tensor]) => tensor.includes(":"))),
    targets: all.filter(([, tensor]) => !tensor.includes(":")).map(([, tensor]) => nodeOf(tensor)),
  };
}

function entriesOf(infos: ReadonlyMap<string, TensorInfo>): [string, string][] {
  const sorted = [...infos].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.flatMap(([name, info]) => {
    const tensors = tensorsOf(info);
    return tensors.map((tensor, i): [string, string] => [
      tensors.length === 1 ? name : `${name}.${i}`,
      tensor,
    ]);
  });
}
