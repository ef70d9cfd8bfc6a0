import { withPauses } from "../pauses.js";
import { findRegions } from "./find-regions.js";
import { knownValues, type Recording } from "./known-values.js";
import { type LoweredMembers, MemberLowering } from "./lower-members.js";
import { lendingMembers, type RegionMember, type RegionOutline } from "./region-outline.js";
import { makeProgram, type Program, type Unit } from "./region-program.js";
import type { SessionCache, SharedSession } from "./session-cache.js";
import { recordedSizes } from "./session-memory.js";

/** A region's nodes as sessions, with kernels for those that cannot be expressed in ONNX for these inputs. */
export interface Plan {
  readonly program: Program;
  readonly sessions: readonly SharedSession[];
  /** Whether the plan is valid only for inputs of these shapes; otherwise for all inputs of the same ranks. */
  readonly isSpecialized: boolean;
}

/** Whether a session could be useful for nodes with these lowerings; constants and NoOps have none, assignments only copy. */
export function isWorthwhile(nodes: readonly Pick<RegionMember, "lowering" | "update">[]): boolean {
  return nodes.some(
    ({ lowering, update }) =>
      (update !== undefined && !update.isCopy) || (lowering !== undefined && !lowering.isTrivial),
  );
}

/** More rounds are not needed: the results of a lowering's queries depend on the region, not on its grouping. */
const MAX_ROUNDS = 4;

/**
 * Plans a region for the inputs of a recorded run.
 * @param minMillis nodes whose kernels together take less than this are not put into a session.
 * @returns undefined if nothing is left for a session.
 * @throws SessionError if ONNX Runtime rejects a model; DeviceLostError; the error of a lowering with a bug.
 */
export async function makePlan(
  outline: RegionOutline,
  recording: Recording,
  sessions: SessionCache,
  minMillis: number,
): Promise<Plan | undefined> {
  const known = {
    recording,
    byRanks: knownValues(outline, "ranks", recording),
    byShapes: knownValues(outline, "shapes", recording),
  };
  const { device } = sessions;
  const lowering = new MemberLowering(outline, known, {
    isOnGpu: device.isGpu,
    blockedChannels: await device.blockedChannels(),
  });
  for (const member of lendingMembers(outline)) {
    lowering.declined.add(member);
  }
  // The first round determines what is declined, and whether the plan is restricted to these shapes.
  await withPauses(lowering.lower(outline.members, outline.outputs));
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const [declined, wasSpecialized] = [lowering.declined.size, lowering.isSpecialized];
    const stages = group(outline, lowering.declined).map((members) => ({
      members,
      isSession: isStage(outline, members, recording, minMillis, lowering.declined),
    }));
    const models: (LoweredMembers | undefined)[] = [];
    for (const { members, isSession } of stages) {
      const lowered = lowering.lower(members, outputsOf(outline, members));
      models.push(isSession ? await withPauses(lowered) : undefined);
    }
    if (lowering.declined.size > declined || lowering.isSpecialized !== wasSpecialized) {
      continue;
    }
    if (models.every((model) => model === undefined)) {
      return undefined;
    }
    const made: SharedSession[] = [];
    try {
      const units: Unit[] = [];
      for (const [index, { members }] of stages.entries()) {
        const model = models[index];
        if (model === undefined) {
          units.push(
            ...members.map(
              (member): Unit => ({ kind: "kernel", member, index: outline.members.indexOf(member) }),
            ),
          );
        } else {
          const usesOneThread = isFasterOnOneThread(outline.members, recording.estimatedNanos);
          const sizes = recordedSizes(recording, members, model.inputs, model.outputs);
          const use = { usesOneThread, peakBytes: sizes.peakBytes };
          const shared = await sessions.acquire(model.build(), model.results, use);
          made.push(shared);
          units.push({
            kind: "session",
            session: shared.session,
            members,
            inputs: model.inputs,
            outputs: model.outputs,
            updates: model.updates,
            recorded: {
              shapes: recording.shapes,
              sizes,
              millis: members.map((member) => recording.millis[outline.members.indexOf(member)] ?? 0),
            },
          });
        }
      }
      return {
        program: makeProgram(outline, units),
        sessions: made,
        isSpecialized: lowering.isSpecialized,
      };
    } catch (error) {
      for (const shared of made) {
        shared.release();
      }
      throw error;
    }
  }
  return undefined;
}

/**
 * Measured with a CNN of 1.5 million per node, two cores: 3.9 ms with one thread, 3.4 ms with two, which use 1.7 times the
 * processor time; two tasks that run it at once take 4.2 ms with one thread each, 8.7 ms with two. With 6 million, 19 and
 * 26 ms. MobileNetV2 without gradients, 17 million: 51 and 25 ms.
 */
const MAX_NANOS_PER_NODE = 10e6;

