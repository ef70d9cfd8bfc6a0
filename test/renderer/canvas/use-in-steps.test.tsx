// @vitest-environment happy-dom
import { renderHook, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { nextStep, useInSteps } from "../../../renderer/canvas/use-in-steps.js";

const elements = (kind: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `${kind}${index}` }));
const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id);

describe("a step of many new elements", () => {
  it("keeps what is there, and brings nodes before edges", () => {
    const wanted = { nodes: elements("n", 4), edges: elements("e", 2) };
    const { nodes, edges, isComplete } = nextStep(wanted, new Set(["n3", "e1"]), 2);
    expect(ids(nodes)).toEqual(["n0", "n1", "n3"]);
    expect(ids(edges)).toEqual(["e1"]);
    expect(isComplete).toBe(false);
  });

  it("is the last one with the same lists when all fit into it", () => {
    const wanted = { nodes: elements("n", 2), edges: elements("e", 1) };
    const step = nextStep(wanted, new Set(["n1"]), 2);
    expect(step.nodes).toBe(wanted.nodes);
    expect(step.edges).toBe(wanted.edges);
    expect(step.isComplete).toBe(true);
  });
});

it("all elements come one step after the other; what comes later joins those that are there", async () => {
  const edges = elements("e", 60);
  const shown: number[] = [];
  const { result, rerender } = renderHook(
    ({ nodes }) => {
      const steps = useInSteps(nodes, edges);
      shown.push(steps.nodes.length + steps.edges.length);
      return steps;
    },
    { initialProps: { nodes: elements("n", 60) } },
  );
  expect(result.current.isComplete).toBe(false);
  expect(result.current.edges).toEqual([]);
  await waitFor(() => expect(result.current.isComplete).toBe(true));
  const grown = shown.slice(1).map((count, index) => count - (shown[index] ?? 0));
  expect(Math.max(...grown)).toBeLessThan(60);
  const nodes = elements("n", 61);
  rerender({ nodes });
  expect(result.current.isComplete).toBe(true);
  expect(result.current.nodes).toBe(nodes);
});
