import { expect, test } from "vitest";
import {
  graphLinks,
  linkNodes,
  linksOfNodes,
  NODE_END,
  sourcesOf,
  topologicalNumbers,
} from "../../../../../worker-runtime/engines/portable/executor/graph-links.js";
import { withoutPauses } from "../../../../../worker-runtime/engines/portable/pauses.js";
import { node } from "./graph-fixture.js";

const nodes = [
  node("NoOp", "last", ["^sum", "^a", "^sum"]),
  node("Const", "a", []),
  node("AddV2", "sum", ["a", "split:1", "^a"]),
  node("Split", "split", ["a", "a:0"]),
];

test("names become numbers, data inputs first and control inputs once each", () => {
  const links = withoutPauses(linkNodes(nodes));
  expect([...links.dataCount]).toEqual([0, 0, 2, 2]);
  expect([...sourcesOf(links, 0)]).toEqual([2, 1]);
  expect([...sourcesOf(links, 2)]).toEqual([1, 3, 1]);
  const [start, end] = [links.first[2], links.first[3]];
  expect([...links.output.subarray(start, end)]).toEqual([0, 1, NODE_END]);
  const objects = withoutPauses(linksOfNodes(links));
  expect(objects[2]).toEqual({
    data: [
      { source: 1, output: 0 },
      { source: 3, output: 1 },
    ],
    control: [1],
  });
  expect(graphLinks(objects)).toEqual(links);
});

test("the name of a debug node has a colon, and is no output for that", () => {
  const links = withoutPauses(
    linkNodes([node("NoOp", "a"), node("NoOp", "__dbg_a:0_0_X"), node("NoOp", "b", ["^__dbg_a:0_0_X"])]),
  );
  expect([...sourcesOf(links, 2)]).toEqual([1]);
  expect(() => withoutPauses(linkNodes([node("NoOp", "a"), node("NoOp", "b", ["^a:0"])]))).toThrow(
    '"^a:0" is no control input',
  );
});

test("control inputs from regions come last, with the output that stands for them", () => {
  const links = graphLinks([
    { data: [], control: [] },
    { data: [{ source: 0, output: 2 }], control: [0], regionControl: [{ source: 0, output: 5 }] },
  ]);
  expect([...links.first]).toEqual([0, 0, 3]);
  expect([...links.output]).toEqual([2, NODE_END, 5]);
});

test("the order has each node after its inputs, in the order of the graph where it may", () => {
  const links = withoutPauses(linkNodes(nodes));
  expect([...withoutPauses(topologicalNumbers(nodes, links))]).toEqual([1, 3, 2, 0]);
});
