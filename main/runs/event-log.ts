/** The scalars of a run in an event file, which TensorBoard draws. */
import { FileWriter, scalarSummary } from "../../worker-runtime/training/summary-writer.js";
import { scalarOf } from "../shared/scalar-series.js";
import type { NamedTensor } from "./tensors/tensor-store.js";

/** About as many points as TensorBoard draws of a curve. */
const MAX_POINTS = 1000;

export class EventLog {
  readonly #writer: FileWriter;
  /** The number of the step before the run's first. */
  readonly #before: number;
  readonly #every: number;
  #failure: unknown;

  private constructor(writer: FileWriter, before: number, steps: number) {
    this.#writer = writer;
    this.#before = before;
    this.#every = Math.ceil(steps / MAX_POINTS);
  }

  /** @param before how many steps earlier runs made */
  static async create(folder: string, before: number, steps: number): Promise<EventLog> {
    return new EventLog(await FileWriter.create(folder), before, steps);
  }

  /** Adds the scalars of a step of the run under their tensors' names: "loss" of "loss:0". */
  add(step: number, results: readonly NamedTensor[]): void {
    if (step === 1 || step % this.#every === 0) this.addAll(step, results);
  }

  /** As `add`, of any step. */
  addAll(step: number, results: readonly NamedTensor[]): void {
    const values = results.flatMap(({ name, tensor }) => {
      const value = scalarOf(tensor);
      return value === undefined ? [] : [scalarSummary(name.replace(/:0$/, ""), value)];
    });
    if (values.length === 0) return;
    this.#writer.addSummary(values, this.#before + step).catch((error: unknown) => {
      this.#failure = error;
    });
  }

  /** The steps after this one are run again. */
  rewindTo(step: number): void {
    this.#writer.addSessionStart(this.#before + step + 1).catch((error: unknown) => {
      this.#failure = error;
    });
  }

  /** Waits until everything is on disk. @throws TensorFlowError if something could not be written */
  async flush(): Promise<void> {
    await this.#writer.flush();
    if (this.#failure !== undefined) throw this.#failure;
  }

  close(): Promise<void> {
    return this.#writer.close();
  }
}
