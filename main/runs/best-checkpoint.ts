/** The best checkpoint of a training, in a folder of its own, with what it is the best by. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomically } from "../../worker-runtime/io/atomic-write.js";
import { CheckpointList } from "../../worker-runtime/training/checkpoint-list.js";
import { type BestBy, bestBySchema, type RunCheckpoints, type SavedCheckpoint } from "../api/checkpoints.js";
import { scalarOf } from "../shared/scalar-series.js";
import { described } from "./described-checkpoint.js";
import { isBetter } from "./stop-conditions.js";
import type { NamedTensor } from "./tensors/tensor-store.js";

const FILE = "best.json";
const storedSchema = bestBySchema.extend({ value: z.number(), step: z.number().int() });

type Kept = NonNullable<RunCheckpoints["best"]>;

export class BestCheckpoint {
  readonly folder: string;
  readonly #by: BestBy;
  /** One stays. */
  readonly #list = new CheckpointList(1);
  #kept: Kept | undefined;

  constructor(folder: string, by: BestBy) {
    this.folder = folder;
    this.#by = by;
  }

  get kept(): Kept | undefined {
    return this.#kept;
  }

  /** Goes on with the one of an earlier run, unless that was the best by another value. */
  async recover(): Promise<void> {
    await this.#list.recover(this.folder);
    const prefix = this.#list.prefixes.at(-1);
    const text = await readFile(join(this.folder, FILE), "utf8").catch(() => undefined);
    if (prefix === undefined || text === undefined) return;
    const { tensor, mode, value, step } = storedSchema.safeParse(parsed(text)).data ?? {};
    if (value === undefined || step === undefined || tensor !== this.#by.tensor || mode !== this.#by.mode)
      return;
    this.#kept = { ...this.#by, value, saved: { ...(await described(prefix)), step } };
  }

  /** The value of these results, if it is better than the best before. */
  better(results: readonly NamedTensor[]): number | undefined {
    const tensor = results.find(({ name }) => name === this.#by.tensor)?.tensor;
    const value = tensor && scalarOf(tensor);
    return value !== undefined && isBetter(this.#by.mode, value, this.#kept?.value) ? value : undefined;
  }

  /** Takes a checkpoint that was written into the folder; the one before is deleted. */
  async keep(value: number, saved: SavedCheckpoint): Promise<void> {
    await this.#list.add(saved.prefix);
    const { step } = saved;
    await writeFileAtomically(
      join(this.folder, FILE),
      Buffer.from(`${JSON.stringify({ ...this.#by, value, step })}\n`),
    );
    this.#kept = { ...this.#by, value, saved };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Damaged: the next best one replaces it.
    return undefined;
  }
}
