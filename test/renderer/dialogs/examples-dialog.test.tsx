// @vitest-environment happy-dom
import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import type { ApplicationClient } from "../../../main/api/contract.js";
import { exampleLibrary } from "../../../main/documents/examples.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { ExamplesDialog } from "../../../renderer/dialogs/examples-dialog.js";
import { labelsInGraph } from "../../../renderer/document/class-labels.js";
import { imagesInGraph } from "../../../renderer/document/graph-images.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { useDocument } from "../../../renderer/stores/document-store.js";
import { exampleMachines, useExamples } from "../../../renderer/stores/example-store.js";
import { setClient } from "../../../renderer/transport/client.js";
import { constant, documentOf, welcome } from "../document/graphs.js";
import { clusterOf, machineOf } from "../support/cluster-states.js";
import { expectAccessible, show } from "../support/components.js";
import { openDocument, readOps } from "../support/documents.js";

/** As the application answers, with the examples that it has. */
function connectToExamples(): void {
  setClient({
    call: async (_method: string, { id }: { readonly id: string }) => {
      const { title, metaGraph } = await exampleLibrary.open(id);
      return {
        ...{ name: title, kind: "meta_graph", format: "text" },
        metaGraph: MetaGraphDef.encode(metaGraph).finish(),
      };
    },
    on: () => () => undefined,
  } as unknown as ApplicationClient);
  useApp.setState({ connection: "connected" });
  useExamples.setState({ examples: exampleLibrary.list() });
}

const card = (title: string) => {
  const found = screen.getAllByRole("listitem").find((item) => within(item).queryByText(title));
  if (!found) throw new Error(`There is no card ${title}.`);
  return found;
};

describe("the gallery of examples", () => {
  beforeEach(() => {
    connectToExamples();
    readOps();
  });

  it("shows each example with a picture of its own, and runs those that need nothing else", async () => {
    show(<ExamplesDialog />);
    // Ten digits, two pictures of each.
    await waitFor(() => expect(card("Handwritten digits").querySelectorAll("svg g")).toHaveLength(20));
    await waitFor(() => expect(card("Welcome").querySelectorAll("svg g path")).toHaveLength(6));
    expect(within(card("Welcome")).getByRole("button", { name: "Run example: Welcome" })).toBeDefined();
    expect(within(card("Sum of a CSV column")).queryByRole("button", { name: /^Run/ })).toBeNull();
    await expectAccessible();
  });

  it("starts what an example lacks on the chosen machines, once there are several", async () => {
    const pi = machineOf("pi", { kind: "paired", role: "run" });
    const viewed = machineOf("nas", { kind: "paired", role: "view" });
    receiveCluster(clusterOf([machineOf("laptop"), viewed]));
    const { user } = show(<ExamplesDialog />);
    const machines = () => screen.queryByRole("group", { name: /^Workers that an example needs/ });
    expect(machines()).toBeNull();
    expect(exampleMachines()).toEqual([]);
    act(() => receiveCluster(clusterOf([machineOf("laptop"), pi, viewed])));
    expect(machines()?.textContent).not.toContain("nas");
    expect(exampleMachines()).toEqual(["laptop", "pi"]);
    await user.click(screen.getByRole("checkbox", { name: "laptop this machine" }));
    expect(exampleMachines()).toEqual(["pi"]);
    expect(screen.getByRole<HTMLInputElement>("checkbox", { name: "pi" }).disabled).toBe(true);
    await expectAccessible();
  });

  it("opens one in place of the open graph", async () => {
    openDocument(welcome());
    const { user } = show(<ExamplesDialog />);
    await user.click(screen.getByRole("button", { name: "Open example: Handwritten digits" }));
    await waitFor(() => expect(useDocument.getState().document.name).toBe("Handwritten digits"));
    const { nodes } = useDocument.getState().document;
    expect(labelsInGraph(nodes, 10).slice(0, 3)).toEqual(["zero", "one", "two"]);
    expect(imagesInGraph(nodes)[0]?.pixels).toHaveLength(64);
  });
});

describe("names of classes in a graph", () => {
  const labels = (...texts: string[]) =>
    documentOf(texts.map((text, index) => constant(`c${index}`, text, "string"))).nodes;

  it("are the only list of as many texts as there are classes", () => {
    expect(labelsInGraph(labels('["cat", "dog"]', '"title"', '["a", "b", "c"]'), 2)).toEqual(["cat", "dog"]);
    expect(labelsInGraph(labels('["cat", "dog"]', '["a", "b"]'), 2)).toEqual([]);
    expect(labelsInGraph(labels('["cat", "dog"]'), 3)).toEqual([]);
  });
});
