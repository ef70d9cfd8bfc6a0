import type { DeviceSession } from "./device-session.js";
import type { RegionMember, RegionOutline } from "./region-outline.js";
import type { RecordedSizes } from "./session-memory.js";

/** A part of a region that runs as a whole: a kernel, or several nodes as a session. */
export type Unit =
  | { readonly kind: "kernel"; readonly member: RegionMember; readonly index: number }
  | {
      readonly kind: "session";
      readonly session: DeviceSession;
      readonly members: readonly RegionMember[];
      /** The slots of its inputs and outputs. */
      readonly inputs: readonly number[];
      readonly outputs: readonly number[];
      /** The members that change variables. Their new values are further outputs of the session, in this order. */
      readonly updates: readonly SessionUpdate[];
      readonly recorded: RecordedMembers;
    };

/** The facts about a session's nodes from the run for which it was made: the session itself shows only its outputs. */
export interface RecordedMembers {
  /** By slot; undefined if there was no tensor. */
  readonly shapes: readonly (readonly number[] | undefined)[];
  /** By member of the session: the time that its kernel took. */
  readonly millis: readonly number[];
  readonly sizes: RecordedSizes;
}

/** A member of a session that changes variables. */
export interface SessionUpdate {
  readonly member: RegionMember;
  /** The slots of its variables, in the order of their new values. */
  readonly variables: readonly number[];
}

/** The units of a region and their dependencies. Immutable. */
export interface Program {
  readonly units: readonly Unit[];
  /** By unit: the number of units that it waits for. */
  readonly counts: Int32Array;
  /** By unit: the units that wait for it. */
  readonly next: readonly (readonly number[])[];
  /**
   * By unit: the slots that its nodes read. For a session they are more than its inputs, since its model may know some of the
   * values: where it fails, the nodes' kernels need them.
   */
  readonly reads: readonly (readonly number[])[];
  /** By slot: the number of units that use it, plus one for an output of the region. */
  readonly uses: Int32Array;
}

function slotsRead(unit: Unit): readonly number[] {
  if (unit.kind === "kernel") {
    return unit.member.inputs;
  }
  const made = new Set(unit.members.flatMap(({ outputs }) => outputs));
  const read = [...unit.inputs, ...unit.members.flatMap(({ inputs }) => inputs)];
  return [...new Set(read)].filter((slot) => !made.has(slot));
}

/** @param units sorted such that each comes after those that it uses. */
export function makeProgram({ slotCount, outputs }: RegionOutline, units: readonly Unit[]): Program {
  const makers = new Int32Array(slotCount).fill(-1);
  const counts = new Int32Array(units.length);
  const next: number[][] = units.map(() => []);
  const uses = new Int32Array(slotCount);
  const reads = units.map(slotsRead);
  for (const [index, unit] of units.entries()) {
    for (const { outputs: made, done } of membersOf(unit)) {
      makers[done] = index;
      for (const slot of made) {
        makers[slot] = index;
      }
    }
  }
  for (const [index, unit] of units.entries()) {
    const sources = new Set<number>();
    for (const slot of reads[index] ?? []) {
      uses[slot] = (uses[slot] ?? 0) + 1;
      sources.add(makers[slot] ?? -1);
    }
    for (const slot of membersOf(unit).flatMap(({ waits }) => waits)) {
      sources.add(makers[slot] ?? -1);
    }
    for (const source of sources) {
      if (source >= 0 && source !== index) {
        next[source]?.push(index);
        counts[index] = (counts[index] ?? 0) + 1;
      }
    }
  }
  for (const slot of outputs) {
    uses[slot] = (uses[slot] ?? 0) + 1;
  }
  return { units, counts, next, reads, uses };
}

/** Runs some members of a region by their kernels, where their session fails: what else is in slots stays there. */
export function substituteProgram(outline: RegionOutline): Program {
  const program = kernelProgram(outline);
  const made = new Set(outline.members.flatMap(({ outputs }) => outputs));
  return { ...program, uses: program.uses.map((count, slot) => (made.has(slot) ? count : count + 1)) };
}

/** A program in which every node is run by its kernel. */
export function kernelProgram(outline: RegionOutline): Program {
  return makeProgram(
    outline,
    outline.members.map((member, index) => ({ kind: "kernel", member, index })),
  );
}

function membersOf(unit: Unit): readonly RegionMember[] {
  return unit.kind === "kernel" ? [unit.member] : unit.members;
}
