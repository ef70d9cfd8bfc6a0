// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { type ReactElement, useState } from "react";
import { beforeEach, describe, expect, it } from "vitest";
import type { GpuChoice } from "../../../main/api/cluster.js";
import type { Gpu } from "../../../main/api/machines.js";
import { GpuField } from "../../../renderer/cluster-panel/gpu-field.js";
import { receiveSamples } from "../../../renderer/stores/samples-store.js";
import { expectAccessible, show } from "../support/components.js";

const GIBIBYTE = 2 ** 30;
const gpus: readonly Gpu[] = [
  { index: 0, name: "NVIDIA T4", memoryBytes: 16 * GIBIBYTE },
  { index: 1, name: "NVIDIA T4", memoryBytes: 16 * GIBIBYTE },
];

let chosen: GpuChoice;
beforeEach(() => {
  chosen = "auto";
});

/** The field of a form that keeps the choice. */
function Form({ byNumber = true, error }: { byNumber?: boolean; error?: string }): ReactElement {
  const [choice, setChoice] = useState<GpuChoice>("auto");
  chosen = choice;
  return (
    <GpuField
      gpus={gpus}
      machineId="here"
      job="worker"
      choice={choice}
      error={error}
      byNumber={byNumber}
      onChange={setChoice}
    />
  );
}

/** The GPUs' used memory, as the machine's agent reports it. */
function report(...used: readonly number[]): void {
  receiveSamples({
    machines: {
      here: {
        at: 1,
        cpuPercent: 0,
        memoryUsedBytes: 0,
        receivedBytesPerSecond: 0,
        sentBytesPerSecond: 0,
        gpus: used.map((usedBytes, index) => ({ index, usedBytes, processes: [] })),
      },
    },
    tasks: {},
  });
}

const select = () => screen.getByRole<HTMLSelectElement>("combobox", { name: "GPU" });

describe("the field for a task's GPUs", () => {
  it("offers an automatic choice, none, and single GPUs with their memory", async () => {
    report(GIBIBYTE, 4 * GIBIBYTE);
    const { user } = show(<Form />);
    expect([...select().options].map(({ text }) => text)).toEqual([
      "Automatic: one that is free",
      "None",
      "Choose…",
    ]);
    expect(screen.queryByRole("group")).toBeNull();
    await user.selectOptions(select(), "None");
    expect(chosen).toBe("none");
    await user.selectOptions(select(), "Choose…");
    expect(screen.getByRole("checkbox", { name: "0: T4 1.1/17 GB" })).toBeTruthy();
    await expectAccessible();
  });

  it("begins with the GPU that has the least memory in use, and is changed by keys", async () => {
    report(4 * GIBIBYTE, GIBIBYTE);
    const { user } = show(<Form />);
    await user.selectOptions(select(), "Choose…");
    expect(chosen).toEqual([1]);
    screen.getByRole("checkbox", { name: /^0:/ }).focus();
    await user.keyboard("[Space]");
    expect(chosen).toEqual([0, 1]);
    await user.tab();
    await user.keyboard("[Space]");
    expect(chosen).toEqual([0]);
  });

  it("offers no single GPU for an engine that finds the best by itself", () => {
    show(<Form byNumber={false} />);
    expect([...select().options].map(({ text }) => text)).not.toContain("Choose…");
  });

  it("says what is wrong with the choice", async () => {
    const { user } = show(<Form error="Choose at least one." />);
    await user.selectOptions(select(), "Choose…");
    expect(screen.getByRole("alert").textContent).toBe("Choose at least one.");
    expect(screen.getByRole("group", { name: "GPUs of the tasks" }).getAttribute("aria-invalid")).toBe(
      "true",
    );
    await expectAccessible();
  });
});
