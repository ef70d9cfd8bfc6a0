// @vitest-environment happy-dom
import { act, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import RunTab from "../../../renderer/dock/run-tab.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useSavedModel } from "../../../renderer/stores/saved-model-store.js";
import { binary, constant, documentOf, node, placeholder, type, welcome } from "../document/graphs.js";
import { connect, expectAccessible, focusOn, show } from "../support/components.js";
import { openDocument } from "../support/documents.js";

const column = (name: string) => screen.getByRole("region", { name });
const items = () => within(column("Fetched and run")).getAllByRole("listitem");
const config = () => useDocument.getState().document.runConfig;
const field = () => screen.getByRole<HTMLInputElement>("combobox", { name: "Tensor or operation to add" });

beforeEach(() => connect());

describe("what to run", () => {
  it("is suggested until it is chosen, and can be suggested again", async () => {
    openDocument(welcome());
    const { user } = show(<RunTab />);
    expect(screen.getByText("Suggested: the results that nothing else in the graph uses.")).toBeDefined();
    expect(items().map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/^z:0float32 \[\]/),
    ]);
    await expectAccessible();
    await user.type(field(), "x:0{Enter}");
    expect(screen.getByText("Chosen by you; saved with the document.")).toBeDefined();
    expect(config().fetches).toEqual(["z:0", "x:0"]);
    expect(field().value).toBe("");
    focusOn(screen.getByRole("button", { name: "Do not fetch z:0" }));
    await user.keyboard("{Enter}");
    expect(items()).toHaveLength(1);
    await user.click(screen.getByRole("button", { name: "Reset to the suggestion" }));
    expect(items().map(({ textContent }) => textContent)).toEqual([expect.stringMatching(/^z:0/)]);
  });

  it("says why a name cannot be run", async () => {
    openDocument(welcome());
    const { user } = show(<RunTab />);
    await user.type(field(), "nobody:0{Enter}");
    expect(screen.getByRole("alert").textContent).toContain("nobody");
    expect(field().getAttribute("aria-invalid")).toBe("true");
    await expectAccessible();
    await user.type(field(), "x");
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("takes what is selected, and operations that are run for their effect", async () => {
    openDocument(documentOf([...welcome().nodes.values(), node("init", "NoOp")]));
    const { user } = show(<RunTab />);
    act(() => documentActions.select(["init"]));
    await user.click(screen.getByRole("button", { name: "Add init" }));
    expect(config().targets).toEqual(["init"]);
    expect(screen.getByRole("button", { name: "Do not run init" })).toBeDefined();
    expect(screen.queryByRole("button", { name: "Add init" })).toBeNull();
    await user.click(screen.getByRole("button", { name: "z:0" }));
    expect([...useDocument.getState().selection]).toEqual(["z"]);
  });

  it("lists the placeholders that it needs, and feeds them", async () => {
    openDocument(documentOf([placeholder("p"), constant("c", "1"), binary("s", "AddV2", "p", "c")]));
    const { user } = show(<RunTab />);
    expect(screen.getByText("1 placeholder has no value yet.")).toBeDefined();
    const value = () => within(column("Feeds")).getByRole("textbox", { name: "Value" });
    await expectAccessible();
    await user.type(value(), "not a number{Enter}");
    expect(screen.getByRole("alert").textContent).not.toBe("");
    expect(config().feeds).toEqual({});
    await user.clear(value());
    await user.type(value(), "7{Enter}");
    expect(config().feeds["p:0"]).toEqual({ kind: "literal", text: "7" });
    expect(screen.getByText("Everything that is needed has a value.")).toBeDefined();
    await user.click(screen.getByRole("button", { name: "Clear" }));
    expect(config().feeds).toEqual({});
  });

  it("lists the signatures of a SavedModel, and whether its saved values are used", async () => {
    const info = (name: string) => ({ encoding: { $case: "name" as const, value: name }, dtype: 1 });
    const signature = (output: string) => ({
      inputs: new Map([["in", info("p:0")]]),
      outputs: new Map([["out", info(output)]]),
      methodName: "tensorflow/serving/predict",
    });
    const metaGraph = MetaGraphDef.fromPartial({
      graphDef: {},
      signatureDef: new Map([
        ["serving_default", signature("s:0")],
        ["other", signature("t:0")],
      ]) as never,
    });
    openDocument(
      documentOf(
        [
          placeholder("p"),
          node("s", "Neg", ["p"], { T: type("float32") }),
          node("t", "Abs", ["p"], { T: type("float32") }),
        ],
        { kind: "saved_model", metaGraph },
      ),
    );
    const { user } = show(<RunTab />);
    const signatures = column("Signatures");
    expect(within(signatures).getByRole("radio", { name: "serving_default", checked: true })).toBeDefined();
    await expectAccessible();
    await user.click(within(signatures).getByRole("radio", { name: "other" }));
    expect(config().fetches).toEqual(["t:0"]);
    await user.click(within(signatures).getByRole("button", { name: "Run without them" }));
    expect(useSavedModel.getState().withoutValues).toBe(true);
    expect(within(signatures).getByRole("status").textContent).toContain("not what the model predicts");
    await expectAccessible();
    await user.click(within(signatures).getByRole("button", { name: "Use the saved values" }));
    expect(useSavedModel.getState().withoutValues).toBe(false);
  });
});
