import { expect, test } from "vitest";
import {
  type SequenceLeader,
  StepSequences,
} from "../../../../../worker-runtime/engines/portable/collectives/step-sequences.js";

function leaderAt(sequences: StepSequences, incarnation = 1n): SequenceLeader {
  return { incarnation, getStepSequence: async (request) => sequences.answer(request) };
}

test("a leader answers the same until a step of its own master has ended", async () => {
  const leader = new StepSequences();
  const first = leader.answer({ graphKey: [1n, 2n] });
  expect(first.stepSequence.map(({ graphKey }) => graphKey)).toEqual([1n, 2n]);
  expect(leader.answer({ graphKey: [1n, 2n] })).toEqual(first);
  const next = first.stepSequence[0]?.nextStepId ?? 0n;
  expect(await leader.take(1n, undefined)).toBe(next);
  expect(leader.answer({ graphKey: [1n, 2n] })).toEqual(first);
  expect(await leader.take(1n, undefined)).toBe(next + 1n);
  expect(leader.answer({ graphKey: [1n, 2n] })).toEqual(first);
  leader.end(1n, next);
  expect(leader.answer({ graphKey: [1n] }).stepSequence[0]?.nextStepId).toBe(next + 1n);
});

test("masters with one graph key count up together, whoever comes first", async () => {
  const leader = new StepSequences();
  const other = new StepSequences();
  const ids: bigint[][] = [];
  for (let step = 0; step < 3; step += 1) {
    const own = await leader.take(7n, undefined);
    const others = await other.take(7n, leaderAt(leader));
    ids.push([others, own]);
    leader.end(7n, own);
    other.end(7n, others);
  }
  const [[first = 0n] = []] = ids;
  expect(ids).toEqual([0n, 1n, 2n].map((offset) => [first + offset, first + offset]));
});

test("steps at the same time get ids of their own", async () => {
  const leader = new StepSequences();
  const other = new StepSequences();
  const ids = await Promise.all([1, 2, 3].map(() => other.take(7n, leaderAt(leader))));
  expect(new Set(ids).size).toBe(3);
});

test("a leader that was restarted is asked again", async () => {
  const other = new StepSequences();
  await other.take(7n, leaderAt(new StepSequences()));
  const restarted = new StepSequences();
  const next = restarted.answer({ graphKey: [7n] }).stepSequence[0]?.nextStepId;
  expect(await other.take(7n, leaderAt(restarted, 2n))).toBe(next);
});
