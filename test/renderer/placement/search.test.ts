import { describe, expect, it } from "vitest";
import { movesOf } from "../../../renderer/placement/moves.js";
import { type FoundPlacement, searchPlacement } from "../../../renderer/placement/search.js";
import { StepSimulator } from "../../../renderer/placement/simulate.js";
import {
  type Assignment,
  isAllowed,
  residentByMachine,
  type StepProblem,
} from "../../../renderer/placement/step-problem.js";
import { problemOf, randomNumbers, randomSketch } from "./problems.js";

function search(problem: StepProblem, start: Assignment): FoundPlacement {
  const steps = searchPlacement(problem, start);
  for (let next = steps.next(); ; next = steps.next()) if (next.done) return next.value;
}

const allOn = (problem: StepProblem, task: number): Assignment =>
  Int32Array.from({ length: problem.unitCount }, (_, unit) =>
    isAllowed(problem, unit, task) ? task : -1,
  ).map((found, unit) => {
    for (let other = 0; found < 0 && other < problem.taskCount; other++) {
      if (isAllowed(problem, unit, other)) return other;
    }
    return found;
  });

describe("the simulated step", () => {
  it("is the sum of the nodes on one task, and waits for the network between two", () => {
    const problem = problemOf({
      tasks: 2,
      micros: [100, 50],
      edges: [{ from: 0, to: 1, bytes: 1000 }],
    });
    const simulator = new StepSimulator(problem);
    expect(simulator.run(Int32Array.of(0, 0))).toEqual({ micros: 150, bytes: 0, transfers: 0 });
    expect(simulator.run(Int32Array.of(0, 1))).toEqual({ micros: 170, bytes: 1000, transfers: 1 });
  });

  it("runs independent nodes at the same time on two tasks, in turn on one", () => {
    const simulator = new StepSimulator(problemOf({ tasks: 2, micros: [100, 80], edges: [] }));
    expect(simulator.run(Int32Array.of(0, 0)).micros).toBe(180);
    expect(simulator.run(Int32Array.of(0, 1)).micros).toBe(100);
  });

  it("sends a tensor to a task once, and one tensor after another over one connection", () => {
    const sketch = { tasks: 2, micros: [0, 0, 0], edges: [] };
    const twice = problemOf({ ...sketch, edges: [1, 2].map((to) => ({ from: 0, to, bytes: 1000 })) });
    expect(new StepSimulator(twice).run(Int32Array.of(0, 1, 1))).toEqual({
      micros: 30,
      bytes: 2000,
      transfers: 2,
    });
    const once = { ...twice, edgeTensor: Int32Array.of(0, 0) };
    expect(new StepSimulator(once).run(Int32Array.of(0, 1, 1))).toEqual({
      micros: 20,
      bytes: 1000,
      transfers: 1,
    });
    const second = new StepSimulator({ ...twice, micros: Float64Array.of(0, 0, 0, 0, 5, 5) });
    expect(second.run(Int32Array.of(0, 1, 1)).micros).toBe(35);
  });

  it("lets tasks of one processor compute in turn", () => {
    const problem = {
      ...problemOf({ tasks: 2, micros: [100, 80], edges: [] }),
      processorOf: Int32Array.of(0, 0),
    };
    expect(new StepSimulator(problem).run(Int32Array.of(0, 1)).micros).toBe(180);
  });

  it("runs every node of a graph with a loop", () => {
    const problem = problemOf({
      tasks: 1,
      micros: [10, 10, 10],
      edges: [
        { from: 0, to: 1, bytes: 1 },
        { from: 1, to: 2, bytes: 1 },
      ],
    });
    const looped = {
      ...problem,
      firstEdge: Int32Array.of(0, 1, 2, 3),
      edgeTarget: Int32Array.of(1, 2, 1),
      edgeTensor: Int32Array.of(0, 1, 2),
      tensorBytes: Float64Array.of(1, 1, 1),
    };
    expect(new StepSimulator(looped).run(Int32Array.of(0, 0, 0)).micros).toBe(30);
  });
});

