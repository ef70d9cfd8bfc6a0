import { buffer } from "node:stream/consumers";
import { parseClusterJson } from "../cluster/classic.js";
import { ClusterSpec } from "../cluster/cluster-spec.js";
import { decodeText } from "../io/text-encoding.js";
import { readWholeFile } from "../io/whole-file.js";
import { notFound, TensorFlowError } from "../protocol/status.js";

/** Files that flags name describe a cluster or a server. */
const MAX_GIVEN_BYTES = 64 * 2 ** 20;

/**
 * The ClusterSpec in the file that --cluster names: {"worker": ["host:port", …]}, or the same under "cluster".
 * @throws TensorFlowError NOT_FOUND, INVALID_ARGUMENT
 */
export async function readClusterFile(file: string): Promise<ClusterSpec> {
  const text = await readGivenText(file, "--cluster");
  const nested = clusterMember(text);
  return nested === undefined ? parseClusterJson(text, file) : ClusterSpec.from(nested);
}

/** The object under "cluster" in the form {"cluster": {…}} that TF_CONFIG has; a job of that name would be a list. */
function clusterMember(text: string): Record<string, string[]> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && "cluster" in value) {
      const { cluster } = value;
      if (typeof cluster === "object" && cluster !== null && !Array.isArray(cluster) && !isTaskMap(cluster)) {
        // from() checks every job itself, and reports the invalid one.
        return cluster as Record<string, string[]>;
      }
    }
  } catch {
    // parseClusterJson reports errors in the text.
  }
  return undefined;
}

/** {"0": "host:port"}: the tasks of a job that is called "cluster". */
function isTaskMap(value: object): boolean {
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => /^\d+$/.test(key));
}

/**
 * The content of a file that a flag names; "-" is standard input.
 * @throws TensorFlowError NOT_FOUND naming the flag; INVALID_ARGUMENT, RESOURCE_EXHAUSTED as `readWholeFile`
 */
export async function readGivenFile(file: string, flag: string): Promise<Uint8Array> {
  try {
    return file === "-"
      ? await buffer(process.stdin)
      : await readWholeFile(file, { maxBytes: MAX_GIVEN_BYTES });
  } catch (cause) {
    if (cause instanceof TensorFlowError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw notFound(`The file given by ${flag} cannot be read: ${why}.`, { cause });
  }
}

/** The same as text in UTF-8. @throws TensorFlowError NOT_FOUND naming the flag */
export async function readGivenText(file: string, flag: string): Promise<string> {
  return decodeText(await readGivenFile(file, flag));
}
