import { expect, it, vi } from "vitest";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { AllBut } from "../../../renderer/document/open-scopes.js";
import { gridEngine } from "../../../renderer/layout/grid.js";
import { useGraphView } from "../../../renderer/stores/graph-view-store.js";
import { keepArranged } from "../../../renderer/viewport/arranging.js";
import { visibleNow } from "../../../renderer/viewport/shown-graph.js";
import { documentOf, node } from "../document/graphs.js";
import { openDocument } from "../support/documents.js";

const chain = (scope: string, count: number): NodeDef[] =>
  Array.from({ length: count }, (_, index) =>
    node(
      `${scope}/n${index}`,
      index % 2 === 0 ? "Neg" : "Abs",
      index === 0 ? [] : [`${scope}/n${index - 1}`],
    ),
  );

/** Opens a graph in a window of a size and returns the scopes that are open at first. */
async function openedIn(
  nodes: readonly NodeDef[],
  width: number,
  height: number,
): Promise<readonly string[]> {
  openDocument(documentOf([...nodes], { layout: new Map() }));
  const stop = keepArranged(
    {
      beforeShow: () => () => undefined,
      size: () => ({ width, height }),
      onError: (error) => {
        throw error;
      },
    },
    gridEngine,
  );
  try {
    await vi.waitFor(() => expect(useGraphView.getState()).toMatchObject({ arranging: false }), 20_000);
    const scopes = useGraphView.getState().shown?.openness.scopes ?? [];
    return scopes instanceof AllBut ? [] : [...scopes].sort();
  } finally {
    stop();
  }
}

it("opens smaller scopes in place of a large one that does not fit", async () => {
  const small = Array.from({ length: 9 }, (_, index) => chain(`small${index}`, index < 3 ? 2 : 3)).flat();
  const nodes = [...chain("large", 40), ...small];
  expect(await openedIn(nodes, 8000, 4000)).toEqual(["scope:large"]);
  const opened = await openedIn(nodes, 550, 385);
  expect(opened.length).toBeGreaterThan(1);
  expect(opened).not.toContain("scope:large");
  // Each is drawn with what is in it.
  const drawn = visibleNow()?.items.map(({ id }) => id) ?? [];
  for (const id of opened) expect(drawn).toContain(`${id.replace("scope:", "")}/n0`);
});
