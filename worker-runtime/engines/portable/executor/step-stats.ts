import {
  type AllocatorMemoryUsed,
  NodeExecStats,
  type NodeOutput,
  StepStats,
} from "../../../../protos/generated/tensorflow/step_stats.js";
import { dataTypeOf } from "../../../protocol/dtype.js";
import { shapeToProto } from "../../../protocol/shape.js";
import { Tensor } from "../../../protocol/tensor.js";
import type { Outputs } from "../kernels/kernel.js";
import { RefValue, type Value } from "../values.js";
import { type Allocation, AllocationLog, allocatorMemory } from "./allocation-log.js";
import type { CompiledGraph, ExecutableNode } from "./compiled-node.js";

interface NodeRecord {
  readonly node: ExecutableNode;
  /** How many nodes ran in this time, as one. */
  readonly together: number;
  readonly startMillis: number;
  readonly endMillis: number;
  readonly outputs: readonly NodeOutput[];
  readonly allocations: readonly Allocation[];
}

interface SourceRecord {
  readonly device: string;
  readonly millis: number;
}

interface CopyRecord {
  readonly kind: CopyKind;
  readonly device: string;
  readonly bytes: number;
  readonly startMillis: number;
  readonly endMillis: number;
}

/** From the host to a device, and back: as TensorFlow names them. */
export type CopyKind = "MEMCPYHtoD" | "MEMCPYDtoH";

/** The node that TensorFlow starts every graph with; here it is no node, but traces show it. */
const SOURCE_NAME = "_SOURCE";

/** As TensorFlow names the memory of a CPU. */
const ALLOCATOR_NAME = "cpu";

/** Collects when each node of a step ran and what it put out, for RunMetadata.step_stats. */
export class StepStatsCollector {
  readonly #sources: SourceRecord[] = [];
  readonly #nodes: NodeRecord[] = [];
  readonly #copies: CopyRecord[] = [];
  readonly #log = new AllocationLog();
  /** What regions put out, by device: their nodes are not seen one by one. */
  readonly #ofRegions = new Map<string, Allocation[]>();

  /** A graph starts to run: each of its devices shows it, as the partitions of TensorFlow do. */
  started(graph: CompiledGraph): void {
    const millis = performance.now();
    this.#sources.push(...graph.devices.map((device) => ({ device, millis })));
  }

