/**
 * Events of a trace as columns. As objects, each with the names of its fields and of its devices, 200,000 of them are 27 MB,
 * which block the window while it decodes them. Pure.
 */
import type { NodeRun, Transfer } from "./runs.js";
import type { StepTrace, TraceEvents } from "./traces.js";

/** Some events of a step, counted over its nodes and after them its transfers. */
export function columnsOf(
  { nodes, transfers }: Pick<StepTrace, "nodes" | "transfers">,
  from: number,
  count: number,
): TraceEvents {
  const start = Math.max(0, from - nodes.length);
  const sent = transfers.slice(start, Math.max(start, from + count - nodes.length));
  const ran = nodes.slice(from, from + count);
  const devices = new Map<string, number>();
  const deviceIndex = (device: string) => {
    const known = devices.get(device) ?? devices.size;
    devices.set(device, known);
    return known;
  };
  const columns = {
    nodes: {
      node: ran.map(({ node }) => node),
      device: ran.map(({ device }) => deviceIndex(device)),
      startMicros: ran.map(({ startMicros }) => startMicros),
      durationMicros: ran.map(({ durationMicros }) => durationMicros),
      outputBytes: ran.map(({ outputBytes }) => outputBytes),
      peakBytes: ran.map(({ peakBytes }) => peakBytes ?? null),
      together: ran.map(({ together }) => together ?? null),
    },
    transfers: {
      tensor: sent.map(({ tensor }) => tensor),
      fromDevice: sent.map(({ fromDevice }) => deviceIndex(fromDevice)),
      toDevice: sent.map(({ toDevice }) => deviceIndex(toDevice)),
      startMicros: sent.map(({ startMicros }) => startMicros),
      durationMicros: sent.map(({ durationMicros }) => durationMicros),
      bytes: sent.map(({ bytes }) => bytes ?? null),
      timed: sent.map(({ timed }) => timed),
      forClient: sent.map(({ forClient }) => forClient === true),
    },
  };
  return { devices: [...devices.keys()], ...columns };
}

/** The reverse of `columnsOf`. */
export function eventsOf({ devices, nodes, transfers }: TraceEvents): {
  readonly nodes: NodeRun[];
  readonly transfers: Transfer[];
} {
  const at = (numbers: readonly number[], index: number) => numbers[index] ?? 0;
  const deviceAt = (indices: readonly number[], index: number) => devices[at(indices, index)] ?? "";
  return {
    nodes: nodes.node.map((node, index): NodeRun => {
      const peakBytes = nodes.peakBytes[index] ?? undefined;
      const together = nodes.together[index] ?? undefined;
      return {
        node,
        device: deviceAt(nodes.device, index),
        startMicros: at(nodes.startMicros, index),
        durationMicros: at(nodes.durationMicros, index),
        outputBytes: at(nodes.outputBytes, index),
        ...(peakBytes === undefined ? {} : { peakBytes }),
        ...(together === undefined ? {} : { together }),
      };
    }),
    transfers: transfers.tensor.map((tensor, index): Transfer => {
      const bytes = transfers.bytes[index] ?? undefined;
      return {
        tensor,
        fromDevice: deviceAt(transfers.fromDevice, index),
        toDevice: deviceAt(transfers.toDevice, index),
        startMicros: at(transfers.startMicros, index),
        durationMicros: at(transfers.durationMicros, index),
        ...(bytes === undefined ? {} : { bytes }),
        timed: transfers.timed[index] ?? false,
        ...(transfers.forClient[index] ? { forClient: true } : {}),
      };
    }),
  };
}
