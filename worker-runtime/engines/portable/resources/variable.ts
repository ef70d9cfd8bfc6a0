import type { DType } from "../../../protocol/dtype.js";
import type { Tensor } from "../../../protocol/tensor.js";
import { ExclusiveAccess, type Waiter } from "../exclusive-access.js";
import type { RefCell } from "../values.js";
import type { Resource } from "./resource-manager.js";

/** What is declared of a variable. */
export interface VariableOptions {
  readonly dtype: DType;
  /** "var" as error messages name it. */
  readonly name: string;
  readonly declaredShape?: readonly number[] | undefined;
}

let lastOrder = 0;

/**
 * The place of a variable. Large updates are done in turns, so that the task keeps answering; all reads and updates of
 * a variable use `alone` or `read`, which wait while an update is half done. So updates never mix, whatever their
 * `use_locking` says: nothing is gained by letting them where one thread does them all.
 */
export abstract class Variable implements Resource, RefCell {
  abstract readonly typeName: string;
  readonly dtype: DType;
  readonly name: string;
  /** The shape that was declared; undefined where it was left open. Assign compares with it until there is a value. */
  readonly declaredShape: readonly number[] | undefined;
  /** Held while the variable is updated or read. */
  readonly access = new ExclusiveAccess();
  /** The order in which those who need several variables take them, so that no two wait for each other. */
  readonly order: number;

  constructor({ dtype, name, declaredShape }: VariableOptions) {
    this.dtype = dtype;
    this.name = name;
    this.declaredShape = declaredShape;
    lastOrder += 1;
    this.order = lastOrder;
  }

  /** The variable's value; the caller may keep it. */
  abstract readonly value: Tensor | undefined;

  /** Gives the variable another value. */
  abstract assign(value: Tensor): void;

  /**
   * The value with an array that may be written, until the variable is read or given another value.
   * @returns undefined where there is no value.
   */
  abstract writable(): Tensor | undefined;

  /**
   * Lets `use` read the value without taking it. It must not keep the tensor.
   * @returns undefined where there is no value.
   */
  abstract peek<T>(use: (value: Tensor) => T): T | undefined;

  get initialized(): boolean {
    return this.peek(() => true) ?? false;
  }

  /** The shape of the value, before there is one the declared shape. */
  get shape(): readonly number[] | undefined {
    return this.peek(({ shape }) => shape) ?? this.declaredShape;
  }

  read(waiter: Waiter): Tensor | undefined | Promise<Tensor | undefined> {
    return this.access.isBusy ? this.access.run(() => this.value, waiter) : this.value;
  }
}

/**
 * Runs a function with exclusive access to variables: at once if all are free, otherwise when earlier users have
 * finished.
 *
 * @param waiter whose signal ends the wait.
 */
export function alone<T>(
  variables: readonly Variable[],
  waiter: Waiter,
  act: () => T | Promise<T>,
): T | Promise<T> {
  const [first] = variables;
  if (variables.length === 1 && first !== undefined) {
    return first.access.run(act, waiter);
  }
  const ordered = [...new Set(variables)].sort((a, b) => a.order - b.order);
  const from = (index: number): T | Promise<T> => {
    const next = ordered[index];
    return next === undefined ? act() : next.access.run(() => from(index + 1), waiter);
  };
  return from(0);
}
