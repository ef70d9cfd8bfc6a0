/** Workers that write down what a master asks of them, in place of real ones. */

import { ConfigProto, type RunOptions } from "../../../../../protos/generated/tensorflow/config.js";
import type { GraphDef } from "../../../../../protos/generated/tensorflow/graph.js";
import * as masterProto from "../../../../../protos/generated/tensorflow/master.js";
import * as proto from "../../../../../protos/generated/tensorflow/worker.js";
import { makeServerDef } from "../../../../../worker-runtime/cluster/server-def.js";
import type { ClientConnection } from "../../../../../worker-runtime/engines/portable/clients/client-connection.js";
import { cpuKind, type Device, makeDevice } from "../../../../../worker-runtime/engines/portable/device.js";
import { loopKernels } from "../../../../../worker-runtime/engines/portable/kernels/control-flow/loops.js";
import { sourceKernels } from "../../../../../worker-runtime/engines/portable/kernels/control-flow/sources.js";
import { KernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/registry.js";
import { Master } from "../../../../../worker-runtime/engines/portable/master/master.js";
import type { MasterLimits } from "../../../../../worker-runtime/engines/portable/master/master-environment.js";
import type { MasterCallOptions } from "../../../../../worker-runtime/engines/portable/master/master-interface.js";
import { AllowedFolders } from "../../../../../worker-runtime/engines/portable/resources/allowed-folders.js";
import type {
  WorkerCallOptions,
  WorkerInterface,
} from "../../../../../worker-runtime/engines/portable/worker/worker-interface.js";
import { bundledOpRegistry } from "../../../../../worker-runtime/graph/op-registry.js";
import { unimplemented } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor, tensorToProto } from "../../../../../worker-runtime/protocol/tensor.js";

export interface Recorded {
  readonly task: string;
  readonly method: string;
  readonly request: unknown;
  readonly options: WorkerCallOptions | undefined;
}

type Handler<Request, Response> = (request: Request, options?: WorkerCallOptions) => Promise<Response>;

/** A worker whose answers a test may replace one by one. */
export class FakeWorker implements WorkerInterface {
  readonly device: Device;
  readonly #task: string;
  readonly #calls: Recorded[];
  #graphs = 0;

  /** Its answers to GetStatus and RunGraph. */
  onGetStatus: Handler<proto.GetStatusRequest, proto.GetStatusResponse>;
  onRunGraph: Handler<proto.RunGraphRequest, proto.RunGraphResponse>;

  constructor(job: string, index: number, calls: Recorded[]) {
    this.#task = `/job:${job}/replica:0/task:${index}`;
    this.#calls = calls;
    this.device = makeDevice({ job, index }, cpuKind());
    this.onGetStatus = async () => ({ deviceAttributes: [this.device.attributes] });
    this.onRunGraph = async ({ recvKey }) =>
      proto.RunGraphResponse.fromPartial({
        recv: recvKey.map((name) => ({ name, tensor: tensorToProto(Tensor.of(1)) })),
      });
  }

  readonly getStatus: WorkerInterface["getStatus"] = (request, options) =>
    this.#record("getStatus", request, options, () => this.onGetStatus(request, options));
  readonly createWorkerSession: WorkerInterface["createWorkerSession"] = (request, options) =>
    this.#record("createWorkerSession", request, options, async () => ({}));
  readonly deleteWorkerSession: WorkerInterface["deleteWorkerSession"] = (request, options) =>
    this.#record("deleteWorkerSession", request, options, async () => ({}));
  readonly registerGraph: WorkerInterface["registerGraph"] = (request, options) =>
    this.#record("registerGraph", request, options, async () => {
      this.#graphs += 1;
      return { graphHandle: `graph ${this.#graphs}` };
    });
  readonly deregisterGraph: WorkerInterface["deregisterGraph"] = (request, options) =>
    this.#record("deregisterGraph", request, options, async () => ({}));
  readonly runGraph: WorkerInterface["runGraph"] = (request, options) =>
    this.#record("runGraph", request, options, () => this.onRunGraph(request, options));
  readonly cleanupGraph: WorkerInterface["cleanupGraph"] = (request, options) =>
    this.#record("cleanupGraph", request, options, async () => ({}));
  readonly cleanupAll: WorkerInterface["cleanupAll"] = (request, options) =>
    this.#record("cleanupAll", request, options, async () => ({}));
  readonly logging: WorkerInterface["logging"] = (request, options) =>
    this.#record("logging", request, options, async () => ({ step: [] }));
  readonly recvTensor: WorkerInterface["recvTensor"] = () => refused();
  readonly markRecvFinished: WorkerInterface["markRecvFinished"] = () => refused();
  readonly tracing: WorkerInterface["tracing"] = () => refused();
  readonly recvBuf: WorkerInterface["recvBuf"] = () => refused();
  readonly completeGroup: WorkerInterface["completeGroup"] = () => refused();
  readonly completeInstance: WorkerInterface["completeInstance"] = () => refused();
  readonly getStepSequence: WorkerInterface["getStepSequence"] = () => refused();

  #record<T>(
    method: string,
    request: unknown,
    options: WorkerCallOptions | undefined,
    answer: () => Promise<T>,
  ): Promise<T> {
    this.#calls.push({ task: this.#task, method, request, options });
    return answer();
  }
}

