import { expect, it } from "vitest";
import type { NodeRun, Transfer } from "../../../main/api/runs.js";
import { columnsOf, eventsOf } from "../../../main/api/trace-columns.js";
import { traceEventsSchema } from "../../../main/api/traces.js";

const nodes: NodeRun[] = [
  { node: "a", device: "/task:0", startMicros: 0, durationMicros: 2, outputBytes: 4, peakBytes: 8 },
  { node: "b", device: "/task:1", startMicros: 1.5, durationMicros: 3, outputBytes: 0, together: 3 },
  { node: "a", device: "/task:0", startMicros: 5, durationMicros: 1, outputBytes: 4, peakBytes: 0 },
];
const transfers: Transfer[] = [
  {
    ...{ tensor: "a:0", fromDevice: "/task:0", toDevice: "/task:2", startMicros: 2, durationMicros: 1 },
    ...{ bytes: 4, timed: true },
  },
  {
    ...{ tensor: "", fromDevice: "/task:2", toDevice: "/task:1", startMicros: 3, durationMicros: 1 },
    ...{ timed: false, forClient: true },
  },
];

it.each([1, 2, 4, 5, 100])("in parts of %d events is the same trace", (count) => {
  const read: { nodes: NodeRun[]; transfers: Transfer[] } = { nodes: [], transfers: [] };
  for (let from = 0; from < nodes.length + transfers.length; from += count) {
    const part = eventsOf(traceEventsSchema.parse(columnsOf({ nodes, transfers }, from, count)));
    expect(part.nodes.length + part.transfers.length).toBeLessThanOrEqual(count);
    read.nodes.push(...part.nodes);
    read.transfers.push(...part.transfers);
  }
  expect(read).toEqual({ nodes, transfers });
});

it("names a device once in a part", () => {
  expect(columnsOf({ nodes, transfers }, 0, 100).devices).toEqual(["/task:0", "/task:1", "/task:2"]);
  expect(columnsOf({ nodes, transfers }, 5, 100)).toMatchObject({ devices: [], nodes: { node: [] } });
});
