/** Copies between a GPU and the memory of its host, which traces record with the device's own copies. */
import { formatDeviceName, tryParseDeviceName } from "../../cluster/device-name.js";
import type { TransferTiming } from "./timings.js";
import type { TraceRecord } from "./trace-record.js";

const NAMES = /^MEMCPY(HtoD|DtoH)$/;
/** The suffix of a copy's device in the name of its record's lane. */
const LANE_ENDING = "/memcpy";

/**
 * The copies of a step, as transfers that have the names of their records in the place of a tensor.
 * @param startMicros of the step
 */
export function deviceCopies(records: readonly TraceRecord[], startMicros: number): TransferTiming[] {
  return records.flatMap((record) => {
    const { nodeName: tensor, timelineLabel } = record.stats;
    const direction = NAMES.exec(tensor)?.[1];
    if (direction === undefined || !record.device.endsWith(LANE_ENDING)) return [];
    const gpu = record.device.slice(0, -LANE_ENDING.length);
    const parts = tryParseDeviceName(gpu);
    if (parts?.type !== "GPU" || parts.task === undefined) return [];
    const host = formatDeviceName({ ...parts, type: "CPU", index: 0 });
    const bytes = /\b(\d+) bytes/.exec(timelineLabel)?.[1];
    return {
      tensor,
      ...(direction === "HtoD" ? { fromDevice: host, toDevice: gpu } : { fromDevice: gpu, toDevice: host }),
      startMicros: record.startMicros - startMicros,
      durationMicros: record.durationMicros,
      bytes: bytes === undefined ? undefined : Number(bytes),
      timed: true,
    };
  });
}
