/** A run that has ended, in the form in which it is kept on disk. */
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { decode, encode } from "@msgpack/msgpack";
import { z } from "zod";
import { runSettingsSchema, scalarCurveSchema, scalarSummarySchema } from "../api/run-history.js";
import { runUpdateSchema } from "../api/runs.js";
import { stepTraceSchema } from "../api/traces.js";
import type { KeptRun } from "./run-history.js";
import type { RunReport } from "./run-report.js";

/** Counts up with changes that earlier versions cannot read. */
const FORMAT = 1;
/** No run that was kept unpacks to more. */
const MAX_UNPACKED_BYTES = 64 << 20;

const archivedRunSchema = z.object({
  format: z.literal(FORMAT),
  number: z.number().int().positive(),
  startedAt: z.number(),
  settings: runSettingsSchema,
  /** The last news for windows. */
  update: runUpdateSchema,
  scalars: z.array(scalarSummarySchema),
  curves: z.array(scalarCurveSchema),
  traces: z.array(stepTraceSchema),
});

/** Compressed; values as the window shows them, not whole tensors. */
export async function encodeRun({ number, startedAt, status, settings }: KeptRun): Promise<Uint8Array> {
  const run: z.infer<typeof archivedRunSchema> = {
    ...{ format: FORMAT, number, startedAt, settings, update: status.update() },
    scalars: status.scalars.summaries(),
    curves: status.scalars.curves(),
    traces: [...status.traces.all],
  };
  return await promisify(gzip)(encode(run, { ignoreUndefined: true }));
}

/** @throws an error of any kind for bytes that are not of `encodeRun`, or of another version */
export async function decodeRun(bytes: Uint8Array): Promise<KeptRun> {
  const content = await promisify(gunzip)(bytes, { maxOutputLength: MAX_UNPACKED_BYTES });
  const archived = archivedRunSchema.parse(decode(content));
  const { number, startedAt, settings, scalars, curves, traces } = archived;
  // Its sessions are gone: it cannot go on.
  const { recovery: _, ...update } = archived.update;
  const status: RunReport = {
    runId: update.runId,
    isOver: true,
    keptBytes: content.length,
    recovery: undefined,
    // It is kept because it is of a file.
    moveTo: () => undefined,
    progress: () => update,
    update: () => update,
    scalars: { summaries: () => scalars, curves: () => curves },
    traces: { all: traces, find: (step) => traces.find((trace) => trace.step === step) },
  };
  return { number, startedAt, status, settings };
}
