import { asTensorFlowError, StatusCode, TensorFlowError } from "../../../protocol/status.js";

/**
 * The error of a node, with the node's name appended as in TensorFlow: in double braces, which clients resolve to a
 * line of Python, unless a node within a function has them already.
 */
export function nodeError(error: unknown, name: string): TensorFlowError {
  const known = asTensorFlowError(error, StatusCode.INTERNAL);
  const label = known.message.includes("{{node ") ? name : `{{node ${name}}}`;
  return new TensorFlowError(known.code, `${known.message}\n\t [[${label}]]`, {
    task: known.task,
    payloads: known.payloads,
    cause: known.cause ?? error,
  });
}
