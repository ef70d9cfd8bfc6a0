// @vitest-environment happy-dom
import { act, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import Dialogs from "../../../renderer/app/dialogs.js";
import { uiActions, useUi } from "../../../renderer/stores/ui-store.js";
import { calls, connect, expectAccessible, show } from "../support/components.js";

const button = (name: string) => screen.getByRole("button", { name });

beforeEach(() => {
  connect({
    "kubernetes.contexts": [{ name: "lab", namespace: "default", server: "https://lab:6443", current: true }],
    "files.list": { path: "/home/me/.kube", entries: [] },
  });
});

/** Opens the dialog, and waits for its contexts. */
async function open() {
  const { user } = show(<Dialogs />);
  act(() => uiActions.open({ kind: "kubernetes" }));
  await screen.findByText("https://lab:6443");
  return user;
}

describe("the dialog that connects to Kubernetes", () => {
  it("takes a kubeconfig that is chosen as a file, beginning where kubectl looks", async () => {
    const user = await open();
    await expectAccessible();
    await user.click(button("Choose…"));
    await screen.findByRole("dialog", { name: "Choose a kubeconfig" });
    await act(async () => undefined);
    expect(calls.at(-1)).toEqual({ method: "files.list", params: { extensions: [], path: "~/.kube" } });
    const { dialog } = useUi.getState();
    if (dialog?.kind !== "file") throw new Error("No file is asked for.");
    await act(async () => dialog.resolve("/home/me/.kube/lab"));
    expect(await screen.findByDisplayValue("/home/me/.kube/lab")).toBeDefined();
    expect(calls.at(-1)).toEqual({
      ...{ method: "kubernetes.contexts", params: { kubeconfig: "/home/me/.kube/lab" } },
    });
  });

  it("can be closed without connecting", async () => {
    const user = await open();
    await user.click(button("Cancel"));
    expect(useUi.getState().dialog).toBeUndefined();
  });
});
