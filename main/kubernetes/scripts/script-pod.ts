/** The pod of one task of a script: its log, what is run in it, and how it ended. */
import type { Readable } from "node:stream";
import { setTimeout as after } from "node:timers/promises";
import { delay } from "../../../worker-runtime/cancellation/delay.js";
import { shortTaskText, type TaskName } from "../../../worker-runtime/cluster/device-name.js";
import { inBackground } from "../../../worker-runtime/faults.js";
import type { Problem } from "../../api/problem.js";
import type { OnScriptLine, ScriptExit } from "../../scripts/script-process.js";
import { type Deferred, deferred } from "../../shared/deferred.js";
import { defined, problem } from "../../shared/problems.js";
import { exitOfCode } from "../../tasks/exit-code.js";
import type { ApiServer } from "../api-server.js";
import { execInPod } from "../pod-exec.js";
import { podLog } from "../pod-log.js";
import { type Pod, problemOfPod } from "../pod-task.js";
import { SCRIPT_CONTAINER } from "./script-manifests.js";
import { endOfStart, signalCommand, startCommand } from "./script-program.js";

/** Before a log that broke off is asked for again. */
const PAUSE_MILLIS = 1000;
/** A container's last output may come after the news of its end. */
const LAST_LINES_MILLIS = 5000;
/** Between asking a script to end and ending it by force. */
const GRACE_MILLIS = 10_000;

/** In place of what it wrote, which the container's end or its pod's says. */
const LOST: ScriptExit = { code: null, signal: "SIGKILL" };

export interface ScriptPodContext {
  readonly api: ApiServer;
  readonly namespace: string;
  readonly token: string;
  /** The end of the job. */
  readonly signal: AbortSignal;
  /** Receives what it waits for, as a line, each time that this changes. */
  readonly onProgress: (task: TaskName, text: string) => void;
}

export class ScriptPod {
  readonly task: TaskName;
  readonly attempt: number;
  /** Resolves with the pod's name when its container runs; rejects if it never will. */
  readonly ready: Promise<string>;
  readonly #ready = deferred<string>();
  readonly #context: ScriptPodContext;
  /** How the pod ended, whatever its program said. */
  readonly #end = deferred<ScriptExit>();
  /** Resolves when everything that the container wrote has been read. */
  readonly #logRead = deferred<void>();
  #pod: string | undefined;
  #hasEnded = false;
  #starts = 0;
  #current:
    | { readonly n: number; readonly exit: Deferred<ScriptExit>; readonly onLine: OnScriptLine }
    | undefined;
  #told = "";

  constructor(task: TaskName, attempt: number, context: ScriptPodContext) {
    this.task = task;
    this.attempt = attempt;
    this.#context = context;
    this.ready = this.#ready.promise;
    // Whoever waits for it sees the error.
    this.ready.catch(() => undefined);
  }

  /** Whether it can no longer run anything. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Its name, once it runs. */
  get pod(): string | undefined {
    return this.#pod;
  }

