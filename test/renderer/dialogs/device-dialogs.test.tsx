// @vitest-environment happy-dom
import { act, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { nodesCommands } from "../../../renderer/commands/node-commands.js";
import { ColocateDialog } from "../../../renderer/dialogs/colocate-dialog.js";
import { DeviceDialog } from "../../../renderer/dialogs/device-dialog.js";
import { ScopeDialog } from "../../../renderer/dialogs/scope-dialog.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useUi } from "../../../renderer/stores/ui-store.js";
import { colocatedNodes } from "../../../worker-runtime/graph/colocation-groups.js";
import { welcome } from "../document/graphs.js";
import { connect, expectAccessible, show } from "../support/components.js";
import { openDocument } from "../support/documents.js";

const nodeOf = (name: string) => useDocument.getState().document.nodes.get(name);

beforeEach(() => {
  connect();
  openDocument(welcome());
});

describe("a device that is typed in", () => {
  it("may be a part of a name, is checked, and is written as TensorFlow writes it", async () => {
    nodesCommands.device.on(["x", "y"]).run();
    expect(useUi.getState().dialog).toEqual({ kind: "device", nodes: ["x", "y"] });
    const { user } = show(<DeviceDialog nodes={["x", "y"]} />);
    const field = screen.getByRole("textbox", { name: "Device" });
    await user.clear(field);
    await user.type(field, "/jobs:ps");
    expect(screen.getByRole("alert").textContent).toMatch(/not a device name/);
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Pin" }).disabled).toBe(true);
    await expectAccessible();
    await user.clear(field);
    await user.type(field, "/job:ps/gpu:0{Enter}");
    expect([nodeOf("x")?.device, nodeOf("y")?.device]).toEqual([
      "/job:ps/device:GPU:0",
      "/job:ps/device:GPU:0",
    ]);
    expect(useUi.getState().dialog).toBeUndefined();
  });

  it("leaves the choice to the master if it is empty", async () => {
    const { user } = show(<DeviceDialog nodes={["x"]} />);
    await user.clear(screen.getByRole("textbox", { name: "Device" }));
    await user.click(screen.getByRole("button", { name: "Unpin" }));
    expect(nodeOf("x")?.device).toBe("");
  });
});

describe("the scope that nodes are moved to", () => {
  it("begins with the present one, says what is wrong, and moves them in one step", async () => {
    nodesCommands.scope.on(["x", "y"]).run();
    const { user } = show(<ScopeDialog nodes={["x", "y"]} />);
    const field = screen.getByRole<HTMLInputElement>("textbox", { name: "Scope" });
    expect(field.value).toBe("");
    await user.type(field, "two words{Enter}");
    expect(screen.getByRole("alert").textContent).toMatch(/^A name begins/);
    await expectAccessible();
    await user.clear(field);
    await user.type(field, "sums{Enter}");
    expect(nodeOf("z")?.input).toEqual(["sums/x", "sums/y"]);
    expect(useUi.getState().dialog).toBeUndefined();
    act(() => documentActions.undo());
    expect(nodeOf("z")?.input).toEqual(["x", "y"]);
  });
});

describe("the choice of a node to be with", () => {
  it("says what is wrong with a name, colocates, and can be released", async () => {
    nodesCommands.colocate.on(["x"]).run();
    const { user } = show(<ColocateDialog nodes={["x"]} />);
    const field = screen.getByRole("combobox", { name: "With the node" });
    await user.type(field, "none{Enter}");
    expect(screen.getByRole("alert").textContent).toBe("The graph has no node named none.");
    await expectAccessible();
    await user.clear(field);
    await user.type(field, "z{Enter}");
    expect(colocatedNodes(nodeOf("x")?.attr ?? new Map())).toEqual(["z"]);
    expect(useUi.getState().dialog).toBeUndefined();
    act(() => void nodesCommands.separate.on(["x"]).run());
    expect(nodesCommands.separate.on(["x"]).applies).toBe(false);
  });
});
