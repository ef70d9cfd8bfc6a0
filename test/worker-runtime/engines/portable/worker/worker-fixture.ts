/** A worker without a server, and what its tests send to it. */
import type { AttrValue } from "../../../../../protos/generated/tensorflow/attr_value.js";
import { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import type { TensorProto } from "../../../../../protos/generated/tensorflow/tensor.js";
import * as wire from "../../../../../protos/generated/tensorflow/worker.js";
import { cpuKind } from "../../../../../worker-runtime/engines/portable/device.js";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import type { StatefulKernelDefinition } from "../../../../../worker-runtime/engines/portable/kernels/kernel.js";
import { AllowedFolders } from "../../../../../worker-runtime/engines/portable/resources/allowed-folders.js";
import { TaskDevices } from "../../../../../worker-runtime/engines/portable/worker/task-devices.js";
import { Worker } from "../../../../../worker-runtime/engines/portable/worker/worker.js";
import type { WorkerInterface } from "../../../../../worker-runtime/engines/portable/worker/worker-interface.js";
import { bundledOpRegistry } from "../../../../../worker-runtime/graph/op-registry.js";
import { dataTypeOf } from "../../../../../worker-runtime/protocol/dtype.js";
import { notFound } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor, tensorToProto } from "../../../../../worker-runtime/protocol/tensor.js";

const utf8 = new TextEncoder();

const DAY_MILLIS = 24 * 3_600_000;

export const task0 = "/job:worker/replica:0/task:0";
export const task1 = "/job:worker/replica:0/task:1";

/** Workers of one cluster that call each other directly. */
export class LocalCluster {
  readonly workers: Worker[] = [];

  /** @param sessionIdleMillis how long the sessions of masters that are gone are kept at most. */
  constructor(
    count: number,
    kernels: readonly StatefulKernelDefinition[] = [],
    sessionIdleMillis = DAY_MILLIS,
  ) {
    const addresses = Array.from({ length: count }, (_, index) => [index, `localhost:${index + 1}`] as const);
    const cluster = { job: [{ name: "worker", tasks: new Map(addresses) }] };
    for (const [index] of addresses) {
      this.workers.push(
        new Worker({
          devices: TaskDevices.make({ job: "worker", index }, [cpuKind()]),
          cluster,
          transport: { connect: (address) => ({ worker: this.#at(address), close: () => undefined }) },
          kernels: createKernelRegistry().add(...kernels),
          ops: bundledOpRegistry(),
          files: new AllowedFolders([]),
          compute: undefined,
          sessionIdleMillis,
          log: () => undefined,
        }),
      );
    }
  }

  worker(index: number): Worker {
    const worker = this.workers[index];
    if (worker === undefined) {
      throw notFound(`worker ${index}`);
    }
    return worker;
  }

  close(): void {
    for (const worker of this.workers) {
      worker.close();
    }
  }

  #at(address: string): WorkerInterface {
    return this.worker(Number(address.split(":")[1]) - 1);
  }
}

export const cpu = (task: string): string => `${task}/device:CPU:0`;

export function incarnationOf(worker: Worker): bigint {
  return worker.devices()[0]?.incarnation ?? 0n;
}

/** The key of a tensor that goes from one worker's CPU to another's. */
export function keyOf(sender: Worker, from: string, to: string, name: string): string {
  const incarnation = incarnationOf(sender).toString(16).padStart(16, "0");
  return `${cpu(from)};${incarnation};${cpu(to)};${name};0:0`;
}

const attr = (value: AttrValue["value"]): AttrValue => ({ value });

export function constNode(
  name: string,
  value: Tensor,
  device: string,
  control: readonly string[] = [],
): NodeDef {
  return NodeDef.fromPartial({
    name,
    op: "Const",
    device,
    input: control.map((node) => `^${node}`),
    attr: new Map([
      ["dtype", attr({ $case: "type", value: dataTypeOf(value.dtype) })],
      ["value", attr({ $case: "tensor", value: tensorToProto(value) })],
    ]),
  });
}

/** A _Send (with an input) or a _Recv, as a partitioner makes them. */
export function edgeNode(
  name: string,
  input: string | undefined,
  edge: { readonly from: string; readonly to: string; readonly sender: Worker; readonly tensor: string },
): NodeDef {
  const type = attr({ $case: "type", value: dataTypeOf("float32") });
  const text = (value: string): AttrValue => attr({ $case: "s", value: utf8.encode(value) });
  return NodeDef.fromPartial({
    name,
    op: input === undefined ? "_Recv" : "_Send",
    device: cpu(input === undefined ? edge.to : edge.from),
    input: input === undefined ? [] : [input],
    attr: new Map([
      [input === undefined ? "tensor_type" : "T", type],
      ["tensor_name", text(edge.tensor)],
      ["send_device", text(cpu(edge.from))],
      ["recv_device", text(cpu(edge.to))],
      ["send_device_incarnation", attr({ $case: "i", value: BigInt.asIntN(64, incarnationOf(edge.sender)) })],
    ]),
  });
}

export function unaryNode(name: string, op: string, input: string, device: string): NodeDef {
  return NodeDef.fromPartial({
    name,
    op,
    device,
    input: [input],
    attr: new Map([["T", attr({ $case: "type", value: dataTypeOf("float32") })]]),
  });
}

/** Sends a tensor through a step of a worker, from a feed to a fetch. @returns what came back. */
export async function passThrough(
  client: WorkerInterface,
  worker: Worker,
  data: Float32Array,
): Promise<TensorProto> {
  const edge = { from: task0, to: task0, sender: worker };
  const { graphHandle } = await client.registerGraph(
    wire.RegisterGraphRequest.fromPartial({
      graphDef: {
        node: [
          edgeNode("in", undefined, { ...edge, tensor: "x:0" }),
          edgeNode("out", "in", { ...edge, tensor: "y:0" }),
        ],
        versions: { producer: 2474 },
      },
    }),
  );
  const key = (name: string): string => keyOf(worker, task0, task0, name);
  const { recv } = await client.runGraph(
    wire.RunGraphRequest.fromPartial({
      graphHandle,
      stepId: 1n,
      send: [{ name: key("x:0"), tensor: tensorToProto(Tensor.of(data)) }],
      recvKey: [key("y:0")],
    }),
  );
  const tensor = recv[0]?.tensor;
  if (tensor === undefined) {
    throw new Error("The worker sent nothing back.");
  }
  return tensor;
}
