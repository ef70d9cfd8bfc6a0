/** Steps of runs that were traced. */
import { z } from "zod";
import { method } from "./method.js";
import { nodeRunSchema, transferSchema } from "./runs.js";

/** A step's allocations in one memory, such as a GPU's or the host's; variables, held before, are not in it. */
export const deviceMemorySchema = z.object({
  device: z.string(),
  /** The engine's name of the memory: "cpu", "GPU_0_bfc". */
  allocator: z.string(),
  /** The most that was held at one time. */
  peakBytes: z.number(),
  /** When that was first, from the start of the step. */
  peakMicros: z.number(),
  /** The bytes held from each time on, in the order of time; at most 512. */
  points: z.array(z.object({ micros: z.number(), bytes: z.number() })),
});
export type DeviceMemory = z.infer<typeof deviceMemorySchema>;

export const stepTraceSchema = z.object({
  step: z.number().int().positive(),
  nodes: z.array(nodeRunSchema),
  transfers: z.array(transferSchema),
  memory: z.array(deviceMemorySchema),
  /** Duration of the step, as the client saw it. */
  stepMillis: z.number(),
  /** True if the step was the first of its kind, which includes placing and registering the graph. */
  registeredGraph: z.boolean(),
  /** From the start of the first node to the end of the last one, as the tasks measured. */
  computeMillis: z.number(),
});
export type StepTrace = z.infer<typeof stepTraceSchema>;

/** A step without its events, which are asked for in parts. */
export const traceHeadSchema = stepTraceSchema
  .omit({ nodes: true, transfers: true })
  .extend({ nodeCount: z.number(), transferCount: z.number() });
export type TraceHead = z.infer<typeof traceHeadSchema>;

const numbers = z.array(z.number());
const numbersIfKnown = z.array(z.number().nullable());

/** Events by column; see trace-columns.ts. Devices are numbers of a list. */
export const traceEventsSchema = z.object({
  devices: z.array(z.string()),
  nodes: z.object({
    node: z.array(z.string()),
    ...{ device: numbers, startMicros: numbers, durationMicros: numbers },
    ...{ outputBytes: numbers, peakBytes: numbersIfKnown, together: numbersIfKnown },
  }),
  transfers: z.object({
    tensor: z.array(z.string()),
    ...{ fromDevice: numbers, toDevice: numbers, startMicros: numbers, durationMicros: numbers },
    ...{ bytes: numbersIfKnown, timed: z.array(z.boolean()), forClient: z.array(z.boolean()) },
  }),
});
export type TraceEvents = z.infer<typeof traceEventsSchema>;

/** So many events are encoded and decoded within a few milliseconds. */
export const EVENTS_PER_PART = 4096;

const tracedStep = z.object({ runId: z.string().max(64), step: z.number().int().positive() });

export const traceMethods = {
  /** A traced step of a run; `RunSummary.tracedSteps` says which there are. */
  "runs.trace": method(tracedStep, traceHeadSchema),
  /** The next `EVENTS_PER_PART` events of it, counted over its nodes and after them its transfers. */
  "runs.traceEvents": method(tracedStep.extend({ from: z.number().int().nonnegative() }), traceEventsSchema),
} as const;
