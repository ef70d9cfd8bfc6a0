import { afterEach, describe, expect, it } from "vitest";
import { useTensorTabs } from "../../../renderer/stores/tensor-tabs.js";
import { confirm, LIMITS, uiActions, useUi } from "../../../renderer/stores/ui-store.js";

afterEach(() => uiActions.close());

describe("ui-store", () => {
  it("keeps panels within sizes that leave the canvas usable", () => {
    uiActions.resize("sideWidth", 5000);
    expect(useUi.getState().sideWidth).toBe(LIMITS.sideWidth.max);
    uiActions.resize("dockHeight", -3);
    expect(useUi.getState().dockHeight).toBe(LIMITS.dockHeight.min);
  });

  it("opens a tensor once and shows the results when its tab is closed", () => {
    uiActions.openTensor("z:0");
    uiActions.openTensor("z:0");
    expect(useTensorTabs.getState().names).toEqual(["z:0"]);
    expect(useUi.getState()).toMatchObject({ dockTab: "tensor:z:0", dockOpen: true });
    uiActions.closeTensor("z:0");
    expect(useTensorTabs.getState().names).toEqual([]);
    expect(useUi.getState().dockTab).toBe("results");
  });

  it("answers a question that is closed, or overtaken by another dialog, with nothing", async () => {
    const question = { title: "Save?", text: "", choices: [{ id: "save", label: "Save" }] };
    const closed = confirm(question);
    uiActions.close();
    expect(await closed).toBeUndefined();
    const overtaken = confirm(question);
    uiActions.open({ kind: "palette" });
    expect(await overtaken).toBeUndefined();
    expect(useUi.getState().dialog).toEqual({ kind: "palette" });
  });

  it("opens the side panel for what is asked for in it", () => {
    uiActions.toggleSide();
    expect(useUi.getState().sideOpen).toBe(false);
    uiActions.showSide("ops");
    expect(useUi.getState()).toMatchObject({ sideOpen: true, sideTab: "ops" });
  });

  it("closes the tensors of a document together", () => {
    uiActions.openTensor("z:0");
    uiActions.closeTensors();
    expect(useTensorTabs.getState().names).toEqual([]);
    expect(useUi.getState().dockTab).toBe("results");
    uiActions.showDock("logs");
    uiActions.closeTensors();
    expect(useUi.getState().dockTab).toBe("logs");
  });

  it("toggles the inspector that is meant at the window's width", () => {
    useUi.setState({ narrow: false, inspectorOpen: true, inspectorOverlay: false });
    uiActions.toggleInspector();
    expect(useUi.getState()).toMatchObject({ inspectorOpen: false, inspectorOverlay: false });
    useUi.setState({ narrow: true });
    uiActions.toggleInspector();
    expect(useUi.getState()).toMatchObject({ inspectorOpen: false, inspectorOverlay: true });
  });
});
