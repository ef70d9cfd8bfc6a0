import { MasterServiceDefinition } from "../../../protos/generated/tensorflow/master_service.js";
import type { ServerDef } from "../../../protos/generated/tensorflow/tensorflow_server.js";
import { WorkerServiceDefinition } from "../../../protos/generated/tensorflow/worker_service.js";
import { formatHostPort } from "../../cluster/address.js";
import { bundledOpRegistry } from "../../graph/op-registry.js";
import { targetOfAddress } from "../../rpc/target-address.js";
import { listenError } from "../address-check.js";
import { ownAddress, withChosenPort } from "../own-address.js";
import { ComputePool } from "./compute/compute-pool.js";
import type { ChosenGpu } from "./gpu/choose-gpus.js";
import { GpuKernels } from "./gpu/gpu-kernels.js";
import { GpuMemory, kindOfGpu } from "./gpu/gpu-memory.js";
import { createKernelRegistry } from "./kernels/all.js";
import { createLoweringRegistry, createUpdateRegistry } from "./lowering/all.js";
import { Master } from "./master/master.js";
import { DEFAULT_MASTER_LIMITS, type MasterLimits } from "./master/master-environment.js";
import type { RegionMode } from "./regions/region-mode.js";
import { TaskRegions } from "./regions/task-regions.js";
import { AllowedFolders } from "./resources/allowed-folders.js";
import { defaultLimits, type ServiceLimits } from "./transport/grpc/call-limits.js";
import { GrpcEndpoint } from "./transport/grpc/grpc-endpoint.js";
import { streamTransport } from "./transport/peer-transport.js";
import { type BindPlan, planBinding } from "./transport/sockets/bind-rules.js";
import { GrpcListener } from "./transport/sockets/grpc-listener.js";
import type { PeerTrust } from "./transport/sockets/peer-trust.js";
import type { SilenceLimits } from "./transport/sockets/silence-watch.js";
import { deviceKindsOf, TaskDevices } from "./worker/task-devices.js";
import { Worker } from "./worker/worker.js";

export interface PortableServerOptions {
  readonly serverDef: ServerDef;
  /** Where to listen; by default according to bind-rules.ts. */
  readonly bind?: string | undefined;
  /** Refuse a ClusterSpec entry that leads to another machine. True unless given. */
  readonly checkAddress?: boolean | undefined;
  /** Folders that graphs may read and write; none unless given. */
  readonly files?: readonly string[] | undefined;
  /** Its GPUs, in the order of their numbers; none unless given. */
  readonly gpus?: readonly ChosenGpu[] | undefined;
  readonly limits?: Partial<ServiceLimits> | undefined;
  readonly masterLimits?: Partial<MasterLimits> | undefined;
  /** When silent peers are considered gone; by default as in silence-watch.ts. */
  readonly silence?: SilenceLimits | undefined;
  /** Whether nodes run by ONNX Runtime: "auto" unless given. */
  readonly regions?: RegionMode | undefined;
  /** Mutual TLS with these peers; plain gRPC, as TensorFlow's, unless given. */
  readonly trust?: PeerTrust | undefined;
  /** A line for the task's log. */
  log(line: string): void;
}

/** One task of a cluster in this process: MasterService and WorkerService on one port, with everything behind them. */
export class PortableServer {
  /** "grpc://host:port". */
  readonly target: string;
  /** The definition that the server runs with, with all ports chosen. */
  readonly serverDef: ServerDef;
  /** Addresses listened on. */
  readonly addresses: readonly string[];
  /** Whether other machines can reach the task. */
  readonly isOpen: boolean;
  readonly worker: Worker;
  readonly #master: Master;
  readonly #compute: ComputePool;
  readonly #regions: TaskRegions | undefined;
  readonly #endpoint: GrpcEndpoint;
  #stopped = false;

