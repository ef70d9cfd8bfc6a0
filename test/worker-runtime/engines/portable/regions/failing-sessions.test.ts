import { getHeapStatistics } from "node:v8";
import { expect, test } from "vitest";
import type { RegionHost } from "../../../../../worker-runtime/engines/portable/executor/compiled-node.js";
import { memoryBudget } from "../../../../../worker-runtime/engines/portable/kernels/support/memory-budget.js";
import { SessionError } from "../../../../../worker-runtime/engines/portable/regions/device-errors.js";
import type { DeviceSession } from "../../../../../worker-runtime/engines/portable/regions/device-session.js";
import type {
  RegionMember,
  RegionOutline,
} from "../../../../../worker-runtime/engines/portable/regions/region-outline.js";
import {
  makeProgram,
  type Unit,
} from "../../../../../worker-runtime/engines/portable/regions/region-program.js";
import { runProgram } from "../../../../../worker-runtime/engines/portable/regions/region-run.js";
import { NotThisTimeError } from "../../../../../worker-runtime/engines/portable/regions/region-updates.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";

/** A node that adds up its inputs and 1. */
function member(name: string, inputs: readonly number[], output: number): RegionMember {
  return {
    node: {
      node: { name },
      referencesToRead: [],
      work: { kind: "pure", cost: () => 0 },
    } as unknown as RegionMember["node"],
    inputs,
    waits: [],
    outputs: [output],
    done: output + 1,
    lowering: undefined,
    update: undefined,
    constant: undefined,
  };
}

const failing = {
  isOnGpu: false,
  takes: () => true,
  run: () => Promise.reject(new SessionError("The session fails.")),
} as unknown as DeviceSession;

function session(
  members: readonly RegionMember[],
  inputs: readonly number[],
  outputs: readonly number[],
  { runs = failing, computedBytes = 0 }: { runs?: DeviceSession; computedBytes?: number } = {},
): Unit {
  return {
    kind: "session",
    session: runs,
    members,
    inputs,
    outputs,
    updates: [],
    recorded: {
      shapes: [],
      millis: [],
      sizes: { inputElements: 1, computedBytes, peakBytes: computedBytes },
    },
  };
}

/** A host that adds up, and the names of the nodes whose kernels it ran. */
function addingHost(): { readonly host: RegionHost; readonly ran: string[] } {
  const ran: string[] = [];
  const host = {
    step: { signal: new AbortController().signal },
    failure: undefined,
    run: ({ node }: RegionMember["node"], inputs: readonly Tensor[]) => {
      ran.push(node.name);
      return [
        Tensor.of(
          inputs.reduce((sum, input) => sum + Number(input.at(0)), 1),
          "float32",
        ),
      ];
    },
    ran: () => undefined,
    ranTogether: () => undefined,
    copied: () => undefined,
  } as unknown as RegionHost;
  return { host, ran };
}

test("kernels have the inputs whose values the model of a failed session knew", async () => {
  // Slots: 0 the input, 1 the output of "first", 3 that of "second".
  const members = [member("first", [0], 1), member("second", [0, 1], 3)];
  const [first, second] = members as [RegionMember, RegionMember];
  const outline: RegionOutline = {
    inputCount: 1,
    slotCount: 5,
    members,
    outputs: [3],
    usedByRows: new Set(),
    constants: new Map(),
    absorbed: [],
  };
  // The model of the second session knew the output of the first node, which is no input of it.
  const program = makeProgram(outline, [session([first], [0], [1]), session([second], [0], [3])]);
  const { host, ran } = addingHost();
  const failures: unknown[] = [];
  const [output] = await runProgram(outline, program, [Tensor.of(5, "float32")], host, {
    onSessionFailure: (error) => failures.push(error),
  });
  expect(ran).toEqual(["first", "second"]);
  expect((output as Tensor).item()).toBe(5 + (5 + 1) + 1);
  expect(failures).toHaveLength(2);
});

test("a session for whose run there is no memory is not run: kernels are, which say what does not fit", async () => {
  const only = member("only", [0], 1);
  const outline: RegionOutline = {
    inputCount: 1,
    slotCount: 3,
    members: [only],
    outputs: [1],
    usedByRows: new Set(),
    constants: new Map(),
    absorbed: [],
  };
  const runs = {
    isOnGpu: false,
    takes: () => true,
    run: () => Promise.resolve([Tensor.of(99, "float32")]),
  } as unknown as DeviceSession;
  // A quarter of a MiB for each element of the input.
  const program = makeProgram(outline, [session([only], [0], [1], { runs, computedBytes: 2 ** 18 })]);
  const failures: unknown[] = [];
  const outputOf = async (elements: number) => {
    const { host, ran } = addingHost();
    const input = new Tensor("float32", [elements], new Float32Array(elements));
    const [output] = await runProgram(outline, program, [input], host, {
      onSessionFailure: (error) => failures.push(error),
    });
    return [(output as Tensor).item(), ran];
  };
  memoryBudget.limitResident(getHeapStatistics().external_memory + 128 * 2 ** 20);
  try {
    expect(await outputOf(16)).toEqual([99, []]);
    expect(await outputOf(256)).toEqual([99, []]);
    expect(await outputOf(1024)).toEqual([1, ["only"]]);
  } finally {
    memoryBudget.limitResident(Number.POSITIVE_INFINITY);
  }
  // It may run the next time.
  expect(failures).toEqual([expect.any(NotThisTimeError)]);
});
