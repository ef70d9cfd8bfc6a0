import { expect, test } from "vitest";
import type { RegionHost } from "../../../../../worker-runtime/engines/portable/executor/compiled-node.js";
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
  run: () => Promise.reject(new SessionError("The session fails.")),
} as unknown as DeviceSession;

function session(
  members: readonly RegionMember[],
  inputs: readonly number[],
  outputs: readonly number[],
): Unit {
  return {
    kind: "session",
    session: failing,
    members,
    inputs,
    outputs,
    updates: [],
    recorded: { shapes: [], millis: [] },
  };
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
  const ran: string[] = [];
  const host = {
    step: { signal: new AbortController().signal },
    failure: undefined,
    run: ({ node }: RegionMember["node"], inputs: readonly Tensor[]) => {
      ran.push(node.name);
      return [
        Tensor.of(
          inputs.reduce((sum, input) => sum + Number(input.item()), 1),
          "float32",
        ),
      ];
    },
    ran: () => undefined,
    ranTogether: () => undefined,
    copied: () => undefined,
  } as unknown as RegionHost;
  const failures: unknown[] = [];
  const [output] = await runProgram(outline, program, [Tensor.of(5, "float32")], host, {
    onSessionFailure: (error) => failures.push(error),
  });
  expect(ran).toEqual(["first", "second"]);
  expect((output as Tensor).item()).toBe(5 + (5 + 1) + 1);
  expect(failures).toHaveLength(2);
});
