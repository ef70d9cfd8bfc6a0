import type { DType } from "../../../protocol/dtype.js";
import type { Tensor } from "../../../protocol/tensor.js";
import { ExclusiveAccess, type Reader, type Waiter } from "../exclusive-access.js";
import { DeviceTensor } from "../gpu/device-tensor.js";
import type { RefCell } from "../values.js";
import type { Resource } from "./resource-manager.js";

/** The declaration of a variable. */
export interface VariableOptions {
  readonly dtype: DType;
  /** "var" as error messages name it. */
  readonly name: string;
  readonly declaredShape?: readonly number[] | undefined;
}

let lastOrder = 0;

/**
 * A variable. Large updates are done in slices, so that the task keeps responding; all reads and updates of a variable
 * use `alone` or `read`, which wait while an update is in progress. So updates never interleave, regardless of
 * `use_locking`: interleaving would gain nothing on a single thread.
 */
export abstract class Variable implements Resource, RefCell {
  abstract readonly typeName: string;
  readonly dtype: DType;
  readonly name: string;
  /** The declared shape; undefined if it was left open. Assign compares with it until there is a value. */
  readonly declaredShape: readonly number[] | undefined;
  /** Held while the variable is updated or read. */
  readonly access = new ExclusiveAccess();
  /** The order in which several variables are locked, which prevents deadlocks. */
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

  /** As `assign`, for a value that no one else has: the variable takes over its memory, and may write to it. */
  abstract adopt(value: Tensor): void;

  /**
   * The value with an array that may be written until the variable is next read or assigned.
   * @returns undefined if there is no value.
   */
  abstract writable(): Tensor | undefined;

  /**
   * Lets `use` read the value without sharing it. It must not keep the tensor.
   * @returns undefined if there is no value.
   */
  abstract peek<T>(use: (value: Tensor) => T): T | undefined;

  get initialized(): boolean {
    return this.peek(() => true) ?? false;
  }

  /** The shape of the value, before there is one the declared shape. */
  get shape(): readonly number[] | undefined {
    return this.peek(({ shape }) => shape) ?? this.declaredShape;
  }

  read(reader: Reader): Tensor | undefined | Promise<Tensor | undefined> {
    return this.readOnce(reader);
  }

  readOnce(waiter: Waiter): Tensor | undefined | Promise<Tensor | undefined> {
    return this.access.isBusy ? this.access.run(() => this.value, waiter) : this.value;
  }
}

/**
 * As `aloneAnywhere`, for kernels: values that are on a device are first copied to the host, without blocking this
 * thread.
 */
export function alone<T>(
  variables: readonly Variable[],
  waiter: Waiter,
  act: () => T | Promise<T>,
): T | Promise<T> {
  return aloneAnywhere(variables, waiter, () => {
    const distant = variables.flatMap((variable) => {
      const value = variable.peek((held) => held);
      return value instanceof DeviceTensor ? [{ variable, value }] : [];
    });
    return distant.length === 0
      ? act()
      : Promise.all(
          distant.map(async ({ variable, value }) => variable.adopt(await value.toOwnCopy(waiter))),
        ).then(act);
  });
}

/**
 * Runs a function with exclusive access to variables, wherever their values are: at once if all are free, otherwise when
 * earlier users have finished.
 *
 * @param waiter whose signal ends the wait.
 */
export function aloneAnywhere<T>(
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
