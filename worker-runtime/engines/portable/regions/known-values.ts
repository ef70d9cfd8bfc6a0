import type { Tensor } from "../../../protocol/tensor.js";
import type { RegionMember, RegionOutline } from "./region-outline.js";

/** The observations of one run of a region. */
export interface Recording {
  /** By slot; undefined if there is no tensor. */
  readonly shapes: readonly (readonly number[] | undefined)[];
  /** By slot: constants, and small values of the slots in `mayBeKnown`. */
  readonly values: readonly (Tensor | undefined)[];
  /** By member: the time that its kernel took. */
  readonly millis: readonly number[];
  /** The estimates of all kernels, in nanoseconds on one slow core. */
  readonly estimatedNanos: number;
}

/** The facts about each slot before a run, given the ranks or the shapes of the region's inputs. */
export interface Known {
  readonly rank: Uint8Array;
  readonly shape: Uint8Array;
  readonly value: Uint8Array;
}

/** Inputs with more elements are lists of indices rather than shapes or axes. */
const MAX_DECIDING_ELEMENTS = 32;

/**
 * The inputs of a region that decide the shape of an output, such as the sizes of a Reshape: most are computed from
 * shapes in another region, or enter a loop, and do not change. A plan may be made for their values.
 */
export function decidingInputs({ inputCount, members }: RegionOutline): ReadonlySet<number> {
  return new Set(
    members.flatMap(({ inputs, lowering }) =>
      (lowering?.shapeInputs ?? []).flatMap((index) => {
        const slot = inputs.at(index);
        return slot !== undefined && slot < inputCount ? slot : [];
      }),
    ),
  );
}

/** The recorded values of `decidingInputs`, for which a plan is made. */
export function decidingValues(outline: RegionOutline, { values }: Recording): ReadonlyMap<number, Tensor> {
  const decided = new Map<number, Tensor>();
  for (const slot of decidingInputs(outline)) {
    const value = outline.constants.has(slot) ? undefined : values[slot];
    if (value !== undefined && value.size <= MAX_DECIDING_ELEMENTS) {
      decided.set(slot, value);
    }
  }
  return decided;
}

/** Larger values that follow from shapes are not kept. */
export const MAX_KNOWN_ELEMENTS = 4096;

/**
 * Derives what follows from constants and from the ranks, or the shapes, of a region's inputs. With the shapes, the
 * values of `decidingInputs` are given as well.
 * @param recording of a run with these ranks or shapes. Without one, everything that can be known counts as known.
 */
export function knownValues(outline: RegionOutline, given: "ranks" | "shapes", recording?: Recording): Known {
  const known: Known = {
    rank: new Uint8Array(outline.slotCount),
    shape: new Uint8Array(outline.slotCount),
    value: new Uint8Array(outline.slotCount),
  };
  const isScalar = (slot: number) => recording?.shapes[slot]?.length === 0;
  for (let slot = 0; slot < outline.inputCount; slot += 1) {
    known.rank[slot] = 1;
    known.shape[slot] = Number(given === "shapes" || isScalar(slot));
  }
  if (given === "shapes") {
    const slots =
      recording === undefined ? decidingInputs(outline) : decidingValues(outline, recording).keys();
    for (const slot of slots) {
      known.value[slot] = 1;
    }
  }
  for (const slot of outline.constants.keys()) {
    setAll(known, slot);
  }
  for (const member of outline.members) {
    followMember(member, known);
    for (const slot of member.outputs) {
      if (known.rank[slot] === 1 && isScalar(slot)) {
        known.shape[slot] = 1;
      }
      if (recording !== undefined && recording.values[slot] === undefined) {
        known.value[slot] = 0;
      }
    }
  }
  return known;
}

function setAll(known: Known, slot: number): void {
  known.rank[slot] = 1;
  known.shape[slot] = 1;
  known.value[slot] = 1;
}

function followMember(member: RegionMember, known: Known): void {
  const { inputs, outputs, lowering, constant } = member;
  if (constant !== undefined) {
    for (const slot of outputs) {
      setAll(known, slot);
    }
    return;
  }
  const all = (flags: Uint8Array, slots: readonly number[]) => slots.every((slot) => flags[slot] === 1);
  if (lowering?.tells !== undefined) {
    for (const [index, slot] of outputs.entries()) {
      const input = inputs[index] ?? -1;
      known.rank[slot] = 1;
      known.shape[slot] = known.rank[input] ?? 0;
      known.value[slot] = known[lowering.tells][input] ?? 0;
    }
    return;
  }
  const deciding = (lowering?.shapeInputs ?? []).flatMap((index) => inputs.at(index) ?? []);
  const hasShapes = all(known.shape, inputs);
  const value = all(known.value, inputs);
  const shape = value || (hasShapes && all(known.value, deciding));
  const rank = shape || (all(known.rank, inputs) && all(known.shape, deciding) && !lowering?.isRankBySizes);
  for (const slot of outputs) {
    known.rank[slot] = Number(rank);
    known.shape[slot] = Number(shape);
    known.value[slot] = Number(value);
  }
}
