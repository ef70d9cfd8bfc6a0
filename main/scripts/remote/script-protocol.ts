/**
 * The messages of a job between the machine that submitted a script (S) and one that runs tasks of it (R), in their
 * order: S asks for ports until all are free; it describes the job; R says which contents it lacks, S sends them; R
 * makes the Python and says that it is ready; S starts and ends tasks, R reports lines and exits; at the end R sends
 * back what the tasks made. A question about packages may come alone. Anything that either side sends is validated here.
 */
import { z } from "zod";
import { ScriptMessage } from "../../../protos/generated/tensordeck/agent.js";
import { unlessAborted } from "../../../worker-runtime/cancellation/unless-aborted.js";
import type { Problem } from "../../api/problem.js";
import { printableText } from "../../shared/printable.js";
import { problem } from "../../shared/problems.js";
import { isTaskPort } from "../../tasks/task-ports.js";
import type { FolderScalar } from "../curves/event-folder.js";
import {
  fileSizeSchema,
  hashSchema,
  innerPathSchema,
  scriptFileSchema,
  scriptFilesSchema,
} from "../files/file-paths.js";
import { MODULE_NAME, MOST_MODULES } from "../python/imported-modules.js";

const MOST_TASKS = 64;
/** Points of curves in one message. */
const MOST_SCALARS = 10_000;
/** The length of a line of output; longer ones were cut by the sender. */
const MOST_LINE_CHARACTERS = 10_000;

const jobName = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/i);
const index = z.number().int().min(0).max(MOST_TASKS);
const taskSchema = z.object({ job: jobName, index });
const portSchema = z.number().int().refine(isTaskPort, "must be a port of tasks");
/** 0 for a task without a server. */
const optionalPortSchema = z.union([z.literal(0), portSchema]);
const portsSchema = z.array(portSchema).max(MOST_TASKS);
const addressSchema = z.string().regex(/^localhost:\d{1,5}$/);
const text = z.string().max(MOST_LINE_CHARACTERS);
/** Text that is shown: what controls terminals is taken out of it. */
const line = text.transform((value) => printableText(value, MOST_LINE_CHARACTERS));

/** Identifies a job on the connections of its tasks: 32 hexadecimal digits. */
export const jobIdSchema = z.string().regex(/^[0-9a-f]{32}$/);

export const taskDeviceSchema = z.union([z.literal("cpu"), z.number().int().min(0).max(255)]);

/** A program or an environment, as the user writes it. */
const pythonSchema = z
  .string()
  .min(1)
  .max(4096)
  .refine((path) => !path.includes("\0"));
const modulesSchema = z.array(z.string().regex(MODULE_NAME)).max(MOST_MODULES);

/** JSON has no number for these. */
const scalarValueSchema = z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"])]).transform(Number);

const scalarSchema = z.object({
  folder: z.union([z.literal(""), innerPathSchema]),
  tag: z
    .string()
    .max(1024)
    .transform((tag) => printableText(tag, 1024)),
  step: z.number().int(),
  value: scalarValueSchema,
});

export const jobOrderSchema = z.object({
  kind: z.literal("job"),
  id: jobIdSchema,
  files: scriptFilesSchema,
  script: innerPathSchema,
  args: z
    .array(
      z
        .string()
        .max(32_768)
        .refine((arg) => !arg.includes("\0")),
    )
    .max(1000),
  passFlags: z.boolean(),
  cluster: z.record(jobName, z.array(addressSchema).max(MOST_TASKS)),
  /** The tasks that R runs. */
  tasks: z
    .array(taskSchema.extend({ port: optionalPortSchema, device: taskDeviceSchema.optional() }))
    .min(1)
    .max(MOST_TASKS),
  /** Ports of the tasks of other machines. */
  elsewhere: portsSchema,
  /** Whether to cut the tasks off from the network. */
  isolate: z.boolean(),
  python: pythonSchema.optional(),
  requirements: innerPathSchema.optional(),
  /** Whether R sends the scalars of event files while they are written. */
  scalars: z.boolean().optional(),
  /** Whether R sends what the tasks take of processors and memory. */
  loads: z.boolean().optional(),
});
export type JobOrder = z.infer<typeof jobOrderSchema>;

export const requestSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ports"), own: portsSchema, elsewhere: portsSchema, isolate: z.boolean() }),
  jobOrderSchema,
  /** Asked before a job is begun: whether R has the Python of a script with such requirements, and the modules it needs. */
  z.object({
    kind: z.literal("packages"),
    requirements: z.object({ kind: z.enum(["uv-lock", "list"]), digest: hashSchema }).optional(),
    python: pythonSchema.optional(),
    /** Top-level modules that the script needs. */
    modules: modulesSchema.optional(),
  }),
  z.object({ kind: z.literal("content"), hash: hashSchema, size: fileSizeSchema }),
  z.object({ kind: z.literal("prepare") }),
  z.object({ kind: z.literal("start"), task: taskSchema }),
  z.object({ kind: z.literal("end"), task: taskSchema }),
  /** The connection that R wanted cannot be made. */
  z.object({ kind: z.literal("refused"), connection: z.number().int().min(0) }),
  /** The files to send back: everything that the tasks made, what lies below a folder, or nothing. */
  z.object({
    kind: z.literal("finish"),
    under: innerPathSchema.optional(),
    nothing: z.boolean().optional(),
  }),
]);
export type ScriptRequest = z.infer<typeof requestSchema>;