describe("the search", () => {
  it("divides independent branches among the tasks", () => {
    // Four branches of ten nodes each, joined by a node that takes no time.
    const micros = [...new Array<number>(40).fill(100), 0];
    const edges = micros
      .slice(0, 40)
      .flatMap((_, node) => [{ from: node, to: node % 10 === 9 ? 40 : node + 1, bytes: 100 }]);
    const problem = problemOf({ tasks: 2, micros, edges });
    const found = search(problem, allOn(problem, 0));
    expect(found.before.micros).toBe(4000);
    expect(found.after.micros).toBeLessThan(2100);
    // Each branch is on one task.
    for (let branch = 0; branch < 4; branch++) {
      expect(new Set(found.assignment.slice(10 * branch, 10 * branch + 10)).size).toBe(1);
    }
  });

  it("brings a variable to what reads it", () => {
    // As in the guide: the variable's value goes to the matrix product, the gradient back.
    const problem = problemOf({
      tasks: 2,
      micros: [1, 1300, 300, 5],
      units: [0, 1, 2, 0],
      edges: [
        { from: 0, to: 1, bytes: 262_000 },
        { from: 1, to: 2, bytes: 1000 },
        { from: 2, to: 3, bytes: 262_000 },
      ],
      pinned: new Map([[1, 1]]),
    });
    const found = search(problem, Int32Array.of(0, 1, 1));
    expect([...found.assignment]).toEqual([1, 1, 1]);
    expect(found.after.bytes).toBe(0);
    const [move] = movesOf(problem, Int32Array.of(0, 1, 1), found.assignment, ["w", "h", "g"]);
    expect(move).toMatchObject({ label: "w", from: 0, to: 1, units: [0], savedBytes: 524_000 });
    expect(move?.stops).toMatchObject({ node: 0, bytes: 262_000, from: 0, to: 1 });
    expect(move?.savedMicros).toBeCloseTo(2 * (10 + 2620), 3);
  });

  it("prefers the faster task, and keeps a chain together", () => {
    const micros = new Array<number>(20).fill(100);
    const edges = micros.slice(1).map((_, node) => ({ from: node, to: node + 1, bytes: 4000 }));
    const problem = problemOf({ tasks: 3, micros, edges });
    problem.micros.forEach((time, index) => {
      if (index % 3 === 2) problem.micros[index] = time / 4;
    });
    const found = search(problem, allOn(problem, 0));
    expect(new Set(found.assignment)).toEqual(new Set([2]));
    expect(found.after.micros).toBe(500);
  });

  it("leaves a placement that it cannot improve by a hundredth as it is", () => {
    const problem = problemOf({ tasks: 2, micros: [100, 100], edges: [{ from: 0, to: 1, bytes: 1 }] });
    const start = Int32Array.of(1, 1);
    const found = search(problem, start);
    expect(found.assignment).toBe(start);
    expect(found.after).toEqual(found.before);
  });

  it("moves units from where they cannot be, even if the step becomes longer", () => {
    const problem = problemOf({
      tasks: 2,
      micros: [10, 10],
      edges: [{ from: 0, to: 1, bytes: 5000 }],
      pinned: new Map([
        [0, 0],
        [1, 1],
      ]),
    });
    expect([...search(problem, Int32Array.of(0, 0)).assignment]).toEqual([0, 1]);
  });

  it("fills no machine beyond its memory", () => {
    const problem = problemOf({
      tasks: 2,
      micros: new Array<number>(8).fill(10),
      edges: Array.from({ length: 7 }, (_, node) => ({ from: node, to: node + 1, bytes: 100_000 })),
      residentBytes: new Array<number>(8).fill(10),
      capacity: 50,
    });
    const found = search(problem, Int32Array.of(0, 1, 0, 1, 0, 1, 0, 1));
    expect(Math.max(...residentByMachine(problem, found.assignment))).toBeLessThanOrEqual(50);
    expect(found.after.transfers).toBeLessThan(found.before.transfers);
  });

  it.each(Array.from({ length: 24 }, (_, seed) => seed))(
    "respects units, pins and memory, and is never worse than the start: graph %i",
    (seed) => {
      const tasks = 2 + (seed % 4);
      const problem = problemOf({ ...randomSketch(seed, 30 + 10 * seed, tasks), capacity: 4000 });
      const random = randomNumbers(1000 + seed);
      const start = Int32Array.from({ length: problem.unitCount }, (_, unit) => {
        const able = [...Array(tasks).keys()].filter((task) => isAllowed(problem, unit, task));
        return able[Math.floor(random() * able.length)] ?? 0;
      });
      const found = search(problem, start);
      found.assignment.forEach((task, unit) => {
        expect(isAllowed(problem, unit, task)).toBe(true);
      });
      const now = residentByMachine(problem, start);
      residentByMachine(problem, found.assignment).forEach((bytes, machine) => {
        expect(bytes).toBeLessThanOrEqual(Math.max(4000, now[machine] ?? 0));
      });
      expect(found.after.micros).toBeLessThanOrEqual(found.before.micros);
      // It promises the time that its own simulation finds.
      expect(new StepSimulator(problem).run(found.assignment)).toEqual(found.after);
      expect(new StepSimulator(problem).run(start)).toEqual(found.before);
      expect([...search(problem, start).assignment]).toEqual([...found.assignment]);
    },
  );

  it("ends on a graph of 10,000 nodes, and reports how far it is", () => {
    const problem = problemOf(randomSketch(7, 10_000, 4));
    const start = allOn(problem, 0);
    const steps = searchPlacement(problem, start, 1e6);
    let [reports, tried] = [0, 0];
    let next = steps.next();
    for (; !next.done; next = steps.next()) {
      reports++;
      expect(next.value.tried).toBeGreaterThan(tried);
      expect(next.value.tried).toBeLessThanOrEqual(next.value.most);
      tried = next.value.tried;
    }
    expect(reports).toBeGreaterThan(10);
    expect(next.value.after.micros).toBeLessThan(next.value.before.micros);
  });
});

describe("the moves of a placement", () => {
  it("join what is connected, and if that makes too many, scopes", () => {
    const problem = problemOf({ tasks: 2, micros: new Array<number>(90).fill(1), edges: [] });
    const start = new Int32Array(90);
    const target = start.map((_, unit) => (unit < 60 ? 1 : 0));
    const names = Array.from({ length: 90 }, (_, unit) => `block_${Math.floor(unit / 30)}/layer_${unit}/op`);
    const moves = movesOf(problem, start, target, names);
    expect(moves.map(({ label, units }) => [label, units.length])).toEqual([
      ["block_0", 30],
      ["block_1", 30],
    ]);
    const few = movesOf(
      problem,
      start,
      start.map((_, unit) => (unit < 2 ? 1 : 0)),
      names,
    );
    expect(few.map(({ label }) => label)).toEqual([names[0], names[1]]);
  });
});

describe("tasks beside the master's", () => {
  it("are left out of a step that is shorter than starting them", () => {
    const sketch = { tasks: 2, micros: [400, 400], edges: [], latencyMicros: 0 };
    const start = Int32Array.of(0, 0);
    const split = search(problemOf(sketch), start).assignment;
    expect(new Set(split).size).toBe(2);
    const problem = problemOf({ ...sketch, startMicros: 300, endMicros: 200 });
    expect([...search(problem, start).assignment]).toEqual([0, 0]);
  });
});
