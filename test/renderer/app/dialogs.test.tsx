// @vitest-environment happy-dom
import { act, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { AppInfo } from "../../../main/api/app.js";
import type { Directory } from "../../../main/api/documents.js";
import Dialogs from "../../../renderer/app/dialogs.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { useDocumentRun } from "../../../renderer/stores/run-store.js";
import { receiveSettings, useSettings } from "../../../renderer/stores/settings-store.js";
import { confirm, type DialogState, uiActions, useUi } from "../../../renderer/stores/ui-store.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { calls, connect, expectAccessible, show } from "../support/components.js";

const open = (dialog: DialogState) => act(() => uiActions.open(dialog));
const dialog = () => screen.getByRole("dialog");
const button = (name: string | RegExp) => screen.getByRole("button", { name });
const methods = () => calls.map(({ method }) => method);

const folder: Directory = {
  path: "/graphs",
  entries: [{ name: "a.pbtxt", path: "/graphs/a.pbtxt", directory: false, sizeBytes: 12, modifiedAt: 0 }],
};
const ANSWERS = {
  "app.guides": [{ name: "clusters", title: "Which kind of cluster" }],
  "app.guide": "# Which kind of cluster\n\nOn this machine.\n",
  "app.log": { path: "/data/log.txt", text: "started\n" },
  "files.list": folder,
  "kubernetes.contexts": [{ name: "lab", cluster: "lab", server: "https://10.0.0.1:6443", current: true }],
};

beforeEach(() => {
  connect(ANSWERS);
  receiveCluster(
    clusterOf([
      machineOf("laptop", { tasks: [taskOf("worker/0", { address: "10.0.0.1:2222" })] }),
      machineOf("desktop", { kind: "paired", role: "manage", grantedRole: "run" }),
    ]),
  );
});

const EVERY: readonly (readonly [title: string, dialog: DialogState])[] = [
  ["Commands", { kind: "palette" }],
  ["Keyboard shortcuts", { kind: "shortcuts" }],
  ["About Tensordeck", { kind: "about" }],
  ["Log of the application", { kind: "log" }],
  ["Guides", { kind: "guides" }],
  ["Run a number of steps", { kind: "custom-steps" }],
  ["Install the TensorFlow runtime", { kind: "install" }],
  ["Who can use this cluster", { kind: "access", wanted: "open" }],
  ["Settings", { kind: "settings" }],
  ["Links between machines", { kind: "links" }],
  ["Add a machine by address", { kind: "add-machine" }],
  ["Add tasks", { kind: "add-tasks", machineId: "laptop" }],
  ["desktop", { kind: "machine", machineId: "desktop" }],
  ["Cluster: untitled", { kind: "cluster-table" }],
  ["Export cluster", { kind: "export-cluster" }],
  ["Kubernetes", { kind: "kubernetes" }],
  ["Use from Python", { kind: "python" }],
  ["Device of 2 nodes", { kind: "device", nodes: ["x", "y"] }],
  ["Colocate x", { kind: "colocate", nodes: ["x"] }],
  ["Move x to a scope", { kind: "scope", nodes: ["x"] }],
  [
    "Open a graph",
    { kind: "file", mode: "open", title: "Open a graph", extensions: ["pbtxt"], resolve: () => undefined },
  ],
];

describe.each(EVERY)("the dialog %s", (title, state) => {
  it("is named so, has the focus, holds to the rules of axe, and closes with Escape", async () => {
    const { user } = show(<Dialogs />);
    open(state);
    // The answers that it asked the application for have come.
    await act(async () => undefined);
    // The code of some is loaded when they are opened.
    expect((await screen.findByRole("dialog", { name: title })).contains(document.activeElement)).toBe(true);
    await expectAccessible();
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(useUi.getState().dialog).toBeUndefined();
  });
});

describe("settings", () => {
  const changed = { machineName: "", visible: true, stopPsWithLastWorker: false, allowExposedTasks: false };

  it("are shown as they are, and saved together", async () => {
    connect({ "settings.set": { ...useSettings.getState().settings, machineName: "kitchen" } });
    const { user } = show(<Dialogs />);
    open({ kind: "settings" });
    const name = screen.getByRole("textbox", { name: "Name of this machine" });
    expect(document.activeElement).toBe(name);
    await user.keyboard("  kitchen ");
    await user.click(screen.getByRole("checkbox", { name: /^Stop ps tasks/, checked: false }));
    await user.type(
      screen.getByRole("textbox", { name: "Folders that graphs may use" }),
      "/a{Enter}{Enter} /b ",
    );
    await user.click(button("Save"));
    expect(calls).toEqual([
      {
        method: "settings.set",
        params: {
          ...changed,
          machineName: "kitchen",
          stopPsWithLastWorker: true,
          graphFolders: ["/a", "/b"],
        },
      },
    ]);
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("are saved by Enter in a field, and left as they are by Cancel", async () => {
    receiveSettings({ ...useSettings.getState().settings, machineName: "attic" });
    const { user } = show(<Dialogs />);
    open({ kind: "settings" });
    await user.keyboard("x");
    await user.click(button("Cancel"));
    expect(calls).toEqual([]);
    open({ kind: "settings" });
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: /^Name/ }).value).toBe("attic");
    await user.keyboard("{Enter}");
    expect(calls).toMatchObject([{ method: "settings.set", params: { ...changed, machineName: "attic" } }]);
  });
});