const exitSchema = z.object({ code: z.number().int().nullable(), signal: z.string().max(32).nullable() });
const problemSchema: z.ZodType<Problem> = z.object({
  code: z.string().max(64),
  message: line,
  reason: line.optional(),
  remedy: line.optional(),
  details: line.optional(),
}) as z.ZodType<Problem>;

export const reportSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ports"), taken: portsSchema }),
  z.object({
    kind: z.literal("packages"),
    ready: z.boolean(),
    python: line.optional(),
    missing: modulesSchema.optional(),
    problem: problemSchema.optional(),
  }),
  z.object({ kind: z.literal("wanted"), hashes: z.array(hashSchema) }),
  z.object({ kind: z.literal("progress"), text: line }),
  z.object({
    kind: z.literal("ready"),
    isolated: z.boolean(),
    obstacle: line.optional(),
    requirements: line.optional(),
  }),
  z.object({ kind: z.literal("line"), task: taskSchema, text: line, stream: z.enum(["stdout", "stderr"]) }),
  z.object({ kind: z.literal("scalars"), points: z.array(scalarSchema).max(MOST_SCALARS) }),
  z.object({
    kind: z.literal("loads"),
    tasks: z
      .array(z.object({ task: line, cpuPercent: z.number().min(0), memoryBytes: z.number().int().min(0) }))
      .max(MOST_TASKS),
  }),
  z.object({ kind: z.literal("exited"), task: taskSchema, exit: exitSchema }),
  z.object({ kind: z.literal("failed"), task: taskSchema, problem: problemSchema }),
  /** A task of R wants to connect to a task elsewhere: S connects to R for it. */
  z.object({ kind: z.literal("dial"), connection: z.number().int().min(0), port: portSchema }),
  z.object({ kind: z.literal("output"), file: scriptFileSchema }),
  z.object({
    kind: z.literal("finished"),
    leftOut: z
      .array(
        z
          .string()
          .max(4096)
          .transform((path) => printableText(path)),
      )
      .max(1000),
  }),
]);
export type ScriptReport = z.infer<typeof reportSchema>;

/** Scalars as reports, each of a size that fits into a message. */
export function scalarReports(points: readonly FolderScalar[]): ScriptReport[] {
  const sendable = points.flatMap(({ value, ...point }) => {
    const text = Number.isFinite(value) ? value : String(value);
    const { success } = scalarSchema.safeParse({ ...point, value: text });
    // The schema's output is a number; on the wire it may be a word.
    return success ? [{ ...point, value: text as number }] : [];
  });
  const pieces = Array.from({ length: Math.ceil(sendable.length / MOST_SCALARS) }, (_, piece) =>
    sendable.slice(piece * MOST_SCALARS, (piece + 1) * MOST_SCALARS),
  );
  return pieces.map((piece) => ({ kind: "scalars", points: piece }));
}

export function toMessage(value: ScriptRequest | ScriptReport): ScriptMessage {
  return ScriptMessage.create({ content: { $case: "json", value: JSON.stringify(value) } });
}

/** Reads messages and the contents of files between them. */
export class MessageReader<T> {
  readonly #messages: AsyncIterator<ScriptMessage>;
  readonly #schema: z.ZodType<T>;
  readonly #signal: AbortSignal;

  /** @param signal Ends the wait for the next message. */
  constructor(messages: AsyncIterable<ScriptMessage>, schema: z.ZodType<T>, signal: AbortSignal) {
    this.#messages = messages[Symbol.asyncIterator]();
    this.#schema = schema;
    this.#signal = signal;
  }

  /** Undefined at the end. @throws ProblemError INVALID_ARGUMENT for anything that the schema does not have. */
  async next(): Promise<T | undefined> {
    const { done, value } = await unlessAborted(this.#messages.next(), this.#signal);
    if (done) return undefined;
    const { content } = value;
    const parsed = this.#schema.safeParse(content?.$case === "json" ? parse(content.value) : undefined);
    if (parsed.success) return parsed.data;
    throw notUnderstood(parsed.error.issues[0]?.message);
  }

  /** The content that follows a message about a file. @throws ProblemError INVALID_ARGUMENT if less or more comes. */
  async *content(size: number): AsyncGenerator<Uint8Array> {
    let left = size;
    while (left > 0) {
      const { done, value } = await unlessAborted(this.#messages.next(), this.#signal);
      const content = done ? undefined : value.content;
      const data = content?.$case === "data" ? content.value : undefined;
      if (data === undefined || data.length === 0 || data.length > left)
        throw notUnderstood("a file is incomplete");
      left -= data.length;
      yield data;
    }
  }
}

function notUnderstood(reason: string | undefined) {
  return problem("INVALID_ARGUMENT", "A message about a script cannot be understood.", {
    reason,
    remedy: "Install the same version of Tensordeck on both machines.",
  });
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
