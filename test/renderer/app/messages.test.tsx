// @vitest-environment happy-dom
import { act, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Messages } from "../../../renderer/app/messages.js";
import { RefusedPage } from "../../../renderer/app/refused-page.js";
import { RuntimeBanner } from "../../../renderer/app/runtime-banner.js";
import { SideTabs } from "../../../renderer/app/side-tabs.js";
import { showNotice, useApp } from "../../../renderer/stores/app-store.js";
import { receiveRuntime } from "../../../renderer/stores/runtime-store.js";
import { useSettings } from "../../../renderer/stores/settings-store.js";
import { useUi } from "../../../renderer/stores/ui-store.js";
import { calls, connect, expectAccessible, focusOn, show } from "../support/components.js";
import { readOps } from "../support/documents.js";

const region = () => screen.queryByRole("region", { name: "Messages" });
const offer = { version: "2.21.0", downloadBytes: 2e8, installedBytes: 6e8, freeBytes: 9e10, gpu: false };

beforeEach(() => connect());

describe("messages", () => {
  it("stand there only while there is something to say, the newest first, until they are put away", async () => {
    const { user } = show(<Messages />);
    expect(region()).toBeNull();
    const problem = (message: string) => ({
      code: "INTERNAL",
      message,
      reason: "Because.",
      remedy: "Do that.",
    });
    const run = vi.fn();
    act(() => {
      showNotice({ kind: "problem", problem: problem("First.") });
      showNotice({ kind: "info", problem: problem("Second."), action: { label: "Do it", run } });
    });
    expect(region()?.textContent).toMatch(/Second\..*First\./);
    expect(screen.getByRole("alert").textContent).toMatch(/First\..*Because\..*Do that\./);
    await expectAccessible();
    focusOn(screen.getByRole("button", { name: "Do it" }));
    await user.keyboard("{Enter}");
    expect(run).toHaveBeenCalledTimes(1);
    const [newest] = screen.getAllByRole("button", { name: "Dismiss" });
    if (newest) await user.click(newest);
    expect(region()?.textContent).not.toContain("Second.");
    await user.click(screen.getByRole("button", { name: "Dismiss" }));
    expect(region()).toBeNull();
  });

  it("say that the application is away, for now or for good, with what is not lost", async () => {
    show(<Messages />);
    act(() => useApp.setState({ connection: "lost" }));
    expect(screen.getByRole("alert").textContent).toMatch(/^Connection lost, reconnecting….*still here/);
    await expectAccessible();
    act(() => useApp.setState({ connection: "refused", refusal: "ended" }));
    expect(within(screen.getByRole("alert").parentElement ?? document.body).getByRole("button")).toBe(
      screen.getByRole("button", { name: "Download graph" }),
    );
    await expectAccessible();
  });
});

describe("the page that is not let in", () => {
  it.each([
    ["missing", "Open the link that npm start printed"],
    ["used", "This link was already used"],
    ["ended", "Tensordeck was restarted"],
    ["unreachable", "Tensordeck does not answer"],
  ] as const)("says why: %s", async (refusal, title) => {
    show(<RefusedPage refusal={refusal} />);
    expect(screen.getByRole("heading", { name: title })).toBeDefined();
    expect(screen.queryAllByRole("button").map(({ textContent }) => textContent)).toEqual(
      refusal === "unreachable" ? ["Try again"] : [],
    );
    await expectAccessible();
  });
});

describe("the banner of TensorFlow's runtime", () => {
  it("offers to install it, once", async () => {
    connect({ "settings.set": { ...useSettings.getState().settings, runtimeBannerDismissed: true } });
    const { user } = show(<RuntimeBanner />);
    expect(screen.queryByRole("status")).toBeNull();
    act(() => receiveRuntime({ offer }));
    expect(screen.getByRole("status").textContent).toContain("Tasks run on the portable engine");
    await expectAccessible();
    await user.click(screen.getByRole("button", { name: /^Install TensorFlow runtime \(200 MB\)/ }));
    expect(useUi.getState().dialog?.kind).toBe("install");
    await user.click(screen.getByRole("button", { name: "Hide this message" }));
    expect(screen.queryByRole("status")).toBeNull();
  });

  it("shows how far an installation is, which can be cancelled, and why it failed", async () => {
    const { user } = show(<RuntimeBanner />);
    act(() => receiveRuntime({ offer, progress: { phase: "downloading", doneBytes: 5e7, totalBytes: 2e8 } }));
    const bar = screen.getByRole("progressbar", { name: "Downloading the TensorFlow runtime" });
    expect(bar.getAttribute("aria-valuenow")).toBe("25");
    expect(screen.getByText("50 MB of 200 MB")).toBeDefined();
    await expectAccessible();
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    act(() => receiveRuntime({ offer, problem: { code: "UNAVAILABLE", message: "The download failed." } }));
    expect(screen.getByRole("alert").textContent).toContain("The download failed.");
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await user.click(screen.getByRole("button", { name: "Look again" }));
    expect(calls.map(({ method }) => method)).toEqual([
      "runtime.cancelInstall",
      "runtime.install",
      "runtime.refresh",
    ]);
  });

  it("is not there where there is a runtime", () => {
    show(<RuntimeBanner />);
    act(() => receiveRuntime({ runtime: { path: "/tf", version: "2.21.0", origin: "Python", gpu: false } }));
    expect(screen.queryByRole("status")).toBeNull();
  });
});

describe("the side panel", () => {
  it("shows the cluster or the ops, chosen with the arrows", async () => {
    readOps();
    const { user } = show(<SideTabs />);
    expect(screen.getByRole("tabpanel", { name: "Cluster" })).toBeDefined();
    await expectAccessible();
    focusOn(screen.getByRole("tab", { name: "Cluster" }));
    await user.keyboard("{ArrowRight}");
    expect(screen.getByRole("tabpanel", { name: "Ops" })).toBeDefined();
    expect(screen.getByRole("combobox", { name: "Search ops" })).toBeDefined();
    await expectAccessible();
  });
});
