// @vitest-environment happy-dom
import { act, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import LayerDialog from "../../../renderer/dialogs/layer-dialog.js";
import { initialisation } from "../../../renderer/document/initialisers.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useUi } from "../../../renderer/stores/ui-store.js";
import { documentOf, node, type, welcome } from "../document/graphs.js";
import { connect, expectAccessible, show } from "../support/components.js";
import { openDocument } from "../support/documents.js";

const dims = (...sizes: number[]) => ({
  value: {
    $case: "shape" as const,
    value: { unknownRank: false, dim: sizes.map((size) => ({ size: BigInt(size), name: "" })) },
  },
});
const input = (name: string, ...sizes: number[]) =>
  node(name, "Placeholder", [], { dtype: type("float32"), shape: dims(...sizes) }, "/job:worker/task:1");

const names = () => [...useDocument.getState().document.nodes.keys()];
const nodeOf = (name: string) => useDocument.getState().document.nodes.get(name);
const choose = () => screen.getByRole("combobox", { name: "Layer" });
const add = () => screen.getByRole<HTMLButtonElement>("button", { name: "Add" });

beforeEach(() => {
  connect();
  openDocument(documentOf([input("x", -1, 4)]));
});

describe("the dialog of layers", () => {
  it("adds a layer with its variables in one step, where its input is, and chains the next", async () => {
    documentActions.select(["x"]);
    const { user, change } = show(<LayerDialog />);
    expect(screen.getByText(/float32 \[\?, 4\]/)).toBeDefined();
    const units = screen.getByRole("textbox", { name: "Units" });
    await user.clear(units);
    await user.type(units, "8");
    await user.selectOptions(screen.getByRole("combobox", { name: "Activation" }), "relu");
    await expectAccessible();
    await user.click(add());
    expect(nodeOf("Dense/MatMul")?.input).toEqual(["x", "Dense/kernel/Read/ReadVariableOp"]);
    expect(nodeOf("Dense/kernel")).toMatchObject({ op: "VarHandleOp", device: "/job:worker/task:1" });
    expect(nodeOf("Dense/Relu")?.op).toBe("Relu");
    expect(useDocument.getState().document.layout.size).toBe(0);
    expect(documentActions.initialisation().targets.toSorted()).toEqual([
      "Dense/bias/Assign",
      "Dense/kernel/Assign",
    ]);

    change(<LayerDialog key="second" />);
    await user.selectOptions(choose(), "LayerNorm");
    expect(screen.getByText("Dense/output:0")).toBeDefined();
    await user.click(add());
    expect(nodeOf("LayerNorm/Mean")?.input[0]).toBe("Dense/output");
    change(<LayerDialog key="third" />);
    await user.click(add());
    expect(nodeOf("Dense_1/MatMul")?.input[0]).toBe("LayerNorm/output");
    expect(useDocument.getState().problems.size).toBe(0);

    act(() => {
      for (const _ of [1, 2, 3]) documentActions.undo();
    });
    expect(names()).toEqual(["x"]);
    expect(useDocument.getState().document.layout.size).toBe(1);
  });

  it("says why a layer does not suit its input, or a value its field", async () => {
    documentActions.select(["x"]);
    const { user } = show(<LayerDialog />);
    await user.selectOptions(choose(), "Conv2D");
    await user.click(add());
    expect(screen.getByRole("alert").textContent).toBe(
      "Conv2D takes images [batch, height, width, channels], 4 dimensions; the shape of its input is [?, 4].",
    );
    await user.selectOptions(choose(), "Dropout");
    const rate = screen.getByRole("textbox", { name: "Rate" });
    await user.clear(rate);
    await user.type(rate, "2");
    expect(screen.getByRole("alert").textContent).toBe("Rate must be from 0 to 0.99.");
    expect(add().disabled).toBe(true);
    await expectAccessible();
    expect(names()).toEqual(["x"]);
  });

  it("gives losses a placeholder for what should come out", async () => {
    const { user } = show(<LayerDialog />);
    await user.selectOptions(choose(), "CrossEntropyLoss");
    await user.click(add());
    expect(nodeOf("CrossEntropyLoss/labels")?.op).toBe("Placeholder");
    expect(useUi.getState().dialog).toBeUndefined();
  });

  it("needs a result to take", async () => {
    openDocument(documentOf([]));
    show(<LayerDialog />);
    expect(screen.getByRole("alert").textContent).toMatch(/^Nothing here has a result/);
    expect(add().disabled).toBe(true);
    await expectAccessible();
  });

  it("takes the result of several selected nodes", () => {
    openDocument(welcome());
    documentActions.select(["a", "b", "x"]);
    show(<LayerDialog />);
    expect(screen.getByText("x:0")).toBeDefined();
  });

  it("adds a pipeline of files to an empty graph, which is begun before a run", async () => {
    act(() => openDocument(documentOf([])));
    const { user } = show(<LayerDialog />);
    await user.selectOptions(choose(), "TFRecordPipeline");
    expect(add().disabled).toBe(false);
    await user.type(
      screen.getByRole("textbox", { name: "Files, on the machine of the task" }),
      "/data/a.tfrecord",
    );
    await user.click(add());
    expect(screen.getByRole("alert").textContent).toMatch(/needs the features/);
    await user.type(screen.getByRole("textbox", { name: "Features" }), "image:float32[[784], label:int64");
    await expectAccessible();
    await user.click(add());
    expect(nodeOf("TFRecordPipeline/image")?.input).toEqual(["TFRecordPipeline/next"]);
    expect(nodeOf("TFRecordPipeline/label")?.input).toEqual(["TFRecordPipeline/next:1"]);
    expect(nodeOf("TFRecordPipeline/records")?.device).toBe("/device:CPU:*");
    const { nodes } = useDocument.getState().document;
    expect(initialisation(nodes, ["TFRecordPipeline/label"])).toEqual({
      targets: ["TFRecordPipeline/make_iterator"],
      missing: [],
    });
    expect(documentActions.runInputs(2).targets).toEqual([]);
    expect(useDocument.getState().problems.size).toBe(0);
  });

  it("batches the rows of what it is connected to", async () => {
    const { user, change } = show(<LayerDialog />);
    await user.selectOptions(choose(), "ArrayPipeline");
    await user.click(add());
    expect(nodeOf("ArrayPipeline/slices")?.input).toEqual(["x", "ArrayPipeline/labels"]);
    // The next layer takes the features.
    change(<LayerDialog key="second" />);
    act(() => documentActions.select(["ArrayPipeline/features"]));
    expect(screen.getByText(/float32 \[\?, 4\]/)).toBeDefined();
  });
});
