import { StatusCode, TensorFlowError } from "../protocol/status.js";

/** Codes and texts that TensorFlow gives to errors of the operating system. */
const known: Readonly<Record<string, readonly [StatusCode, string]>> = {
  ENOENT: [StatusCode.NOT_FOUND, "No such file or directory"],
  EACCES: [StatusCode.PERMISSION_DENIED, "Permission denied"],
  EPERM: [StatusCode.PERMISSION_DENIED, "Operation not permitted"],
  EROFS: [StatusCode.PERMISSION_DENIED, "Read-only file system"],
  EEXIST: [StatusCode.ALREADY_EXISTS, "File exists"],
  ENOTDIR: [StatusCode.FAILED_PRECONDITION, "Not a directory"],
  EISDIR: [StatusCode.FAILED_PRECONDITION, "Is a directory"],
  ENOTEMPTY: [StatusCode.FAILED_PRECONDITION, "Directory not empty"],
  ENOSPC: [StatusCode.RESOURCE_EXHAUSTED, "No space left on device"],
  EMFILE: [StatusCode.RESOURCE_EXHAUSTED, "Too many open files"],
  ENAMETOOLONG: [StatusCode.INVALID_ARGUMENT, "File name too long"],
};

/** Converts an error of Node's file functions to the one that TensorFlow reports; keeps a TensorFlowError. */
export function fileError(error: unknown, path: string): TensorFlowError {
  if (error instanceof TensorFlowError) {
    return error;
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const [status, text] = known[code] ?? [
    StatusCode.UNKNOWN,
    error instanceof Error ? error.message : String(error),
  ];
  return new TensorFlowError(status, `${path}; ${text}`, { cause: error });
}

/** Runs file functions and reports their errors with `fileError`. */
export async function withFileErrors<T>(path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw fileError(error, path);
  }
}
