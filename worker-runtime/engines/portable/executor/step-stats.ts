import {
  type AllocatorMemoryUsed,
  NodeExecStats,
  type NodeOutput,
  StepStats,
} from "../../../../protos/generated/tensorflow/step_stats.js";
import { type DType, dataTypeOf, itemSize } from "../../../protocol/dtype.js";
import { shapeToProto } from "../../../protocol/shape.js";
import { Tensor } from "../../../protocol/tensor.js";
import type { Outputs } from "../kernels/kernel.js";
import { RefValue, type Value } from "../values.js";
import { type Allocation, AllocationLog, allocatorMemory } from "./allocation-log.js";
import type { CompiledGraph, ExecutableNode, RegionPart } from "./compiled-node.js";

interface NodeRecord {
  readonly node: ExecutableNode;
  /** How many nodes of a session ran as one; the time is this node's share of theirs. */
  readonly together?: number;
  /** When it could have run: it may have waited for a thread. */
  readonly readyMillis: number;
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
  /** The outputs of regions, by device: their nodes are not seen one by one. */
  readonly #ofRegions = new Map<string, Allocation[]>();
  /** When the kernels that ran on other threads began, by their outputs. */
  readonly #begun = new WeakMap<Outputs, number>();

  /** A graph starts to run: each of its devices shows it, as the partitions of TensorFlow do. */
  started(graph: CompiledGraph): void {
    const millis = performance.now();
    this.#sources.push(...graph.devices.map((device) => ({ device, millis })));
  }

  /** The kernel that made these outputs waited for a thread until this time, of `performance.now()`. */
  began(outputs: Outputs, beganMillis: number): void {
    this.#begun.set(outputs, beganMillis);
  }

  /**
   * A node has run.
   * @param readyMillis when its inputs were there, by `performance.now()`.
   */
  ran(
    node: ExecutableNode,
    readyMillis: number,
    outputs: Outputs,
    inputs: readonly (Value | undefined)[],
  ): void {
    const endMillis = performance.now();
    const startMillis = Math.max(readyMillis, this.#begun.get(outputs) ?? readyMillis);
    const allocations = this.#log.ran(node.node.def.op, inputs, outputs, startMillis, endMillis);
    // TensorFlow leaves out the transfers; what RecvTensor received is recorded by the requesting worker.
    if (node.role !== "transfer") {
      // Described now: a variable may have changed by the time the record is read.
      const described = outputs.flatMap((value, slot) =>
        value === undefined ? [] : [describe(value, slot)],
      );
      this.#nodes.push({
        node,
        readyMillis,
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

  /**
   * Nodes of a region have run as one. When each of them ran is not seen: one after the other gets its share of the time, so
   * that the times add up to it.
   * @param readyMillis when they could have run, by `performance.now()`.
   * @param beganMillis when they did.
   */
  ranTogether(parts: readonly RegionPart[], readyMillis: number, beganMillis: number): void {
    const endMillis = performance.now();
    const total = parts.reduce((sum, { weight }) => sum + weight, 0);
    let [before, startMillis] = [0, beganMillis];
    for (const [index, { node, weight, shapes }] of parts.entries()) {
      before += total > 0 ? weight / total : 1 / parts.length;
      const isLast = index === parts.length - 1;
      const end = isLast ? endMillis : beganMillis + before * (endMillis - beganMillis);
      this.#nodes.push({
        ...{ node, together: parts.length, readyMillis, startMillis, endMillis: end },
        outputs: shapes.flatMap((shape, slot) => {
          const dtype = node.outputDtypes[slot];
          return shape === undefined || dtype === undefined ? [] : [describeShape(dtype, shape, slot)];
        }),
        allocations: [],
      });
      startMillis = end;
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
      // One of several graphs on a device shows it.
      this.#ofRegions.delete(device);
      statsOf(device).push(
        execStats(SOURCE_NAME, `${SOURCE_NAME} = NoOp()`, millis, millis, { output: [], memory }),
      );
    }
    for (const { node, together, readyMillis, outputs, allocations, ...times } of this.#nodes) {
      const { name, op, input } = node.node.def;
      const label = `${name} = ${op}(${input.join(", ")})${togetherText(together)}`;
      statsOf(node.device).push(
        execStats(name, label, times.startMillis, times.endMillis, {
          ...scheduledAt(readyMillis),
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

/** Follows a label; `session/trace/timeline-label.ts` reads it. */
function togetherText(nodes: number | undefined): string {
  return nodes === undefined ? "" : ` in a region of ${nodes} ${nodes === 1 ? "node" : "nodes"}`;
}

/** As TensorFlow's: `scheduled` is when it could begin, `all_start` when it did. */
function execStats(
  nodeName: string,
  timelineLabel: string,
  startMillis: number,
  endMillis: number,
  more: Partial<NodeExecStats> = {},
): NodeExecStats {
  const startNanos = nanosAt(startMillis);
  const nanos = nanosOf(endMillis - startMillis);
  return NodeExecStats.fromPartial({
    nodeName,
    timelineLabel,
    ...scheduledAt(startMillis),
    allStartMicros: startNanos / 1000n,
    allStartNanos: startNanos,
    opEndRelMicros: nanos / 1000n,
    opEndRelNanos: nanos,
    allEndRelMicros: nanos / 1000n,
    allEndRelNanos: nanos,
    ...more,
  });
}

function scheduledAt(millis: number): Pick<NodeExecStats, "scheduledMicros" | "scheduledNanos"> {
  const nanos = nanosAt(millis);
  return { scheduledMicros: nanos / 1000n, scheduledNanos: nanos };
}

/** A node's allocations, as TensorFlow records them. */
function memoryOf(device: string, allocations: readonly Allocation[]): AllocatorMemoryUsed[] {
  const gpu = /gpu:\d+$/i.exec(device)?.[0];
  return allocatorMemory(allocations, gpu?.toUpperCase() ?? ALLOCATOR_NAME, microsAt);
}

function microsAt(millis: number): bigint {
  return nanosAt(millis) / 1000n;
}

/** Since 1970, of a time by `performance.now()`. */
function nanosAt(millis: number): bigint {
  return nanosOf(performance.timeOrigin) + nanosOf(millis);
}

function nanosOf(millis: number): bigint {
  return BigInt(Math.round(millis * 1e6));
}

/** The dtype and shape of an output and the bytes of its elements. */
function describe(value: Value, slot: number): NodeOutput {
  const held = value instanceof RefValue ? value.cell.value : value;
  const bytes = held instanceof Tensor ? held.byteLength : 0;
  return description(value.dtype, held?.shape ?? [], bytes, slot);
}

/** As `describe`, of a value that is gone. */
function describeShape(dtype: DType, shape: readonly number[], slot: number): NodeOutput {
  const bytes = shape.reduce((product, size) => product * size, itemSize(dtype));
  return description(dtype, shape, bytes, slot);
}

function description(dtype: DType, shape: readonly number[], bytes: number, slot: number): NodeOutput {
  return {
    slot,
    tensorDescription: {
      dtype: dataTypeOf(dtype),
      shape: shapeToProto(shape),
      allocationDescription: {
        requestedBytes: BigInt(bytes),
        allocatedBytes: BigInt(bytes),
        allocatorName: ALLOCATOR_NAME,
        allocationId: 0n,
        hasSingleReference: false,
        ptr: 0n,
      },
    },
  };
}