describe("a number of steps", () => {
  const steps = () => screen.getByRole("textbox", { name: "Steps" });

  it("is chosen whole when it opens, so that typing replaces it", async () => {
    const { user } = show(<Dialogs />);
    open({ kind: "custom-steps" });
    expect(document.activeElement).toBe(steps());
    await user.keyboard("25");
    expect(button("Run 25 steps")).toBeDefined();
  });

  it("that is none cannot be run, and says what to write", async () => {
    const { user } = show(<Dialogs />);
    open({ kind: "custom-steps" });
    await user.clear(steps());
    await user.type(steps(), "1.5{Enter}");
    expect(screen.getByRole("alert").textContent).toBe("Write a whole number from 1 to 1,000,000.");
    expect(steps().getAttribute("aria-invalid")).toBe("true");
    expect(button("Run")).toHaveProperty("disabled", true);
    expect(useUi.getState().dialog?.kind).toBe("custom-steps");
    await expectAccessible();
  });

  it("is remembered and closes the dialog when it runs", async () => {
    const { user } = show(<Dialogs />);
    open({ kind: "custom-steps" });
    await user.clear(steps());
    await user.type(steps(), "2,000{Enter}");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(useDocumentRun.getState().manySteps).toBe(2000);
  });
});

describe("a question", () => {
  /** The answer, as soon as there is one. */
  let answer: Promise<string | undefined> | undefined;
  const ask = () =>
    act(() => {
      answer = confirm({
        title: "Restart tasks?",
        text: "Variables are lost.",
        choices: [
          { id: "restart", label: "Restart", style: "danger" },
          { id: "later", label: "Later" },
        ],
      });
    });

  it("answers what was chosen", async () => {
    const { user } = show(<Dialogs />);
    ask();
    expect(
      within(screen.getByRole("dialog", { name: "Restart tasks?" })).getByText("Variables are lost."),
    ).toBeDefined();
    await expectAccessible();
    await user.click(button("Restart"));
    expect(await answer).toBe("restart");
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it.each([
    ["Escape", () => undefined, "{Escape}"],
    ["Cancel", () => button("Cancel"), ""],
    ["the cross", () => button("Close"), ""],
  ])("that is closed by %s has no answer", async (_, control, keys) => {
    const { user } = show(<Dialogs />);
    ask();
    const pressed = control();
    if (pressed) await user.click(pressed);
    else await user.keyboard(keys);
    expect(await answer).toBeUndefined();
    expect(screen.queryByRole("dialog")).toBeNull();
  });
});

describe("a dialog that cannot be drawn", () => {
  it("says so in its place, and can be closed", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { user } = show(<Dialogs />);
    const info = {
      get version(): string {
        throw new Error("no info");
      },
    };
    act(() => useApp.setState({ info: info as AppInfo }));
    open({ kind: "about" });
    expect(within(dialog()).getByRole("alert").textContent).toContain("no info");
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("dialog")).toBeNull();
    vi.restoreAllMocks();
    expect(methods()).toContain("app.reportError");
  });
});
