import { setImmediate } from "node:timers/promises";
import { invalidArgument, resourceExhausted, unimplemented } from "../../../../../protocol/status.js";
import type { StepContext } from "../../../executor/step-context.js";
import type { Resource } from "../../../resources/resource-manager.js";
import type { Queue } from "../../state/queues/queue-resource.js";
import { stringsOf } from "../../support/elements.js";
import { memoryBudget } from "../../support/memory-budget.js";
import { OneAtATime } from "../../support/one-at-a-time.js";
import type { FileStep } from "../files/file-bytes.js";
import { decodeState, encodeState, type ReaderState } from "./reader-state.js";

/** The kind of every reader in handles. */
export const READER = "tensorflow::ReaderInterface";

/** Keys and values; a read of many ends where there is no room for so many more. */
const STRINGS_THAT_MUST_FIT = 2 ** 14;

/** After so many records other work of the task gets its turn. */
const RECORDS_PER_TURN = 256;

const NOT_STARTED: ReaderState = { started: 0, finished: 0, produced: 0, unit: new Uint8Array(0) };

export interface KeyedRecord {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** What comes next of a work unit: a record, its end, or both at once. */
export interface NextOfUnit {
  readonly record?: KeyedRecord;
  readonly isLast: boolean;
}

/** The records of one work unit, one after the other. */
export interface UnitRecords {
  next(step: FileStep): Promise<NextOfUnit>;
}

/** How records are read of a work unit, usually the path of a file. */
export interface RecordFormat {
  /** "TextLineReader", as errors name it. */
  readonly kind: string;
  /** Whether a reader can be saved: units of one record have no place within them that would be lost. */
  readonly isSavable: boolean;
  /** Begins a unit. @throws TensorFlowError where it cannot: the unit is given up then. */
  begin(unit: Uint8Array, step: FileStep): Promise<UnitRecords>;
}

/**
 * Takes work units from queues and gives out their records. Steps that read at the same time are served in the order in
 * which they came; counters can be asked for meanwhile. The rules are those of TensorFlow's core/framework/reader_base.cc.
 */
export class Reader implements Resource {
  readonly typeName = READER;
  readonly #format: RecordFormat;
  readonly #name: string;
  readonly #turns = new OneAtATime();
  /** The unit that is being read; undefined between two units. */
  #records: UnitRecords | undefined;
  /** The unit that was begun last; empty while there is none to begin. */
  #unit = new Uint8Array(0);
  #started = 0;
  #finished = 0;
  #produced = 0;

  /** @param name as errors have it */
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
   * Up to `most` records of one work unit; fewer only where the unit ends.
   * @param queue where the next work unit comes from, when it is needed.
   * @throws TensorFlowError OUT_OF_RANGE once the queue is closed and empty, and what reading the file throws.
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

  /** Forgets the unit that is being read and all counts. */
  reset(signal: AbortSignal): Promise<void> {
    return this.#turns.run(signal, async () => this.#set(NOT_STARTED));
  }

  /** @throws TensorFlowError UNIMPLEMENTED for readers that may be within a file. */
  save(signal: AbortSignal): Promise<Uint8Array> {
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
   * Goes on where `save` was called.
   * @throws TensorFlowError UNIMPLEMENTED as `save`; INVALID_ARGUMENT for bytes that are no state or one within a unit,
   *   after which the reader is reset.
   */
  restore(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
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
