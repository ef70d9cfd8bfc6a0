/** Hosts the portable engine's server in this process, like engines/tensorflow/host.ts for TensorFlow's own. */
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
import { prepareForSteps } from "./v8-flags.js";

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
  /** The most nodes of a session's graph. */
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
  prepareForSteps();
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
