import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { type ProgramEnd, runProgram } from "../../programs/run-program.js";
import { cancelledBy, dataLoss, failedPrecondition } from "../../protocol/status.js";
import { compiledModule, nodeCommand } from "../package-root.js";
import type { LibraryFiles, LocatedRuntime, RejectedRuntime, RuntimeCandidate } from "./candidate.js";
import { cacheFolder } from "./data-folder.js";

/** Loading takes half a second if the files are cached; reading a gigabyte from disk takes longer. */
const DEADLINE_MILLIS = 60_000;

export interface ProbeOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/** The output of the process that loads a library (probe-process.ts). */
export const probeAnswerSchema = z.union([
  z.object({ version: z.string(), gpu: z.boolean().nullable() }),
  z.object({ problem: z.string() }),
]);
export type ProbeAnswer = z.infer<typeof probeAnswerSchema>;

/**
 * Loads a library in a separate process and queries it. The result and the op list are cached in the user's data folder
 * until the file changes.
 * @throws TensorFlowError CANCELLED.
 */
export async function probeRuntime(
  located: LocatedRuntime,
  options: ProbeOptions = {},
): Promise<RuntimeCandidate | RejectedRuntime> {
  const { path: file, source, origin } = located;
  let answer: ProbeAnswer;
  try {
    ({ answer } = await probed(located, options));
  } catch (error) {
    if (options.signal?.aborted) {
      throw cancelledBy(options.signal.reason, "The search for a libtensorflow");
    }
    return { path: file, source, origin, reason: error instanceof Error ? error.message : String(error) };
  }
  if ("problem" in answer) {
    return { path: file, source, origin, reason: answer.problem };
  }
  // Older libraries do not answer; tfjs-node-gpu's name does.
  const gpu = answer.gpu ?? file.includes("tfjs-node-gpu");
  return { ...located, version: answer.version, gpu };
}

/**
 * Every op that a library has: a serialized tensorflow.OpList.
 * @throws TensorFlowError FAILED_PRECONDITION when the library cannot be loaded, CANCELLED.
 */
export async function engineOpList(library: LibraryFiles, options: ProbeOptions = {}): Promise<Uint8Array> {
  const { answer, opList } = await probed(library, options);
  if ("problem" in answer) {
    throw failedPrecondition(answer.problem);
  }
  if (opList === undefined) {
    throw dataLoss(`The op list of ${library.path} could not be read.`);
  }
  return opList;
}

interface Probed {
  readonly answer: ProbeAnswer;
  readonly opList: Uint8Array | undefined;
}

async function probed(library: LibraryFiles, { env = process.env, signal }: ProbeOptions): Promise<Probed> {
  const folder = cacheFolder(env);
  const key = await identity(library);
  const answerFile = path.join(folder, `runtime-${key}.json`);
  const opListFile = path.join(folder, `runtime-${key}.oplist`);
  const remembered = await readAnswer(answerFile);
  if (remembered !== undefined && "version" in remembered) {
    const opList = await readFile(opListFile).catch(() => undefined);
    if (opList !== undefined) {
      return { answer: remembered, opList };
    }
  }
  const scratch = await mkdtemp(path.join(tmpdir(), "tensordeck-probe-"));
  try {
    const scratchList = path.join(scratch, "ops");
    const answer = await runProbe(library, scratchList, signal);
    if ("problem" in answer) {
      // A problem may be fixed at any time (a missing library gets installed), so it is not cached.
      return { answer, opList: undefined };
    }
    const opList = await readFile(scratchList);
    await remember(folder, opListFile, opList);
    await remember(folder, answerFile, JSON.stringify(answer));
    return { answer, opList };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** A cache key from paths, sizes and modification times, which changes when the files do. */
async function identity({ path: main, preload }: LibraryFiles): Promise<string> {
  const hash = createHash("sha256");
  for (const file of [main, ...preload]) {
    const { size, mtimeMs } = await stat(file);
    hash.update(`${file}\n${size}\n${mtimeMs}\n`);
  }
  return hash.digest("hex").slice(0, 32);
}

async function readAnswer(file: string): Promise<ProbeAnswer | undefined> {
  try {
    const parsed = probeAnswerSchema.safeParse(JSON.parse(await readFile(file, "utf8")));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Written to a temporary file and renamed, so that it is never read half-written. If the folder is not writable, only
 * the cache is lost.
 */
async function remember(folder: string, file: string, content: Uint8Array | string): Promise<void> {
  const draft = `${file}.${process.pid}`;
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(draft, content);
    await rename(draft, file);
  } catch {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

async function runProbe(
  library: LibraryFiles,
  opListFile: string,
  signal?: AbortSignal,
): Promise<ProbeAnswer> {
  const node = nodeCommand();
  const request = JSON.stringify({ path: library.path, preload: library.preload, opListFile });
  const script = compiledModule("engines/tensorflow/probe-process.js");
  const end = await runProgram(node.command, [script, request], {
    timeoutMillis: DEADLINE_MILLIS,
    // No GPU must be touched: only the library itself is queried.
    env: { ...process.env, ...node.env, CUDA_VISIBLE_DEVICES: "-1" },
    signal,
  });
  const answer = parseLine(end.stdout);
  if (answer === undefined && signal?.aborted) {
    throw cancelledBy(signal.reason, "The inspection of a library");
  }
  return answer ?? { problem: crashText(library.path, end) };
}

function parseLine(stdout: string): ProbeAnswer | undefined {
  try {
    return probeAnswerSchema.parse(JSON.parse(stdout.trim().split("\n").at(-1) ?? ""));
  } catch {
    return undefined;
  }
}

function crashText(file: string, { error, stderr }: ProgramEnd): string {
  const last = lastWords(stderr);
  const how = error?.killed
    ? `did not finish loading within ${DEADLINE_MILLIS / 1000} s`
    : error?.signal
      ? `crashed the process that loaded it (${error.signal})`
      : "could not be tried";
  return `${file} ${how}.${last === "" ? "" : ` Its last output: ${last}`}`;
}

/** The line that says why a process ended: Node writes its own version after an uncaught error. */
function lastWords(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.trim());
  const said = lines.filter((line) => line !== "" && !/^Node\.js v\d/.test(line));
  return (
    said.findLast((line) => /^(?:\w*Error|terminate called|FATAL|Fatal)\b/.test(line)) ?? said.at(-1) ?? ""
  );
}
