/**
 * Hosts TensorFlow's own server in this process. Only a worker process imports this file: see load.ts on why nothing
 * else may run in it.
 */

import { ServerDef } from "../../../protos/generated/tensorflow/tensorflow_server.js";
import { PARAMETER_SERVER_JOB } from "../../cluster/job-names.js";
import { checkOwnHost, checkPortFree, freePort } from "../address-check.js";
import { awaitServing } from "../get-status.js";
import { hasNvidiaDriver } from "../nvidia.js";
import { ownAddress, withChosenPort } from "../own-address.js";
import type { LibraryFiles } from "./candidate.js";
import { loadTensorFlow } from "./load.js";

/** A machine under load may be slow to create devices; a started server answers within milliseconds. */
const SERVING_DEADLINE_MILLIS = 30_000;

export interface HostOptions {
  readonly serverDef: ServerDef;
  readonly library: LibraryFiles;
  /** Which GPUs the task may see: "auto" (all, but none for job ps), "none", or numbers between commas. */
  readonly gpu: string;
  /** Ask whether the task's host name leads to this machine. */
  readonly checkAddress: boolean;
  /** Receives warnings. */
  readonly onWarning: (text: string) => void;
}

export interface HostedServer {
  /** "grpc://host:port". */
  readonly target: string;
  /** The definition that the server runs with, with all ports chosen. */
  readonly serverDef: ServerDef;
  /** TensorFlow's version. */
  readonly version: string;
  /** Whether the library was built for GPUs; undefined if it does not say. */
  readonly gpuBuild: boolean | undefined;
  /** The task sees no GPU, because it is configured so or is a parameter server. */
  readonly gpuHidden: boolean;
}

/**
 * Loads the library, starts the server and waits until it answers.
 * @throws TensorFlowError INVALID_ARGUMENT for a task that is not in the cluster or an address without port, UNKNOWN
 *   (TensorFlow's code) for a port that is in use, UNAVAILABLE for a host name that does not resolve,
 *   FAILED_PRECONDITION for a library that cannot be loaded or served from; any code that TF_NewServer returns.
 */
export async function hostServer(options: HostOptions): Promise<HostedServer> {
  const { host, port: wanted } = ownAddress(options.serverDef);
  if (options.checkAddress) {
    const own = await checkOwnHost(host);
    if (own.kind !== "own") {
      options.onWarning(own.warning);
    }
  }
  if (wanted !== 0) {
    await checkPortFree(wanted);
  }
  const gpuHidden =
    options.gpu === "none" || (options.gpu === "auto" && options.serverDef.jobName === PARAMETER_SERVER_JOB);
  prepareEnvironment(gpuHidden ? "none" : options.gpu);
  const library = loadTensorFlow(options.library, !gpuHidden && hasNvidiaDriver());
  // As late as possible: loading takes seconds, during which another program could take the port.
  const port = wanted === 0 ? await freePort() : wanted;
  const serverDef = withChosenPort(options.serverDef, port);
  const server = await library.newServer(ServerDef.encode(serverDef).finish());
  await library.startServer(server);
  await awaitServing("127.0.0.1", port, SERVING_DEADLINE_MILLIS);
  return {
    target: library.serverTarget(server),
    serverDef,
    version: library.version,
    gpuBuild: library.gpu,
    gpuHidden,
  };
}

const proxyVariables = ["http_proxy", "https_proxy", "grpc_proxy", "all_proxy"];

/**
 * The environment that TensorFlow and gRPC read when they are loaded. Proxies would intercept the calls between tasks;
 * a parameter server must not take a worker's GPU memory; and without growth the first task takes all of it.
 */
function prepareEnvironment(gpu: string): void {
  for (const name of Object.keys(process.env)) {
    if (proxyVariables.includes(name.toLowerCase())) {
      delete process.env[name];
    }
  }
  if (gpu === "none") {
    // -1 hides all, as an empty value does; Windows cannot hold an empty one.
    process.env.CUDA_VISIBLE_DEVICES = "-1";
  } else if (gpu !== "auto") {
    process.env.CUDA_VISIBLE_DEVICES = gpu;
  }
  process.env.TF_FORCE_GPU_ALLOW_GROWTH ??= "true";
  // Since 2.16 TensorFlow names a CUDA library that it cannot open only at this level of verbosity.
  process.env.TF_CPP_VMODULE ??= "dso_loader=1";
}
