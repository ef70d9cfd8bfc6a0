/** Hosts the portable engine's server in this process, like engines/tensorflow/host.ts for TensorFlow's own. */
import { setFlagsFromString } from "node:v8";
import type { ServerDef } from "../../../protos/generated/tensorflow/tensorflow_server.js";
import { surviveFaults } from "../../faults.js";
import { exitNow } from "../exit-now.js";
import { packageVersion } from "../package-root.js";
import { chooseGpus } from "./gpu/choose-gpus.js";
import { limitTensorBytes } from "./kernels/support/allocation.js";
import { memoryBudget } from "./kernels/support/memory-budget.js";
import { PortableServer } from "./portable-server.js";
import type { RegionMode } from "./regions/region-mode.js";
import { deviceThreads } from "./regions/thread-life.js";
import { PeerTrust, type TrustFiles } from "./transport/sockets/peer-trust.js";

/**
 * How much the heap may grow, in percent of what is in use, before a full garbage collection. V8 counts tensors that
 * came and went as growth, and by itself allows less: a parameter server then spends a third of its time on collections
 * of everything, 15 a second for 100 steps of an MLP. With this they are three.
 */
const HEAP_GROWING_PERCENT = 300;

/**
 * V8 makes objects of the old generation from the start where those made at the same place lived long before. Here the
 * same places make the tensors of long and of short steps: after one long step, what every step makes would fill the old
 * generation, and what it refers to would be copied there by each small collection (measured with a graph of 10,000
 * nodes: 9 of 14 MB kept that are garbage, and steps a third longer).
 */
const NO_PRETENURING = "--no-allocation-site-pretenuring";

export interface HostPortableOptions {
  readonly serverDef: ServerDef;
  /** Ask whether the task's host name leads to this machine. */
  readonly checkAddress: boolean;
  readonly bind: string | undefined;
  /** Folders that graphs may read and write. */
  readonly files: readonly string[];
  /** Which GPUs the task may use: "auto" (the best one, but none for job ps), "none", or numbers between commas. */
  readonly gpu: string;
  /** Whether nodes run by ONNX Runtime; "auto" unless given. */
  readonly regions: RegionMode | undefined;
  readonly maxMessageBytes: number | undefined;
  readonly maxTensorBytes: number | undefined;
  /** Limit of all tensors and messages together, in bytes. */
  readonly maxResidentBytes: number | undefined;
  /** Of a session. */
  readonly maxGraphNodes: number | undefined;
  /** When an unused session is closed; 0 for never. */
  readonly sessionIdleMillis: number | undefined;
  /** For mutual TLS. */
  readonly tls: TrustFiles | undefined;
  /** Receives the output of graphs and the master's log lines about them. */
  log(text: string): void;
  /** Receives warnings. */
  onWarning(text: string): void;
}

export interface HostedPortable {
  /** "grpc://host:port". */
  readonly target: string;
  /** The definition that the server runs with: ports are chosen. */
  readonly serverDef: ServerDef;
  /** Tensordeck's version. */
  readonly version: string;
  /** The names of its GPUs. */
  readonly gpus: readonly string[];
}

/**
 * Starts the server; it accepts calls when this resolves.
 * @throws TensorFlowError what `PortableServer.start`, `PeerTrust.read` and `chooseGpus` throw.
 */
export async function hostPortable(options: HostPortableOptions): Promise<HostedPortable> {
  const { serverDef, checkAddress, bind, files, tls, log } = options;
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);
  setFlagsFromString(NO_PRETENURING);
  // At most one call fails: variables and other sessions are unaffected.
  surviveFaults(options.onWarning);
  process.once("exit", (code) => {
    // Node would interrupt ONNX Runtime in the middle of a run, and its addon ends the process with an abort then.
    if (deviceThreads.count > 0) {
      exitNow(code);
    }
  });
  const trust = tls === undefined ? undefined : await PeerTrust.read(tls);
  const { maxMessageBytes, maxTensorBytes, maxGraphNodes: maxNodes, sessionIdleMillis } = options;
  const limits = maxMessageBytes === undefined ? {} : { maxMessageBytes };
  const masterLimits = {
    ...(maxNodes === undefined ? {} : { maxNodes }),
    ...(sessionIdleMillis === undefined ? {} : { sessionIdleMillis }),
  };
  if (maxTensorBytes !== undefined) {
    limitTensorBytes(maxTensorBytes);
  }
  memoryBudget.limitResident(options.maxResidentBytes ?? memoryBudget.defaultResidentLimit());
  const gpus = await chooseGpus({ choice: options.gpu, jobName: serverDef.jobName, log: options.onWarning });
  const server = await PortableServer.start({
    serverDef,
    gpus,
    checkAddress,
    bind,
    files,
    regions: options.regions,
    limits,
    masterLimits,
    trust,
    log,
  });
  if (server.isOpen && trust === undefined) {
    options.onWarning(
      `Other machines can reach this task (it listens on ${server.addresses.join(", ")}), and TensorFlow's protocol has ` +
        "no authentication: anyone who connects can run any graph here.",
    );
  }
  for (const { adapter, provider } of gpus) {
    log(`GPU: ${adapter.name}, through ONNX Runtime's ${provider.name} provider.`);
  }
  return {
    target: server.target,
    serverDef: server.serverDef,
    version: packageVersion(),
    gpus: gpus.map(({ adapter }) => adapter.name),
  };
}
