import type { RegionMode } from "../engines/portable/regions/region-mode.js";
import { invalidArgument } from "../protocol/status.js";
import type { FlagSpec, ParsedArgs } from "./args.js";

/** Options of the portable engine only. Each has a safe default. */
export interface PortableOptions {
  readonly bind: string | undefined;
  readonly files: readonly string[];
  /** Whether nodes run by ONNX Runtime. */
  readonly regions: RegionMode | undefined;
  readonly maxMessageBytes: number | undefined;
  readonly maxTensorBytes: number | undefined;
  readonly maxResidentBytes: number | undefined;
  readonly maxGraphNodes: number | undefined;
  /** 0 for never. */
  readonly sessionIdleMillis: number | undefined;
  /** The files of --tls_cert, --tls_key and --tls_peers. */
  readonly tls: { readonly cert: string; readonly key: string; readonly peers: string } | undefined;
}

const BYTES_PER_MIB = 2 ** 20;

/** The largest gRPC message in TensorFlow: INT32_MAX bytes. */
const MAX_MESSAGE_MIB = 2047;

/** The engine itself uses some twenty, such as the memory of its WebAssembly kernels. */
const MIN_RESIDENT_MIB = 64;

/** 16 TiB, which catches typing errors, like the next two. */
const MAX_TENSOR_MIB = 2 ** 24;
const MAX_GRAPH_NODES = 1e9;
/** Ten years. */
const MAX_IDLE_SECONDS = 315_360_000;

export const portableFlags: readonly FlagSpec[] = [
  {
    name: "bind",
    value: "ADDRESS",
    help:
      "The address that the portable engine listens on: one of this machine's, or 0.0.0.0 or :: for all. By default, " +
      "it follows from the task's address: loopback for localhost.",
  },
  {
    name: "files",
    repeated: true,
    value: "FOLDER",
    help:
      "Folders that graphs may read and write on the portable engine, for checkpoints and data, separated by commas. " +
      "None by default.",
  },
  {
    name: "regions",
    value: "MODE",
    help:
      "Whether the portable engine runs groups of nodes in ONNX Runtime: auto (where that is faster than its own kernels), " +
      "off, or always (wherever it is possible; for tests). The default is auto.",
  },
  {
    name: "max_message_mb",
    value: "MB",
    help: "Largest message that the portable engine receives or sends, in MiB (default 2047).",
  },
  {
    name: "max_tensor_mb",
    value: "MB",
    help:
      "Largest tensor that the portable engine creates, in MiB (default: half of the machine's memory, at most 8192). " +
      "A step that exceeds it, or runs out of memory, ends with RESOURCE_EXHAUSTED.",
  },
  {
    name: "max_resident_mb",
    value: "MB",
    help:
      "Memory of the portable engine for tensors and messages of all sessions, in MiB: variables, queues, " +
      "constants, running steps (default: half of the machine's or container's memory). " +
      "A step that exceeds it ends with RESOURCE_EXHAUSTED, and its memory is freed.",
  },
  {
    name: "max_graph_nodes",
    value: "N",
    help: "Maximum number of nodes of a session's graph on the portable engine (default 1000000).",
  },
  {
    name: "session_gc_seconds",
    value: "SECONDS",
    help:
      "Seconds after which the portable engine closes an unused session, as its client is probably gone (default " +
      "86400; 0: never).",
  },
  {
    name: "tls_cert",
    value: "FILE",
    help:
      "This task's certificate (PEM). With --tls_key and --tls_peers the portable engine speaks mutual TLS with the " +
      "other tasks and accepts no other connections.",
  },
  { name: "tls_key", value: "FILE", help: "The key of --tls_cert (PEM)." },
  {
    name: "tls_peers",
    value: "FILE",
    help: "The certificates (PEM, one after another) of all tasks and clients that may connect.",
  },
];

/** @throws TensorFlowError INVALID_ARGUMENT for numbers out of range, and for TLS files that are not all given. */
export function readPortableOptions(parsed: ParsedArgs): PortableOptions {
  const cert = parsed.get("tls_cert");
  const key = parsed.get("tls_key");
  const peers = parsed.get("tls_peers");
  const all = cert !== undefined && key !== undefined && peers !== undefined;
  if (!all && [cert, key, peers].some((file) => file !== undefined)) {
    throw invalidArgument("--tls_cert, --tls_key and --tls_peers must be given together.");
  }
  const messageMib = parsed.integer("max_message_mb", 1, MAX_MESSAGE_MIB);
  const tensorMib = parsed.integer("max_tensor_mb", 1, MAX_TENSOR_MIB);
  const residentMib = parsed.integer("max_resident_mb", MIN_RESIDENT_MIB, MAX_TENSOR_MIB);
  const idleSeconds = parsed.integer("session_gc_seconds", 0, MAX_IDLE_SECONDS);
  return {
    bind: parsed.get("bind"),
    files: parsed.all("files").flatMap((list) => list.split(",").filter((folder) => folder !== "")),
    regions: readRegions(parsed),
    maxMessageBytes: messageMib === undefined ? undefined : messageMib * BYTES_PER_MIB,
    maxTensorBytes: tensorMib === undefined ? undefined : tensorMib * BYTES_PER_MIB,
    maxResidentBytes: residentMib === undefined ? undefined : residentMib * BYTES_PER_MIB,
    maxGraphNodes: parsed.integer("max_graph_nodes", 1, MAX_GRAPH_NODES),
    sessionIdleMillis: idleSeconds === undefined ? undefined : idleSeconds * 1000,
    tls: all ? { cert, key, peers } : undefined,
  };
}

function readRegions(parsed: ParsedArgs): RegionMode | undefined {
  const mode = parsed.get("regions");
  if (mode === undefined || mode === "auto" || mode === "off" || mode === "always") {
    return mode;
  }
  throw invalidArgument(`--regions must be auto, off or always, not "${mode}".`);
}

/** Whether any flag of the portable engine only was given. */
export function wantsPortable({ files, ...others }: PortableOptions): boolean {
  return files.length > 0 || Object.values(others).some((option) => option !== undefined);
}
