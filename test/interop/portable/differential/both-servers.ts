/** A TensorFlow server and the engine under test, on which the same cases run and are compared. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { TensorFlowError } from "../../../../worker-runtime/protocol/status.js";
import { type StartedWorker, startWorker } from "../../worker-peers.js";
import type { Case } from "./case.js";
import { caseFailures } from "./case-failures.js";
import { evaluateCases, type Outcome } from "./evaluate.js";
import { withoutFalseDuplicates } from "./false-duplicates.js";
import { caseOfNode, type OpCase } from "./op-case.js";
import type { CaseBuilder } from "./plan.js";
import type { Settings } from "./settings.js";

/** The end of a dead server's output, which shows why it died. */
const LAST_WORDS = 2_000;

type Side = "theirs" | "ours";

export interface BothServersOptions extends Pick<Settings, "engine" | "regions"> {
  /** Called for each case that agrees, with its outcomes on TensorFlow. */
  agreed?(one: Case, expected: readonly Outcome[]): void;
}

export class BothServers {
  readonly #options: BothServersOptions;
  readonly #folder = mkdtempSync(path.join(tmpdir(), "tensordeck-differential-"));
  readonly #workers = new Map<Side, StartedWorker>();

  constructor(options: BothServersOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await Promise.all([this.#start("theirs"), this.#start("ours")]);
  }

  /** Removes the files. The servers end with the test file, as all peers do. */
  removeFiles(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** The differences when single nodes run: with inputs fed, then as constants. */
  async compareNodes(nodes: readonly OpCase[]): Promise<string[]> {
    const made = (some: readonly OpCase[], style: "fed" | "constant") => () =>
      some.map((one, i) => caseOfNode(one, `case${i}`, style));
    const fed = await this.#compare(made(nodes, "fed"));
    // As constants, which a master may fold; it refuses a whole graph for a single error.
    const valid = nodes.filter(
      ({ onlyFed }, i) => !onlyFed && fed.expected[i]?.every(({ kind }) => kind === "values"),
    );
    const constant = await this.#compare(made(valid, "constant"));
    return [...fed.failures, ...constant.failures];
  }

  /** The differences when programs run, each with a folder of its own on each server. */
  async comparePrograms(builders: readonly CaseBuilder[]): Promise<string[]> {
    const { failures } = await this.#compare((own) =>
      builders.map(({ name, build }) => {
        const folder = path.join(own, name);
        mkdirSync(folder, { recursive: true });
        return build(folder);
      }),
    );
    return failures;
  }

  async #start(side: Side): Promise<void> {
    const { engine, regions } = this.#options;
    const ofTask = side === "theirs" ? "tensorflow" : engine;
    const chosen = regions === undefined ? [] : [`--regions=${regions}`];
    const options = ofTask === "portable" ? ["--files", this.#folder, ...chosen] : [];
    // Plain kernels: the oneDNN ones of this version end the process for some shapes.
    const env = { TF_ENABLE_ONEDNN_OPTS: "0" };
    this.#workers.set(side, await startWorker(["--engine", ofTask, ...options], env));
  }

  async #restart(side: Side): Promise<void> {
    await this.#workers.get(side)?.stop();
    await this.#start(side);
  }

  /** Runs cases on both; returns the differences and the outcomes on TensorFlow. */
  async #compare(build: (folder: string) => readonly Case[]) {
    const cases = build(path.join(this.#folder, "theirs"));
    const expected = await withoutFalseDuplicates(await this.#evaluate("theirs", cases), async (indices) => {
      // Another server, and other files: what the first try has left must not show.
      await this.#restart("theirs");
      const fresh = build(path.join(this.#folder, "theirs again"));
      return await this.#evaluate(
        "theirs",
        fresh.filter((_, i) => indices.includes(i)),
      );
    });
    const actual = await this.#evaluate("ours", build(path.join(this.#folder, "ours")));
    const failures = cases.flatMap((one, i) => {
      const found = caseFailures(one, expected[i] ?? [], actual[i] ?? []);
      if (found.length === 0) this.#options.agreed?.(one, expected[i] ?? []);
      return found;
    });
    return { failures, expected };
  }

  /** A server that dies is restarted, and the cases are bisected until the one that caused it is isolated. */
  async #evaluate(side: Side, cases: readonly Case[]): Promise<Outcome[][]> {
    const worker = this.#workers.get(side);
    if (worker === undefined || cases.length === 0) return [];
    try {
      return await evaluateCases(worker.target, cases);
    } catch (error) {
      if (!(error instanceof TensorFlowError)) throw error;
      const lastLines = worker.output().slice(-LAST_WORDS);
      await this.#restart(side);
      const middle = Math.ceil(cases.length / 2);
      return middle === cases.length
        ? cases.map(() => [{ kind: "died", lastLines }])
        : [
            ...(await this.#evaluate(side, cases.slice(0, middle))),
            ...(await this.#evaluate(side, cases.slice(middle))),
          ];
    }
  }
}