  /**
   * A node has run.
   * @param startMillis when, by `performance.now()`.
   */
  ran(
    node: ExecutableNode,
    startMillis: number,
    outputs: Outputs,
    inputs: readonly (Value | undefined)[],
  ): void {
    const endMillis = performance.now();
    const allocations = this.#log.ran(node.node.def.op, inputs, outputs, startMillis, endMillis);
    // TensorFlow leaves out the transfers; what RecvTensor received is recorded by the requesting worker.
    if (node.role !== "transfer") {
      // Described now: a variable may have changed by the time the record is read.
      const described = outputs.flatMap((value, slot) =>
        value === undefined ? [] : [describe(value, slot)],
      );
      this.#nodes.push({
        node,
        together: 1,
        startMillis,
        endMillis,
        outputs: described,
        allocations,
      });
    }
  }

  /** A region has taken inputs and put out what its nodes made. */
  ranRegion(
    device: string,
    startMillis: number,
    outputs: Outputs,
    inputs: readonly (Value | undefined)[],
  ): void {
    const made = this.#log.ran("", inputs, outputs, startMillis, performance.now());
    this.#ofRegions.set(device, [...(this.#ofRegions.get(device) ?? []), ...made]);
  }

  /** Nodes of a region have run as one. What is within it is not seen. */
  ranTogether(nodes: readonly ExecutableNode[], startMillis: number): void {
    const endMillis = performance.now();
    for (const node of nodes) {
      this.#nodes.push({
        node,
        together: nodes.length,
        startMillis,
        endMillis,
        outputs: [],
        allocations: [],
      });
    }
  }

  /**
   * Tensors were copied between the host and a device. As in TensorFlow's traces, they are listed with the device's copies,
   * here under the full name of the device: traces of several tasks are merged.
   * @param device "/device:GPU:0".
   */
  copied(kind: CopyKind, device: string, bytes: number, startMillis: number): void {
    this.#copies.push({ kind, device, bytes, startMillis, endMillis: performance.now() });
  }

  /** Everything so far, by device; times in microseconds (and nanoseconds) since 1970. */
  toProto(): StepStats {
    const devices = new Map<string, NodeExecStats[]>();
    const statsOf = (device: string): NodeExecStats[] => {
      const known = devices.get(device) ?? [];
      devices.set(device, known);
      return known;
    };
    for (const { device, millis } of this.#sources) {
      const memory = memoryOf(device, this.#ofRegions.get(device) ?? []);
      // Of several graphs on a device, one shows it.
      this.#ofRegions.delete(device);
      statsOf(device).push(
        execStats(SOURCE_NAME, `${SOURCE_NAME} = NoOp()`, millis, millis, { output: [], memory }),
      );
    }
    for (const { node, together, startMillis, endMillis, outputs, allocations } of this.#nodes) {
      const { name, op, input } = node.node.def;
      const shared = together === 1 ? "" : ` in a region of ${together} nodes`;
      const label = `${name} = ${op}(${input.join(", ")})${shared}`;
      statsOf(node.device).push(
        execStats(name, label, startMillis, endMillis, {
          output: [...outputs],
          memory: memoryOf(node.device, allocations),
        }),
      );
    }
    for (const { kind, device, bytes, startMillis, endMillis } of this.#copies) {
      const full = this.#sources.find((source) => source.device.endsWith(device))?.device ?? device;
      statsOf(`${full}/memcpy`).push(execStats(kind, `${kind} ${bytes} bytes`, startMillis, endMillis));
    }
    return StepStats.fromPartial({
      devStats: [...devices].map(([device, nodeStats]) => ({ device, nodeStats })),
    });
  }
}

function execStats(
  nodeName: string,
  timelineLabel: string,
  startMillis: number,
  endMillis: number,
  more: Partial<Pick<NodeExecStats, "output" | "memory">> = {},
): NodeExecStats {
  const startNanos = nanosOf(performance.timeOrigin) + nanosOf(startMillis);
  const nanos = nanosOf(endMillis - startMillis);
  return NodeExecStats.fromPartial({
    nodeName,
    timelineLabel,
    scheduledMicros: startNanos / 1000n,
    scheduledNanos: startNanos,
    allStartMicros: startNanos / 1000n,
    allStartNanos: startNanos,
    opEndRelMicros: nanos / 1000n,
    opEndRelNanos: nanos,
    allEndRelMicros: nanos / 1000n,
    allEndRelNanos: nanos,
    ...more,
  });
}

/** What a node allocated, as TensorFlow records it. */
function memoryOf(device: string, allocations: readonly Allocation[]): AllocatorMemoryUsed[] {
  const gpu = /gpu:\d+$/i.exec(device)?.[0];
  return allocatorMemory(allocations, gpu?.toUpperCase() ?? ALLOCATOR_NAME, microsAt);
}

function microsAt(millis: number): bigint {
  return (nanosOf(performance.timeOrigin) + nanosOf(millis)) / 1000n;
}

function nanosOf(millis: number): bigint {
  return BigInt(Math.round(millis * 1e6));
}

/** The dtype and shape of an output and the bytes of its elements. */
function describe(value: Value, slot: number): NodeOutput {
  const held = value instanceof RefValue ? value.cell.value : value;
  const bytes = held instanceof Tensor ? BigInt(held.byteLength) : 0n;
  return {
    slot,
    tensorDescription: {
      dtype: dataTypeOf(value.dtype),
      shape: shapeToProto(held?.shape ?? []),
      allocationDescription: {
        requestedBytes: bytes,
        allocatedBytes: bytes,
        allocatorName: ALLOCATOR_NAME,
        allocationId: 0n,
        hasSingleReference: false,
        ptr: 0n,
      },
    },
  };
}
