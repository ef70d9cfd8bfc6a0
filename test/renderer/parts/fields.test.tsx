// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { ProblemView } from "../../../renderer/parts/problem-view.js";
import { TextField } from "../../../renderer/parts/text-field.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { clusterOf, machineOf } from "../support/cluster-states.js";
import { copied, expectAccessible, show } from "../support/components.js";

describe("a text field", () => {
  const commit = vi.fn((text: string) => (text.includes(" ") ? "A name has no spaces." : undefined));
  const field = () => screen.getByRole<HTMLInputElement>("textbox", { name: "Name" });

  it("takes the text over with Enter, and only when it has changed", async () => {
    commit.mockClear();
    const { user } = show(<TextField value="z" label="Name" commit={commit} />);
    await user.click(field());
    await user.keyboard("{Enter}");
    expect(commit).not.toHaveBeenCalled();
    await user.keyboard("_1{Enter}");
    expect(commit.mock.calls).toEqual([["z_1"]]);
  });

  it("says why it cannot take it over, until it is changed", async () => {
    const { user } = show(<TextField value="z" label="Name" commit={commit} />);
    await user.type(field(), " 1");
    await user.tab();
    const alert = screen.getByRole("alert");
    expect(alert.textContent).toBe("A name has no spaces.");
    expect(field().getAttribute("aria-describedby")).toBe(alert.id);
    expect(field().getAttribute("aria-invalid")).toBe("true");
    await expectAccessible();
    await user.type(field(), "2");
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("has the old text again with Escape, and writes a line with Shift and Enter", async () => {
    commit.mockClear();
    const { user } = show(<TextField value="z" label="Name" multiline commit={commit} />);
    await user.type(field(), "{Shift>}{Enter}{/Shift}y");
    expect(field().value).toBe("z\ny");
    await user.keyboard("{Escape}");
    expect(field().value).toBe("z");
    await user.tab();
    expect(commit).not.toHaveBeenCalled();
  });
});

describe("a problem", () => {
  const problem = {
    code: "UNAVAILABLE",
    message: "worker/0 does not answer.",
    reason: "laptop is asleep",
    remedy: "wake it",
    details: "connect ETIMEDOUT",
  };

  it("says what happened, why and what to do, in sentences; the raw text on demand", async () => {
    receiveCluster(clusterOf([machineOf("laptop")]));
    const { user } = show(<ProblemView problem={problem} />);
    // A name stays as it is written.
    expect(screen.getByRole("alert").textContent).toContain(
      "worker/0 does not answer. laptop is asleep. Wake it.",
    );
    expect(screen.queryByText(/ETIMEDOUT/)).toBeNull();
    await user.click(screen.getByRole("button", { name: "Details", expanded: false }));
    expect(screen.getByText(/ETIMEDOUT/)).toBeDefined();
    await expectAccessible();
    await user.click(screen.getByRole("button", { name: "Copy" }));
    expect(copied).toEqual([
      "UNAVAILABLE: worker/0 does not answer.\nlaptop is asleep\nwake it\nconnect ETIMEDOUT",
    ]);
    await user.click(screen.getByRole("button", { name: "Hide details", expanded: true }));
    expect(screen.queryByText(/ETIMEDOUT/)).toBeNull();
  });

  it("leaves the names of programs as they are written", () => {
    const reason = "tensorflow.python.framework.errors_impl.NotFoundError: no such file";
    show(
      <ProblemView
        problem={{ code: "ABORTED", message: "worker/0 failed.", reason, remedy: "see the log" }}
      />,
    );
    expect(screen.getByRole("alert").textContent).toContain(`worker/0 failed. ${reason}. See the log.`);
  });
});