/**
 * Threads meet after every node. Measured with networks in training, two cores: with 22,000 to 35,000 per node (recurrent
 * cells, wide and deep, a policy's gradient), steps take as long with one thread as with two, and 0.6 to 0.9 of the processor
 * time; with 150,000 (a transformer's block, two MLPs), 1.1 to 1.4 times as long.
 */
const MIN_NANOS_PER_NODE = 60e3;

/**
 * Whether a session of these nodes is faster on one thread than on several, or nearly as fast with far less work.
 * @param estimatedNanos the estimate of all of them together, on one slow core.
 */
export function isFasterOnOneThread(
  members: readonly Pick<RegionMember, "lowering">[],
  estimatedNanos: number,
): boolean {
  const nanosPerNode = estimatedNanos / members.length;
  return (
    nanosPerNode < MIN_NANOS_PER_NODE ||
    (nanosPerNode < MAX_NANOS_PER_NODE && members.some(({ lowering }) => lowering?.isFasterOnOneThread))
  );
}

function isStage(
  outline: RegionOutline,
  members: readonly RegionMember[],
  recording: Recording,
  minMillis: number,
  declined: ReadonlySet<RegionMember>,
): boolean {
  if (
    (outputsOf(outline, members).length === 0 && !members.some(({ update }) => update !== undefined)) ||
    members.some((member) => declined.has(member)) ||
    !isWorthwhile(members)
  ) {
    return false;
  }
  const inStage = new Set(members);
  let millis = 0;
  outline.members.forEach((member, index) => {
    millis += inStage.has(member) ? (recording.millis[index] ?? 0) : 0;
  });
  return millis >= minMillis;
}

/**
 * The stages of a plan, each after those whose outputs it uses: groups of members that can form one session, and single
 * declined members.
 */
function group(outline: RegionOutline, declined: ReadonlySet<RegionMember>): readonly RegionMember[][] {
  const { members } = outline;
  if (declined.size === 0) {
    return [[...members]];
  }
  const makers = new Map<number, number>();
  members.forEach(({ outputs, done }, index) => {
    for (const slot of [...outputs, done]) {
      makers.set(slot, index);
    }
  });
  const nodes = members.map((member) => ({
    key: declined.has(member) ? undefined : "",
    sources: [...member.inputs, ...member.waits].flatMap((slot) => {
      const node = makers.get(slot);
      return node === undefined ? [] : [{ node, output: 0 }];
    }),
    isUpdate: member.update !== undefined,
    waits: "never" as const,
  }));
  const order = members.map((_, index) => index);
  const regions = findRegions(nodes, order);
  const alone = order.filter((index) => nodes[index]?.key === undefined).map((index) => [index]);
  return inOrder(
    [...regions, ...alone],
    nodes.map(({ sources }) => sources.map(({ node }) => node)),
  ).map((stage) => stage.flatMap((index) => members[index] ?? []));
}

/** Groups of nodes, sorted such that each comes after those that it uses. */
function inOrder(groups: readonly number[][], sources: readonly (readonly number[])[]): readonly number[][] {
  const groupOf = new Map<number, number>();
  groups.forEach((members, group) => {
    for (const member of members) {
      groupOf.set(member, group);
    }
  });
  const before = groups.map(
    (members, group) =>
      new Set(
        members
          .flatMap((member) => sources[member] ?? [])
          .flatMap((source) => groupOf.get(source) ?? [])
          .filter((other) => other !== group),
      ),
  );
  const behind: number[][] = groups.map(() => []);
  before.forEach((all, group) => {
    for (const other of all) {
      behind[other]?.push(group);
    }
  });
  const left = before.map(({ size }) => size);
  const order = left.flatMap((count, group) => (count === 0 ? [group] : []));
  for (const group of order) {
    for (const next of behind[group] ?? []) {
      left[next] = (left[next] ?? 0) - 1;
      if (left[next] === 0) {
        order.push(next);
      }
    }
  }
  return order.map((group) => groups[group] ?? []);
}

/** The slots of the members' outputs that others use or that the region outputs. */
function outputsOf(outline: RegionOutline, members: readonly RegionMember[]): readonly number[] {
  const own = new Set(members);
  const used = new Set(outline.outputs);
  for (const member of outline.members) {
    if (!own.has(member)) {
      for (const slot of member.inputs) {
        used.add(slot);
      }
    }
  }
  // The output of an update is the reference to its variable, which is known without a session.
  const wanted = members.flatMap(({ outputs, update }) =>
    update === undefined ? outputs.filter((slot) => used.has(slot)) : [],
  );
  if (wanted.length > 0 || members.some(({ update }) => update !== undefined)) {
    return wanted;
  }
  // Only the completion of its nodes is needed. A session must have an output nevertheless.
  const within = new Set(members.flatMap(({ inputs }) => inputs));
  return members.flatMap(({ outputs }) => outputs.filter((slot) => !within.has(slot)));
}
