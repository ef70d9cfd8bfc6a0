import { setImmediate } from "node:timers/promises";
import type { CancellationSignal } from "../../../../../cancellation/cancellation-signal.js";
import { invalidArgument, resourceExhausted, unimplemented } from "../../../../../protocol/status.js";
import type { StepContext } from "../../../executor/step-context.js";
import type { Resource } from "../../../resources/resource-manager.js";
import type { Queue } from "../../state/queues/queue-resource.js";
import { stringsOf } from "../../support/elements.js";
import { memoryBudget } from "../../support/memory-budget.js";
import { OneAtATime } from "../../support/one-at-a-time.js";
import type { FileStep } from "../files/file-bytes.js";
import { decodeState, encodeState, type ReaderState } from "./reader-state.js";

/** The type of a reader in handles. */
export const READER = "tensorflow::ReaderInterface";

/** Keys and values: a read of many records ends if there is no memory for this many more. */
const STRINGS_THAT_MUST_FIT = 2 ** 14;

/** After this many records, the reader yields to other work of the task. */
const RECORDS_PER_TURN = 256;

const NOT_STARTED: ReaderState = { started: 0, finished: 0, produced: 0, unit: new Uint8Array(0) };

export interface KeyedRecord {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** The next part of a work unit: a record, its end, or both. */
export interface NextOfUnit {
  readonly record?: KeyedRecord;
  readonly isLast: boolean;
}

/** The records of one work unit, one after the other. */
export interface UnitRecords {
  next(step: FileStep): Promise<NextOfUnit>;
}

/** How records are read from a work unit, which is usually a file path. */
export interface RecordFormat {
  /** Its name in errors, "TextLineReader". */
  readonly kind: string;
  /** Whether a reader can be saved: only if each unit has one record, so that no position within it is lost. */
  readonly isSavable: boolean;
  /** Starts a unit. @throws TensorFlowError if it cannot; the unit is then abandoned. */
  begin(unit: Uint8Array, step: FileStep): Promise<UnitRecords>;
}

/**
 * Dequeues work units and returns their records. Concurrent steps are served in the order in which they arrived;
 * counters can be read meanwhile. The rules are those of TensorFlow's
 * core/framework/reader_base.cc.
 */
export class Reader implements Resource {
  readonly typeName = READER;
  readonly #format: RecordFormat;
  readonly #name: string;
  readonly #turns = new OneAtATime();
  /** The unit that is being read; undefined between two units. */
  #records: UnitRecords | undefined;
  /** The last unit started; empty before the first one. */
  #unit = new Uint8Array(0);
  #started = 0;
  #finished = 0;
  #produced = 0;

  /** @param name as shown in errors */
  constructor(format: RecordFormat, name: string) {
    this.#format = format;
    this.#name = name;
  }

  get recordsProduced(): number {
    return this.#produced;
  }

  get unitsCompleted(): number {
    return this.#finished;
  }

  /**
   * Returns up to `most` records of one work unit; fewer only if the unit ends.
   * @param queue supplies the next work unit when needed.
   * @throws TensorFlowError OUT_OF_RANGE once the queue is closed and empty, and errors of reading the file.
   */
  read(most: number, queue: Queue, step: StepContext): Promise<readonly KeyedRecord[]> {
    return this.#turns.run(step.signal, async () => {
      const records: KeyedRecord[] = [];
      while (records.length < most) {
        this.#records ??= await this.#begin(queue, step);
        const { record, isLast } = await this.#records.next(step);
        if (record !== undefined) {
          records.push(record);
          this.#produced += 1;
        }
        if (isLast) {
          this.#records = undefined;
          this.#finished = this.#started;
          if (records.length > 0) {
            break;
          }
        }
        if (records.length % RECORDS_PER_TURN === 0) {
          await setImmediate();
          step.signal.throwIfAborted();
          if (!memoryBudget.hasRoomForStrings(STRINGS_THAT_MUST_FIT)) {
            throw resourceExhausted(`There is no memory for more than ${records.length} records at once.`);
          }
        }
      }
      return records;
    });
  }

  /** Resets the current unit and all counters. */
  reset(signal: CancellationSignal): Promise<void> {
    return this.#turns.run(signal, async () => this.#set(NOT_STARTED));
  }

  /** @throws TensorFlowError UNIMPLEMENTED for readers that may be in the middle of a file. */
  save(signal: CancellationSignal): Promise<Uint8Array> {
    return this.#turns.run(signal, async () => {
      this.#checkSavable("SerializeState");
      return encodeState({
        started: this.#started,
        finished: this.#finished,
        produced: this.#produced,
        unit: this.#unit,
      });
    });
  }

  /**
   * Restores the state that `save` returned.
   * @throws TensorFlowError UNIMPLEMENTED as `save`; INVALID_ARGUMENT for an invalid state or one within a unit, after
   *   which the reader is reset.
   */
  restore(bytes: Uint8Array, signal: CancellationSignal): Promise<void> {
    return this.#turns.run(signal, async () => {
      this.#checkSavable("RestoreState");
      this.#set(NOT_STARTED);
      this.#set(decodeState(bytes, `${this.#format.kind} '${this.#name}'`));
    });
  }

  #checkSavable(what: string): void {
    if (!this.#format.isSavable) {
      throw unimplemented(`Reader ${what}`);
    }
  }

  #set({ started, finished, produced, unit }: ReaderState): void {
    this.#records = undefined;
    this.#unit = new Uint8Array(unit);
    this.#started = started;
    this.#finished = finished;
    this.#produced = produced;
  }

  async #begin(queue: Queue, step: StepContext): Promise<UnitRecords> {
    this.#unit = new Uint8Array(0);
    const element = await queue.dequeue(step.signal);
    const [unit] = element;
    if (unit === undefined || element.length !== 1) {
      throw invalidArgument("Expected single component queue");
    }
    if (unit.dtype !== "string") {
      throw invalidArgument("Expected queue with single string component");
    }
    const [name] = stringsOf(unit);
    if (name === undefined || unit.size !== 1) {
      throw invalidArgument("Expected to dequeue a one-element string tensor");
    }
    const records = await this.#format.begin(name, step);
    this.#unit = new Uint8Array(name);
    this.#started += 1;
    return records;
  }
}
