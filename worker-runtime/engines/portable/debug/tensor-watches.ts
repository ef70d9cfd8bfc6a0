/** The tensors that a step watches for tfdbg: RunOptions.debug_options. */
import type { DebugOptions, DebugTensorWatch } from "../../../../protos/generated/tensorflow/debug.js";
import { tensorName } from "../../../graph/edge.js";
import {
  failedPrecondition,
  invalidArgument,
  StatusCode,
  TensorFlowError,
  unimplemented,
} from "../../../protocol/status.js";

/** The name that watches every output of every node, also of those that the master adds. */
const WILDCARD = "*";

const FILE_SCHEME = "file://";

/** The debug ops of a tensor, and the places that they write to. */
export interface TensorWatch {
  /** As in `parseDebugOp`. */
  readonly debugOps: readonly string[];
  readonly debugUrls: readonly string[];
  readonly toleratesFailures: boolean;
}

/** The watches of a step, by tensor. Immutable. */
export class TensorWatches {
  readonly #byTensor = new Map<string, TensorWatch>();
  readonly #default: TensorWatch | undefined;
  /** The folders that are written to, each once. */
  readonly folders: readonly string[];

  /**
   * @throws TensorFlowError FAILED_PRECONDITION for a wildcard with an output or a name without one, UNAVAILABLE for a
   *   URL without a known scheme, all in TensorFlow's words; UNIMPLEMENTED for one that leads to another process.
   */
  constructor(watches: readonly DebugTensorWatch[]) {
    const defaults: DebugTensorWatch[] = [];
    const urls = new Set<string>();
    for (const watch of watches) {
      const { nodeName, outputSlot, debugOps, debugUrls } = watch;
      if (debugOps.length === 0 || debugUrls.length === 0) {
        continue;
      }
      for (const url of debugUrls) {
        urls.add(url);
      }
      checkSlot(nodeName, outputSlot);
      if (nodeName === WILDCARD) {
        defaults.push(watch);
      } else {
        this.#byTensor.set(tensorName(nodeName, outputSlot), {
          debugOps,
          debugUrls,
          toleratesFailures: watch.tolerateDebugOpCreationFailures,
        });
      }
    }
    this.folders = [...urls].map(folderOf);
    this.#default =
      defaults.length === 0
        ? undefined
        : {
            debugOps: defaults.flatMap(({ debugOps }) => debugOps),
            debugUrls: defaults.flatMap(({ debugUrls }) => debugUrls),
            toleratesFailures: defaults.every(
              ({ tolerateDebugOpCreationFailures }) => tolerateDebugOpCreationFailures,
            ),
          };
  }

  /** Undefined for a tensor that is not watched. */
  of(node: string, output: number): TensorWatch | undefined {
    return this.#byTensor.get(tensorName(node, output)) ?? this.#default;
  }

  get isEmpty(): boolean {
    return this.folders.length === 0;
  }
}

function checkSlot(nodeName: string, outputSlot: number): void {
  if (nodeName === WILDCARD && outputSlot !== -1) {
    throw failedPrecondition(
      `output_slot is expected to be -1 for wildcard node name ("*"), but got ${outputSlot}`,
    );
  }
  if (nodeName !== WILDCARD && outputSlot < 0) {
    throw failedPrecondition(
      `A negative output_slot in DebugTensorWatch is valid only for the wildcard node name ("*"), but got node name ${nodeName}`,
    );
  }
}

/**
 * The folder that a debug URL names.
 * @throws TensorFlowError UNIMPLEMENTED for TensorFlow's other schemes, UNAVAILABLE for any other.
 */
export function folderOf(url: string): string {
  const scheme = /^[a-z]+:\/\//i.exec(url)?.[0].toLowerCase();
  switch (scheme) {
    case FILE_SCHEME:
      return url.slice(FILE_SCHEME.length);
    case "grpc://":
    case "memcbk://":
      throw unimplemented(
        `The portable engine writes watched tensors to files only: "${url}" cannot be used. Watch with file://FOLDER, ` +
          "or run the task with the engine tensorflow.",
      );
    default:
      throw new TensorFlowError(StatusCode.UNAVAILABLE, `Invalid debug target URL: ${url}`);
  }
}

/** The options of a step that watches at least one tensor; undefined for any other step. */
export function watchingOptions(options: DebugOptions | undefined): DebugOptions | undefined {
  return options !== undefined && options.debugTensorWatchOpts.length > 0 ? options : undefined;
}

/** A debug op with the attributes that a watch gives it. */
export interface DebugOp {
  readonly op: string;
  readonly attrs: ReadonlyMap<string, string>;
}

/**
 * Reads "DebugNumericSummary(mute_if_healthy=true; lower_bound=-100.0)", or the name of an op alone.
 * @throws TensorFlowError INVALID_ARGUMENT in TensorFlow's words.
 */
export function parseDebugOp(text: string): DebugOp {
  const open = text.indexOf("(");
  const close = text.indexOf(")");
  if (open < 0 && close < 0) {
    return { op: text, attrs: new Map() };
  }
  if (open <= 0 || close !== text.length - 1) {
    throw invalidArgument(`Malformed debug op name "${text}"`);
  }
  const attrs = new Map<string, string>();
  for (const part of text.slice(open + 1, close).split(";")) {
    const segment = part.trim();
    if (segment === "") {
      continue;
    }
    const equals = segment.indexOf("=");
    const [key, value] = [segment.slice(0, equals), segment.slice(equals + 1)];
    if (equals <= 0 || value === "") {
      throw invalidArgument(`Malformed attributes in debug op name "${text}"`);
    }
    if (attrs.has(key)) {
      throw invalidArgument(`Duplicate attribute name "${key}" found in the debug op: "${text}"`);
    }
    attrs.set(key, value);
  }
  return { op: text.slice(0, open), attrs };
}
