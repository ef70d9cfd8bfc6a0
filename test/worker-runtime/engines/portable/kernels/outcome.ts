/** The results of kernels and TensorFlow for the same, and how they are compared. */
import { TensorProto } from "../../../../../protos/generated/tensorflow/tensor.js";
import { asTensorFlowError, statusCodeName } from "../../../../../worker-runtime/protocol/status.js";
import {
  type Tensor,
  tensorFromProto,
  tensorToProto,
} from "../../../../../worker-runtime/protocol/tensor.js";
import { describeTensor, type Tolerance, tensorDifference } from "./tensor-difference.js";

/** The outputs of a run, or the name of its error's code ("INVALID_ARGUMENT") and the error's text. */
export type Outcome =
  | { readonly outputs: readonly Tensor[] }
  | { readonly code: string; readonly message: string };

/** An outcome as a Python script tells it: TensorProtos in Base64, the code as a number. */
export type OutcomeReply =
  | { readonly outputs: readonly string[] }
  | { readonly code: number; readonly message: string };

/** A tensor for a Python script. */
export function encodeTensor(tensor: Tensor): string {
  return Buffer.from(TensorProto.encode(tensorToProto(tensor)).finish()).toString("base64");
}

export function outcomeOfReply(reply: OutcomeReply): Outcome {
  return "outputs" in reply
    ? {
        outputs: reply.outputs.map((data) =>
          tensorFromProto(TensorProto.decode(Buffer.from(data, "base64"))),
        ),
      }
    : { code: statusCodeName(reply.code), message: reply.message };
}

/** Our own error; with the place where it is none of TensorFlow's. */
export function outcomeOfError(error: unknown): Outcome {
  const { codeName, message, stack } = asTensorFlowError(error);
  return { code: codeName, message: codeName === "UNKNOWN" ? (stack ?? message) : message };
}

/** An outcome in a line, for messages. */
export function outcomeText(outcome: Outcome): string {
  return "code" in outcome
    ? `${outcome.code} ${outcome.message}`
    : outcome.outputs.map((tensor) => describeTensor(tensor)).join("; ");
}

/** The difference between the outputs of two runs; undefined where they are equal within the tolerance. */
export function outputsDifference(
  ours: readonly Tensor[],
  theirs: readonly Tensor[],
  tolerance: Tolerance,
): string | undefined {
  if (ours.length !== theirs.length) {
    return `ours: ${ours.length} outputs, TensorFlow: ${theirs.length}`;
  }
  for (const [i, their] of theirs.entries()) {
    const our = ours[i];
    const difference = our && tensorDifference(our, their, tolerance);
    if (difference !== undefined) {
      return `output ${i}: ${difference}`;
    }
  }
  return undefined;
}
