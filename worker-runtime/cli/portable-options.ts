import { invalidArgument } from "../protocol/status.js";
import type { FlagSpec, ParsedArgs } from "./args.js";

/** What only the portable engine has. What is left out has a default that is safe. */
export interface PortableOptions {
  readonly bind: string | undefined;
  readonly files: readonly string[];
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

/** What one message of gRPC may have in TensorFlow: INT32_MAX bytes. */
const MAX_MESSAGE_MIB = 2047;

/** The engine itself has some twenty, such as the memory of its WebAssembly kernels. */
const MIN_RESIDENT_MIB = 64;

/** 16 TiB, to tell a slip from a wish, as the next two. */
const MAX_TENSOR_MIB = 2 ** 24;
const MAX_GRAPH_NODES = 1e9;
/** Ten years. */
const MAX_IDLE_SECONDS = 315_360_000;

export const portableFlags: readonly FlagSpec[] = [
  {
    name: "bind",
    value: "ADDRESS",
    help:
      "Where the portable engine listens: an address of this machine, or 0.0.0.0 or :: for all. Otherwise as the " +
      "task's address says: on loopback for localhost.",
  },
  {
    name: "files",
    repeated: true,
    value: "FOLDER",
    help:
      "A folder that graphs may read and write on the portable engine, for checkpoints and data; several with commas " +
      "between. Otherwise none.",
  },
  {
    name: "max_message_mb",
    value: "MB",
    help: "Largest message that the portable engine takes or sends, in MiB; 2047 unless given.",
  },
  {
    name: "max_tensor_mb",
    value: "MB",
    help:
      "Largest tensor that the portable engine makes, in MiB; half of the machine's memory and at most 8192 unless given. " +
      "Beyond it, and where memory is short, a step ends with RESOURCE_EXHAUSTED.",
  },
  {
    name: "max_resident_mb",
    value: "MB",
    help:
      "What the portable engine has of tensors and messages at a time, in MiB, of all sessions together: variables, queues, " +
      "constants, running steps; half of the machine's memory unless given (of the container's, where there is one). " +
      "Beyond it a step ends with RESOURCE_EXHAUSTED, and what it took is free again.",
  },
  {
    name: "max_graph_nodes",
    value: "N",
    help: "Nodes that the graph of a session may have on the portable engine; 1000000 unless given.",
  },
  {
    name: "session_gc_seconds",
    value: "SECONDS",
    help:
      "When the portable engine closes a session that nobody uses, as its client is taken to be gone; 86400 unless " +
      "given, 0 for never.",
  },
  {
    name: "tls_cert",
    value: "FILE",
    help:
      "This task's certificate (PEM). With --tls_key and --tls_peers the portable engine speaks mutual TLS with the " +
      "other tasks and takes no other connection.",
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
    throw invalidArgument("--tls_cert, --tls_key and --tls_peers belong together: give all three, or none.");
  }
  const messageMib = parsed.integer("max_message_mb", 1, MAX_MESSAGE_MIB);
  const tensorMib = parsed.integer("max_tensor_mb", 1, MAX_TENSOR_MIB);
  const residentMib = parsed.integer("max_resident_mb", MIN_RESIDENT_MIB, MAX_TENSOR_MIB);
  const idleSeconds = parsed.integer("session_gc_seconds", 0, MAX_IDLE_SECONDS);
  return {
    bind: parsed.get("bind"),
    files: parsed.all("files").flatMap((list) => list.split(",").filter((folder) => folder !== "")),
    maxMessageBytes: messageMib === undefined ? undefined : messageMib * BYTES_PER_MIB,
    maxTensorBytes: tensorMib === undefined ? undefined : tensorMib * BYTES_PER_MIB,
    maxResidentBytes: residentMib === undefined ? undefined : residentMib * BYTES_PER_MIB,
    maxGraphNodes: parsed.integer("max_graph_nodes", 1, MAX_GRAPH_NODES),
    sessionIdleMillis: idleSeconds === undefined ? undefined : idleSeconds * 1000,
    tls: all ? { cert, key, peers } : undefined,
  };
}

/** Whether any of the flags was given that only the portable engine has. */
export function wantsPortable({ files, ...others }: PortableOptions): boolean {
  return files.length > 0 || Object.values(others).some((option) => option !== undefined);
}
