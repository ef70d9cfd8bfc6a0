/** How the arguments and results of a function change, and what becomes of a list with one item for each of them. */
import type { OpDef, OpDef_ArgDef } from "../../protos/generated/tensorflow/op_def.js";
import type { DataType } from "../../protos/generated/tensorflow/types.js";

/** An argument or result after a change. */
export interface BorderSlot {
  /** The position that it had; undefined: it is new. */
  readonly from: number | undefined;
  readonly type: DataType;
  /** The name for it where it is new. */
  readonly name: string;
}

/** All arguments, and all results, after a change. */
export interface BorderChange {
  readonly args: readonly BorderSlot[];
  readonly results: readonly BorderSlot[];
}

/** The change that leaves all as it is. */
export function unchanged(args: readonly OpDef_ArgDef[]): readonly BorderSlot[] {
  return args.map(({ type, name }, from) => ({ from, type, name }));
}

/** Whether arguments or results stay the same ones, of the same types and in the same order. */
export function isUnchanged(slots: readonly BorderSlot[], args: readonly OpDef_ArgDef[]): boolean {
  return sameSlots(slots, unchanged(args));
}

/** Whether a change leaves the calls of the function with this signature as they are. */
export function keepsCalls({ args, results }: BorderChange, { inputArg, outputArg }: OpDef): boolean {
  return isUnchanged(args, inputArg) && isUnchanged(results, outputArg);
}

/** Whether two changes do the same to the calls: their names for new arguments or results may differ. */
export function sameSlots(one: readonly BorderSlot[], other: readonly BorderSlot[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ from, type }, index) => from === other[index]?.from && type === other[index]?.type)
  );
}

/** A list with one item for each argument, after a change; `missing` is the item of a new one. */
export function remapped<T>(items: readonly T[], slots: readonly BorderSlot[], missing: T): T[] {
  return slots.map(({ from }) => (from === undefined ? missing : (items[from] ?? missing)));
}

/** A map by position, after a change; the same map if nothing of it moves. */
export function remappedKeys<T>(map: Map<number, T>, slots: readonly BorderSlot[]): Map<number, T> {
  const after = new Map(
    slots.flatMap(({ from }, index) => {
      const value = from === undefined ? undefined : map.get(from);
      return value === undefined ? [] : [[index, value] as const];
    }),
  );
  const isSame = after.size === map.size && [...after].every(([key, value]) => map.get(key) === value);
  return isSame ? map : after;
}

/** The position after a change of what was at `index`; undefined if it is gone. */
export function movedTo(index: number, slots: readonly BorderSlot[]): number | undefined {
  const to = slots.findIndex(({ from }) => from === index);
  return to < 0 ? undefined : to;
}