  private constructor(options: PortableServerOptions, listener: GrpcListener, isOpen: boolean) {
    const { trust, silence } = options;
    const limits = { ...defaultLimits(), ...options.limits };
    const { host } = ownAddress(options.serverDef);
    this.serverDef = withChosenPort(options.serverDef, listener.port);
    this.target = targetOfAddress(formatHostPort({ host, port: listener.port }));
    this.addresses = listener.addresses;
    this.isOpen = isOpen;
    const { cluster, jobName, taskIndex, defaultSessionConfig } = this.serverDef;
    const lowerings = createLoweringRegistry();
    const kernels = createKernelRegistry(new GpuKernels(lowerings, createUpdateRegistry()));
    const ops = bundledOpRegistry();
    const chosen = options.gpus ?? [];
    const gpus = chosen.map((gpu, index) => kindOfGpu(index, gpu, defaultSessionConfig));
    const devices = TaskDevices.make(
      { job: jobName, index: taskIndex },
      deviceKindsOf(defaultSessionConfig, gpus),
    );
    const masterLimits = { ...DEFAULT_MASTER_LIMITS, ...options.masterLimits };
    this.#compute = new ComputePool();
    const { regions = "auto", log } = options;
    this.#regions =
      regions === "off"
        ? undefined
        : new TaskRegions({
            mode: regions,
            lowerings,
            log,
            gpus: chosen.map(({ provider }, index) => ({
              provider,
              memory: new GpuMemory(`/device:GPU:${index}`, Number(gpus[index]?.memoryLimitBytes ?? 0)),
            })),
          });
    const files = new AllowedFolders(options.files ?? []);
    this.worker = new Worker({
      devices,
      cluster: cluster ?? { job: [] },
      transport: streamTransport({ trust, maxMessageBytes: limits.maxMessageBytes, silence }),
      kernels,
      ops,
      files,
      compute: this.#compute,
      regions: this.#regions,
      groupLeader: defaultSessionConfig?.experimental?.collectiveGroupLeader,
      sessionIdleMillis: masterLimits.sessionIdleMillis,
      log: options.log,
    });
    this.#master = new Master({
      worker: this.worker,
      serverDef: this.serverDef,
      localDevices: devices.all,
      stepSequences: this.worker.stepSequences,
      makeWorkerCache: (cluster) => this.worker.makeWorkerCache(cluster),
      kernels,
      ops,
      files,
      log: options.log,
      limits: masterLimits,
    });
    this.#endpoint = new GrpcEndpoint(listener, limits, silence);
    this.#endpoint.offer(MasterServiceDefinition, this.#master);
    this.#endpoint.offer(WorkerServiceDefinition, this.worker);
    this.#endpoint.offerStream(WorkerServiceDefinition, this.worker);
    this.#endpoint.open();
  }

  /**
   * Starts a server; it accepts calls when this resolves.
   * @throws TensorFlowError INVALID_ARGUMENT for a task that is not in the cluster, an address without port or of
   *   another machine; UNKNOWN (TensorFlow's code) for a port in use; PERMISSION_DENIED; UNAVAILABLE for a name that
   *   does not resolve.
   */
  static async start(options: PortableServerOptions): Promise<PortableServer> {
    const { host, port } = ownAddress(options.serverDef);
    const plan = await planBinding({ host, bind: options.bind, checkAddress: options.checkAddress ?? true });
    const listener = await openListener(plan, port, options.trust);
    try {
      return new PortableServer(options, listener, plan.isOpen);
    } catch (error) {
      listener.close();
      throw error;
    }
  }

  /** Ends at once: calls in progress fail, connections are cut, state is dropped. May be called again. */
  async stop(): Promise<void> {
    if (this.#stopped) {
      return;
    }
    this.#stopped = true;
    const masterClosed = this.#master.close();
    this.worker.close();
    this.#endpoint.close();
    await Promise.all([masterClosed, this.#compute.close(), this.#regions?.close()]);
  }
}

async function openListener(
  plan: BindPlan,
  port: number,
  trust: PeerTrust | undefined,
): Promise<GrpcListener> {
  try {
    return await GrpcListener.open(plan, port, trust);
  } catch (error) {
    throw await listenError(error, port);
  }
}
