// @vitest-environment happy-dom
import { act, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { RunGroup } from "../../../renderer/app/run-group.js";
import RunTab from "../../../renderer/dock/run-tab.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { welcome } from "../document/graphs.js";
import { connect, expectAccessible, show } from "../support/components.js";
import { openDocument } from "../support/documents.js";

const document = () => useDocument.getState().document;
const column = () => within(screen.getByRole("region", { name: "Run configurations" }));
const chosen = () => column().getByRole<HTMLInputElement>("radio", { checked: true });

beforeEach(() => {
  connect();
  openDocument(welcome());
});

describe("run configurations", () => {
  it("are made, named, chosen and deleted, and a deleted one comes back with undo", async () => {
    const { user } = show(<RunTab />);
    await user.click(column().getByRole("button", { name: "New" }));
    const name = () => column().getByRole<HTMLInputElement>("textbox", { name: "Name" });
    expect(name().value).toBe("New run");
    await user.clear(name());
    await user.type(name(), "Main{Enter}");
    expect(screen.getByRole("alert").textContent).toBe("Another run configuration is named Main.");
    await user.clear(name());
    await user.type(name(), "evaluate{Enter}");
    expect(chosen().labels?.[0]?.textContent).toBe("evaluate");
    await expectAccessible();
    await user.click(column().getByRole("radio", { name: "Main" }));
    expect(document().runConfig.name).toBe("Main");
    await user.click(column().getByRole("button", { name: "Menu of evaluate" }));
    await user.click(screen.getByRole("menuitem", { name: /^Make the default/ }));
    expect(document().defaultRun).toBe("evaluate");
    await user.click(column().getByRole("button", { name: "Menu of evaluate" }));
    await user.click(screen.getByRole("menuitem", { name: /^Delete/ }));
    expect(column().getAllByRole("radio")).toHaveLength(1);
    act(() => documentActions.undo());
    expect(document().otherRuns.map((config) => config.name)).toEqual(["evaluate"]);
  });

  it("say how often checkpoints are saved, how many are kept, and where", async () => {
    const { user } = show(<RunTab />);
    const field = (name: string) => column().getByRole<HTMLInputElement>("textbox", { name });
    await user.type(field("Checkpoint every"), "100{Enter}");
    expect(document().runConfig.checkpoints).toEqual({ every: 100, keep: 5 });
    await user.clear(field("Keep the newest"));
    await user.type(field("Keep the newest"), "3{Enter}");
    await user.type(field("Folder"), "~/saved{Enter}");
    expect(document().runConfig.checkpoints).toEqual({ every: 100, keep: 3, folder: "~/saved" });
    await expectAccessible();
    await user.type(field("Or every so many minutes"), "2.5{Enter}");
    await user.clear(field("Checkpoint every"));
    await user.type(field("Checkpoint every"), "{Enter}");
    expect(document().runConfig.checkpoints).toEqual({ minutes: 2.5, keep: 3, folder: "~/saved" });
    await user.clear(field("Or every so many minutes"));
    await user.type(field("Or every so many minutes"), "{Enter}");
    expect(document().runConfig.checkpoints).toBeUndefined();
  });

  it("have a number of steps, traced steps and conditions that end them", async () => {
    const { user } = show(<RunTab />);
    const steps = column().getByRole("textbox", { name: "Steps" });
    await user.type(steps, "none{Enter}");
    expect(screen.getByRole("alert").textContent).toBe("Write a whole number from 1 to 1,000,000.");
    await user.clear(steps);
    await user.type(steps, "5,000{Enter}");
    await user.type(column().getByRole("textbox", { name: "Trace every" }), "100{Enter}");
    expect(document().runConfig).toMatchObject({ steps: 5000, trace: true, traceEvery: 100 });
    await user.click(column().getByRole("button", { name: "Add condition" }));
    expect(document().runConfig.stops).toEqual([{ kind: "not-finite", tensor: "z:0" }]);
    await user.selectOptions(column().getByRole("combobox", { name: "Condition 1" }), "falls below");
    const limit = column().getByRole("textbox", { name: "Limit of condition 1" });
    await user.clear(limit);
    await user.type(limit, "0.01{Enter}");
    expect(document().runConfig.stops).toEqual([{ kind: "below", tensor: "z:0", value: 0.01 }]);
    await user.selectOptions(column().getByRole("combobox", { name: "Condition 1" }), "does not improve");
    const patience = column().getByRole("textbox", { name: "Values without improvement in condition 1" });
    await user.clear(patience);
    await user.type(patience, "20{Enter}");
    const delta = column().getByRole("textbox", { name: "Least improvement in condition 1" });
    await user.clear(delta);
    await user.type(delta, "0.001{Enter}");
    expect(document().runConfig.stops).toEqual([
      { kind: "no-improvement", tensor: "z:0", mode: "min", patience: 20, minDelta: 0.001 },
    ]);
    await expectAccessible();
    await user.click(column().getByRole("button", { name: "Remove condition 1" }));
    expect(document().runConfig.stops).toEqual([]);
  });

  it("are chosen beside Run where there are several, with their number of steps", async () => {
    documentActions.addRunConfig();
    documentActions.setSteps(250);
    const { user } = show(<RunGroup />);
    expect(screen.getByRole("button", { name: /250 steps/ })).toBeDefined();
    await user.click(screen.getByRole("button", { name: "Run configuration: New run" }));
    await expectAccessible();
    await user.click(screen.getByRole("menuitemcheckbox", { name: "Main" }));
    expect(document().runConfig.name).toBe("Main");
    expect(screen.getByRole("button", { name: /1,?000 steps/ })).toBeDefined();
  });
});
