import { asTensorFlowError, StatusCode } from "../protocol/status.js";

/**
 * A failed command's message on stderr: "INVALID_ARGUMENT: …". Scripts and the application read the code; an
 * error that is not TensorFlow's is a fault of ours, INTERNAL.
 */
export function failureText(error: unknown): string {
  const failure = asTensorFlowError(error, StatusCode.INTERNAL);
  return `${failure.codeName}: ${failure.message}\n`;
}
