/** Hosts the portable engine's server in this process, as engines/tensorflow/host.ts does TensorFlow's own. */
import { setFlagsFromString } from "node:v8";
import type { ServerDef } from "../../../protos/generated/tensorflow/tensorflow_server.js";
import { surviveFaults } from "../../faults.js";
import { packageVersion } from "../package-root.js";
import { limitTensorBytes } from "./kernels/support/allocation.js";
import { memoryBudget } from "./kernels/support/memory-budget.js";
import { PortableServer } from "./portable-server.js";
import { PeerTrust, type TrustFiles } from "./transport/sockets/peer-trust.js";

/**
 * How much the heap may grow, in percent of what is in use, before all of it is looked through for garbage. V8 counts
 * tensors that came and went as growth, and by itself allows less: a parameter server then spends a third of its time on
 * collections of everything, 15 a second for 100 steps of an MLP. With this they are three.
 */
const HEAP_GROWING_PERCENT = 300;

export interface HostPortableOptions {
  readonly serverDef: ServerDef;
  /** Ask whether the task's host name leads to this machine. */
  readonly checkAddress: boolean;
  readonly bind: string | undefined;
  /** Folders that graphs may read and write. */
  readonly files: readonly string[];
  readonly maxMessageBytes: number | undefined;
  readonly maxTensorBytes: number | undefined;
  /** Of all tensors and messages together. */
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
}

/**
 * Starts the server; it accepts calls when this resolves.
 * @throws TensorFlowError what `PortableServer.start` and `PeerTrust.read` throw.
 */
export async function hostPortable(options: HostPortableOptions): Promise<HostedPortable> {
  const { serverDef, checkAddress, bind, files, tls, log } = options;
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);
  // At most one call fails: variables and other sessions are not affected.
  surviveFaults(options.onWarning);
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
  const server = await PortableServer.start({
    serverDef,
    checkAddress,
    bind,
    files,
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
  return { target: server.target, serverDef: server.serverDef, version: packageVersion() };
}