function refused(): Promise<never> {
  return Promise.reject(unimplemented("not part of this test"));
}

/** A promise that is rejected with the signal's reason. */
export function untilCancelled(options: WorkerCallOptions | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (options?.signal?.aborted) {
      reject(options.signal.reason);
    }
    options?.signal?.addEventListener("abort", () => reject(options.signal?.reason), { once: true });
  });
}

/** Who makes a session, and how. */
interface ClientOptions extends Partial<MasterCallOptions> {
  readonly target?: string;
}

/** A master at worker/0 of a cluster with worker/1 and ps/0. */
export class FakeCluster {
  readonly calls: Recorded[] = [];
  readonly lines: string[] = [];
  readonly own = new FakeWorker("worker", 0, this.calls);
  readonly worker1 = new FakeWorker("worker", 1, this.calls);
  readonly ps0 = new FakeWorker("ps", 0, this.calls);
  readonly master: Master;
  /** Clusters for which connections were made, and how many of them are closed. */
  closedCaches = 0;

  constructor(limits?: Partial<MasterLimits>, config?: ConfigProto) {
    const remote = new Map([
      ["/job:worker/replica:0/task:1", this.worker1],
      ["/job:ps/replica:0/task:0", this.ps0],
      ["/job:other/replica:0/task:3", this.worker1],
    ]);
    this.master = new Master({
      worker: this.own,
      serverDef: makeServerDef({
        cluster: { worker: ["w0:2222", "w1:2222"], ps: ["ps0:2222"] },
        jobName: "worker",
        taskIndex: 0,
        config,
      }),
      localDevices: [this.own.device],
      makeWorkerCache: (cluster) => ({
        tasks: () =>
          cluster.job.flatMap(({ name, tasks }) =>
            [...tasks.keys()].map((index) => `/job:${name}/replica:0/task:${index}`),
          ),
        worker: (task) => remote.get(task) ?? this.own,
        close: () => {
          this.closedCaches += 1;
        },
      }),
      kernels: new KernelRegistry().add(...sourceKernels, ...loopKernels),
      ops: bundledOpRegistry(),
      files: new AllowedFolders([]),
      log: (line) => this.lines.push(line),
      limits,
    });
  }

  /** "method task" of the calls in order; of one method where it is given. */
  order(method?: string): string[] {
    return this.calls
      .filter((call) => method === undefined || call.method === method)
      .map((call) => `${call.method} ${call.task.replace("/replica:0", "")}`);
  }

  requests<T>(method: string, task?: string): T[] {
    return this.calls
      .filter((call) => call.method === method && (task === undefined || call.task.startsWith(task)))
      .map(({ request }) => request as T);
  }

  async createSession(
    graphDef?: GraphDef,
    config: Parameters<typeof ConfigProto.fromPartial>[0] = {},
    { target = "grpc://w0:2222", signal = new AbortController().signal, connection }: ClientOptions = {},
  ): Promise<string> {
    const request = { graphDef, config: ConfigProto.fromPartial(config), target };
    return (await this.master.createSession(request, { signal, connection })).sessionHandle;
  }

  runStep(
    sessionHandle: string,
    step: Partial<masterProto.RunStepRequest> & { readonly runOptions?: Partial<RunOptions> },
    signal: AbortSignal = new AbortController().signal,
    connection?: ClientConnection,
  ): Promise<masterProto.RunStepResponse> {
    const request = { ...masterProto.RunStepRequest.create(), sessionHandle, ...step };
    return this.master.runStep(request, { signal, connection });
  }
}