  /** Takes over what Kubernetes says of the pod; undefined: it was removed. */
  update(pod: Pod | undefined): void {
    if (this.#hasEnded) return;
    const [container] = pod?.status?.containerStatuses ?? [];
    const ended = container?.state?.terminated;
    const isOver = pod === undefined || pod.status?.phase === "Failed" || pod.status?.phase === "Succeeded";
    if (ended !== undefined || isOver) {
      this.#ended(pod, ended);
    } else if (container?.state?.running) {
      this.#run(pod.metadata.name);
    } else {
      this.#waits(pod);
    }
  }

  /** It will never run. */
  fail(error: Error): void {
    this.#hasEnded = true;
    this.#ready.reject(error);
  }

  /** Runs the script. Resolves when it has ended for any reason. */
  async start(text: string, onLine: OnScriptLine): Promise<ScriptExit> {
    await this.ready;
    this.#starts++;
    const current = { n: this.#starts, exit: deferred<ScriptExit>(), onLine };
    this.#current = current;
    const bytes = Buffer.from(text);
    try {
      await this.execute(startCommand(current.n, bytes.length), {
        what: `${shortTaskText(this.task)} cannot be started in pod ${this.#pod}`,
        input: bytes,
      });
      return await Promise.race([current.exit.promise, this.#end.promise]);
    } catch (error) {
      if (this.#hasEnded) return await this.#end.promise;
      throw error;
    } finally {
      this.#current = undefined;
    }
  }

  /** Asks the script to end, and ends it by force after a grace. */
  async end(isByForce: boolean): Promise<void> {
    const current = this.#current;
    if (current === undefined || this.#hasEnded) return;
    if (!isByForce) {
      await this.#signal("TERM");
      const isOver = await Promise.race([
        Promise.race([current.exit.promise, this.#end.promise]).then(() => true),
        after(GRACE_MILLIS, false, { ref: false }),
      ]);
      if (isOver) return;
    }
    await this.#signal("KILL");
  }

  /**
   * Runs a command beside the script. Returns what it wrote, unless that is taken.
   * @throws ProblemError if it fails, or cannot be run
   */
  async execute(
    command: readonly string[],
    options: {
      readonly what: string;
      readonly input?: Uint8Array | AsyncIterable<Uint8Array>;
      readonly onOutput?: (output: Readable) => Promise<void>;
    },
  ): Promise<void> {
    const { api, namespace, signal } = this.#context;
    const { what, input, onOutput } = options;
    const pod = await this.ready;
    const { code, errors } = await execInPod(api, {
      ...{ namespace, pod, container: SCRIPT_CONTAINER, command, what, signal },
      ...(input && { input: input instanceof Uint8Array ? onePiece(input) : input }),
      ...(onOutput && { onOutput }),
    });
    if (code === 0) return;
    throw problem("ABORTED", `${what}.`, {
      reason: errors.split("\n").at(-1) || `The command ended with exit code ${code}.`,
      details: errors || undefined,
    });
  }

  async #signal(name: "TERM" | "KILL"): Promise<void> {
    // It has just ended then.
    await this.execute(signalCommand(name), { what: "The script cannot be ended" }).catch(() => undefined);
  }

  #run(pod: string): void {
    if (this.#pod !== undefined) return;
    this.#pod = pod;
    this.#ready.resolve(pod);
    inBackground(this.#readLog(pod));
  }

  #waits(pod: Pod): void {
    const trouble = problemOfPod(pod);
    const waiting = pod.status?.containerStatuses?.[0]?.state?.waiting?.reason;
    if (trouble === undefined) {
      this.#tell(waiting === "ContainerCreating" ? "its image is fetched" : "it waits for a node");
    } else if (trouble.code === "UNAVAILABLE" || waiting === "ErrImagePull") {
      // A node may come; a registry may answer the next time.
      this.#tell(trouble.reason ?? trouble.message);
    } else {
      const { code, message, ...more } = trouble;
      this.fail(problem(code, message, { ...more, task: shortTaskText(this.task) }));
    }
  }

  #tell(text: string): void {
    if (text === this.#told) return;
    this.#told = text;
    this.#context.onProgress(this.task, text);
  }

  #ended(
    pod: Pod | undefined,
    container: { readonly exitCode?: number | undefined; readonly reason?: string | undefined } | undefined,
  ): void {
    this.#hasEnded = true;
    const name = shortTaskText(this.task);
    const why = pod === undefined ? removed(name) : problemOfEnd(name, pod, container?.reason);
    const exit = container?.exitCode === undefined ? LOST : exitOfCode(container.exitCode);
    this.#ready.reject(why ?? problem("ABORTED", `The pod of ${name} ended before its script was started.`));
    const resolve = () => this.#end.resolve(why === undefined ? exit : { ...exit, problem: why.problem });
    if (this.#pod === undefined) resolve();
    else inBackground(Promise.race([this.#logRead.promise, delay(LAST_LINES_MILLIS)]).then(resolve));
  }

  /** Reads until the container has ended. A log that broke off is read anew, without the lines that are known. */
  async #readLog(pod: string): Promise<void> {
    const { api, namespace, signal } = this.#context;
    let known = 0;
    while (!signal.aborted) {
      let position = 0;
      try {
        const lines = podLog(api, namespace, { pod, container: SCRIPT_CONTAINER }, { follow: true, signal });
        for await (const { text } of lines) {
          position++;
          if (position <= known) continue;
          known = position;
          this.#take(text);
        }
        if (this.#hasEnded) break;
      } catch {
        if (this.#hasEnded) break;
      }
      await delay(PAUSE_MILLIS, signal);
    }
    this.#logRead.resolve();
  }

  #take(text: string): void {
    const end = endOfStart(text, this.#context.token);
    const current = this.#current;
    if (end === undefined) {
      current?.onLine(text, "stdout");
      return;
    }
    if (end.before !== "") current?.onLine(end.before, "stdout");
    if (current?.n === end.n) current.exit.resolve(exitOfCode(end.code));
  }
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function removed(task: string) {
  return problem("ABORTED", `${task} failed: its pod was deleted.`, {
    reason: "Somebody deleted it, or its node was drained.",
    task,
  });
}

/** Why a pod ended that its program did not end by itself. */
function problemOfEnd(task: string, pod: Pod, reason: string | undefined) {
  if (reason === "OOMKilled") {
    return problem("RESOURCE_EXHAUSTED", `${task} failed: its container ran out of memory (OOMKilled).`, {
      remedy: "Submit it with more memory: --memory 8Gi.",
      task,
    });
  }
  const { message, reason: ofPod } = pod.status ?? {};
  if (ofPod === undefined && message === undefined) return undefined;
  const found: Partial<Problem> = defined({ reason: message, details: ofPod });
  return problem("ABORTED", `${task} failed: Kubernetes ended its pod${ofPod ? ` (${ofPod})` : ""}.`, {
    ...found,
    task,
  });
}
