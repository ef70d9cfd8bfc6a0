import { describe, expect, test } from "vitest";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import {
  type Activation,
  StepState,
} from "../../../../../worker-runtime/engines/portable/executor/step-state.js";
import type { Value } from "../../../../../worker-runtime/engines/portable/values.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import fc from "../../../../support/seeded-check.js";
import { Drive } from "./drive.js";
import {
  arg,
  bool,
  constant,
  countingLoop,
  environment,
  int,
  node,
  ret,
  text,
  type,
} from "./graph-fixture.js";
import { evaluate, expressions, graphOf } from "./random-program.js";

const env = environment();

function drive(nodes: readonly NodeDef[], ...args: Value[]): Drive {
  return new Drive(env.step, env.compile(nodes), args).all(() => 0);
}

/** Numbers from 0 that look random (xorshift). */
function generator(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

const T = type("int32");
const truth = (value: boolean) => constant("p", value, "bool");

/** `result` is dead exactly where the pivot is. */
function deadConstant(name: string): NodeDef[] {
  return [
    constant("no", false, "bool"),
    node("Switch", "sw", ["no", "no"], { T: type("bool") }),
    node("Identity", "dead", ["sw:1"], { T: type("bool") }),
    constant(name, 1, "int32", ["^dead"]),
  ];
}

describe("random programs", () => {
  test("give the same result in whatever order nodes end, and every node runs once an iteration", () => {
    fc.assert(
      fc.property(expressions, fc.integer(), (program, seed) => {
        const random = generator(seed);
        const run = new Drive(env.step, env.compile(graphOf(program))).all((count) => random() % count);
        expect(run.results).toEqual([evaluate(program)]);
        expect(new Set(run.ran).size).toBe(run.ran.length);
        expect(run.state.isDone).toBe(true);
        expect(run.heldValues).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});

describe("dead values", () => {
  test("only the branch that is taken runs", () => {
    const nodes = [
      arg("p", 0, "bool"),
      constant("x", 5, "int32"),
      node("Switch", "sw", ["x", "p"], { T }),
      node("Identity", "then", ["sw:1"], { T }),
      node("Identity", "else", ["sw:0"], { T }),
      node("Identity", "behind", ["else"], { T }),
      node("NoOp", "after", ["^behind"]),
      node("Merge", "m", ["behind", "then"], { T, N: int(2) }),
      ret("m", 0, "int32"),
      ret("m:1", 1, "int32"),
    ];
    const taken = drive(nodes, Tensor.of(true));
    expect(taken.results).toEqual([5, 1]);
    expect(taken.ran).not.toContain("/:0 else");
    expect(taken.ran).not.toContain("/:0 after");
    expect(drive(nodes, Tensor.of(false)).results).toEqual([5, 0]);
  });

  test("a chain of dead nodes may be as long as a graph", () => {
    const chain = Array.from({ length: 20_000 }, (_, i) =>
      node("Identity", `c${i}`, [i === 0 ? "x" : `c${i - 1}`], { T }),
    );
    expect(drive([...deadConstant("x"), ...chain]).ran).not.toContain("/:0 c0");
  });

  test("a merge is dead when all of its inputs are, and takes the first that is not", () => {
    const merge = (...inputs: string[]) => [
      ...deadConstant("d"),
      constant("a", 1, "int32"),
      constant("b", 2, "int32"),
      node("Merge", "m", inputs, { T, N: int(inputs.length) }),
      node("Identity", "after", ["m"], { T }),
      ret("m:1", 0, "int32"),
    ];
    expect(drive(merge("d", "d")).ran).not.toContain("/:0 after");
    expect(drive(merge("d", "b")).results).toEqual([1]);
    for (const last of [0, 1]) {
      const run = new Drive(env.step, env.compile(merge("a", "b"))).all((count) =>
        last === 1 ? count - 1 : 0,
      );
      expect(run.ran.filter((name) => name === "/:0 m")).toHaveLength(1);
      expect(run.results).toEqual([last]);
    }
  });

  test("a merge waits for its control inputs, dead or not", () => {
    const nodes = [
      ...deadConstant("d"),
      constant("a", 1, "int32"),
      node("NoOp", "late", ["^a"]),
      node("Merge", "m", ["a", "d", "^late", "^d"], { T, N: int(2) }),
      node("Merge", "m2", ["d", "d", "^late"], { T, N: int(2) }),
      ret("m", 0, "int32"),
    ];
    const run = drive(nodes);
    expect(run.ran.indexOf("/:0 late")).toBeLessThan(run.ran.indexOf("/:0 m"));
    expect(run.results).toEqual([1]);
    expect(run.ran).not.toContain("/:0 m2");
  });

  test("a ControlTrigger makes what is behind it live again; a NoOp does not", () => {
    const run = drive([
      ...deadConstant("d"),
      node("ControlTrigger", "trigger", ["^d"]),
      constant("live", 7, "int32", ["^trigger"]),
      node("NoOp", "quiet", ["^d"]),
      constant("never", 7, "int32", ["^quiet"]),
      ret("live", 0, "int32"),
    ]);
    expect(run.results).toEqual([7]);
    expect(run.ran).not.toContain("/:0 never");
  });

  test("transfers run although dead, without inputs; a received dead value is dead for those behind it", () => {
    const transfer = {
      tensor_name: text("t"),
      send_device: text("/job:a/replica:0/task:0/device:CPU:0"),
      send_device_incarnation: int(1),
      recv_device: text("/job:b/replica:0/task:0/device:CPU:0"),
    };
    const graph = env.compile([
      ...deadConstant("d"),
      node("_Send", "send", ["d"], { T, ...transfer }),
      node("_Recv", "recv", ["^d"], { tensor_type: T, ...transfer }),
      node("Identity", "after", ["recv"], { T }),
    ]);
    const state = new StepState(graph);
    const ready: Activation[] = [];
    state.start(ready);
    const ran: string[] = [];
    for (let next = ready.shift(); next !== undefined; next = ready.shift()) {
      ran.push(next.node.node.name);
      if (next.node.role === "transfer") {
        expect(next).toMatchObject({ isDead: true, inputs: [] });
      }
      const outputs = next.node.node.name === "sw" ? [Tensor.of(false), undefined] : [Tensor.of(1, "int32")];
      state.finished(next, next.node.node.op === "_Send" ? [] : outputs, ready);
    }
    expect(ran).toEqual(["no", "sw", "send", "recv"].toSorted((a, b) => ran.indexOf(a) - ran.indexOf(b)));
    expect(state.isDone).toBe(true);
  });
});

describe("loops", () => {
  const loop = (limit: number, parallel: number) => [
    constant("zero", 0, "int32"),
    constant("limit", limit, "int32"),
    ...countingLoop("zero", "limit", "while", parallel),
    ret("while/Exit", 0, "int32"),
  ];

  test("count, and run no more iterations at once than they may", () => {
    for (const parallel of [1, 2, 5]) {
      const run = drive(loop(20, parallel));
      expect(run.results).toEqual([20]);
      expect(run.maxIterations).toBeLessThanOrEqual(parallel);
    }
    expect(drive(loop(0, 10)).results).toEqual([0]);
  });

  test("an iteration waits until an older one has ended, not only begun", () => {
    // A node that nobody needs, in each iteration; it ends last.
    const nodes = [...loop(6, 2), node("Identity", "slow", ["while/Identity"], { T })];
    const run = new Drive(env.step, env.compile(nodes));
    const isSlow = (at: number) => run.ready[at]?.node.node.name === "slow";
    run.all((count) => {
      const other = Array.from({ length: count }, (_, at) => at).find((at) => !isSlow(at));
      return other ?? 0;
    });
    expect(run.results).toEqual([6]);
    expect(run.maxIterations).toBe(2);
    expect(run.ran.filter((name) => name.endsWith(" slow"))).toHaveLength(6);
  });

  test("a loop in a branch that is not taken does not run, and what needs its result is dead", () => {
    const nodes = [
      truth(false),
      constant("zero", 0, "int32"),
      node("Switch", "sw", ["zero", "p"], { T }),
      constant("limit", 3, "int32"),
      ...countingLoop("sw:1", "limit"),
      node("Merge", "m", ["sw:0", "while/Exit"], { T, N: int(2) }),
      node("Identity", "after", ["while/Exit"], { T }),
      ret("m", 0, "int32"),
    ];
    const run = drive(nodes);
    expect(run.results).toEqual([0]);
    expect(run.ran.filter((name) => name.includes("while:") && !name.endsWith("while/limit"))).toEqual([]);
    expect(run.state.isDone).toBe(true);
  });

  test("a dead exit is told when the frame is done, not before", () => {
    // The body never runs, so that its own exit is dead.
    const nodes = [
      ...loop(0, 1),
      node("Exit", "unused", ["while/Switch:1"], { T }),
      node("NoOp", "dead", ["^unused"]),
      node("ControlTrigger", "told", ["^dead"]),
      node("Identity", "slow", ["while/Switch"], { T }),
    ];
    const run = new Drive(env.step, env.compile(nodes));
    run.all((count) => {
      const at = Array.from({ length: count }, (_, i) => i);
      return at.find((i) => run.ready[i]?.node.node.name !== "slow") ?? 0;
    });
    expect(run.results).toEqual([0]);
    expect(run.ran.slice(-2)).toEqual(["/:0/while:0 slow", "/:0 told"]);
  });

  test("nested loops end with their values, whatever the inner one runs", () => {
    const frame = (name: string) => ({ T, frame_name: text(name), parallel_iterations: int(10) });
    const nodes = [
      constant("zero", 0, "int32"),
      constant("outer_limit", 4, "int32"),
      ...countingLoop("zero", "outer_limit", "outer"),
      // The inner loop counts from the outer counter to 2, so that later ones do not run at all.
      constant("two", 2, "int32"),
      node("Enter", "two_inside", ["two"], { ...frame("outer"), is_constant: bool(true) }),
      ...countingLoop("outer/Identity", "two_inside", "inner"),
      node("Identity", "inner_result", ["inner/Exit"], { T }),
      ret("outer/Exit", 0, "int32"),
    ];
    const run = drive(nodes);
    expect(run.results).toEqual([4]);
    expect(run.ran.filter((name) => name.endsWith(" inner_result"))).toHaveLength(4);
    expect(run.ran.filter((name) => name.endsWith(" inner/add"))).toHaveLength(3);
  });
});
