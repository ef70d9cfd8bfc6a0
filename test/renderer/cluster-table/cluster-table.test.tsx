// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { ClusterState } from "../../../main/api/cluster.js";
import type { Gpu } from "../../../main/api/machines.js";
import { ClusterTableDialog } from "../../../renderer/cluster-table/cluster-table-dialog.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { useDocument } from "../../../renderer/stores/document-store.js";
import { useUi } from "../../../renderer/stores/ui-store.js";
import { welcome } from "../document/graphs.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { calls, connect, copied, expectAccessible, show } from "../support/components.js";
import { openDocument } from "../support/documents.js";

const GPU: Gpu = { index: 0, name: "RTX 4070", memoryBytes: 12e9 };

const cell = (name: string) => screen.getByLabelText<HTMLInputElement>(name);
const button = (name: string | RegExp) => screen.getByRole("button", { name });
const applied = () => calls.filter(({ method }) => method === "cluster.applyTable");

function twoTasks(more: Partial<ClusterState> = {}): ClusterState {
  return clusterOf(
    [
      machineOf("laptop", { tasks: [taskOf("worker/0", { address: "10.0.0.1:2222" })] }),
      machineOf("desktop", {
        kind: "paired",
        role: "run",
        gpus: [GPU],
        addresses: ["10.0.0.2"],
        tasks: [taskOf("ps/0", { address: "10.0.0.2:2223" })],
      }),
    ],
    more,
  );
}

function showTable(state = twoTasks()) {
  receiveCluster(state);
  return show(<ClusterTableDialog />);
}

beforeEach(() => {
  connect();
  openDocument(welcome());
});

describe("the cluster table", () => {
  it("shows each task with what it runs on, and that applying would change nothing", async () => {
    showTable();
    expect(screen.getByText("2 tasks on 2 machines")).toBeDefined();
    expect(cell("Machine of ps/0").value).toBe("desktop");
    expect(cell("Address of worker/0").value).toBe("10.0.0.1:2222");
    expect(screen.getAllByText("running")).toHaveLength(2);
    expect(screen.getByText(/^Applying also keeps the table/)).toBeDefined();
    await expectAccessible();
  });

  it("says what a change does to the tasks, and applies and keeps the table as a whole", async () => {
    const { user } = showTable();
    await user.click(button("Add row"));
    await user.click(button("Remove worker/0"));
    await user.selectOptions(cell("GPU of ps/0"), "RTX 4070");
    expect(
      screen.getByText(/^ps\/1 starts; ps\/0 restarts and loses its variables; worker\/0 stops\./),
    ).toBeDefined();
    await user.click(button("Apply"));
    expect(applied()).toEqual([
      {
        method: "cluster.applyTable",
        params: {
          rows: [
            expect.objectContaining({ taskId: "ps/0", job: "ps", index: 0, machineId: "desktop", gpu: [0] }),
            expect.objectContaining({ job: "ps", index: 1, machineId: "desktop", gpu: "auto" }),
          ],
        },
      },
    ]);
    expect(useDocument.getState().document.cluster.map(({ job, index }) => `${job}/${index}`)).toEqual([
      "ps/0",
      "ps/1",
    ]);
  });

  it("describes a faulty cell where it is, does not apply it, and offers the fix", async () => {
    const { user } = showTable();
    await user.click(button("Add row"));
    await user.clear(cell("Index of ps/1"));
    const faulty = [...document.querySelectorAll("[aria-invalid=true]")];
    expect(faulty).toHaveLength(1);
    const message = document.getElementById(faulty[0]?.getAttribute("aria-describedby") ?? "");
    expect(message?.textContent).toMatch("There is already a ps/0.");
    expect(button("Apply")).toHaveProperty("disabled", true);
    await expectAccessible();
    await user.click(button("Use ps/1"));
    expect(screen.queryByRole("alert")).toBeNull();
    expect(button("Apply")).toHaveProperty("disabled", false);
  });

  it("closes without a change", async () => {
    useUi.setState({ dialog: { kind: "cluster-table" } });
    const { user } = showTable();
    await user.click(button("Remove ps/0"));
    await user.click(button("Cancel"));
    expect(useUi.getState().dialog).toBeUndefined();
    expect(applied()).toEqual([]);
  });

  it("says what to do where the cluster has no task", async () => {
    const { user } = showTable(clusterOf([machineOf("laptop")]));
    expect(screen.getByText(/^The cluster has no task\./)).toBeDefined();
    await user.click(button("Add row"));
    expect(cell("Job of worker/0").value).toBe("worker");
    expect(screen.getByText("new")).toBeDefined();
    await expectAccessible();
  });

  it("is shown as the ClusterSpec that TensorFlow gets, to be copied", async () => {
    const { user } = showTable();
    await user.click(button("Add row"));
    await user.click(screen.getByRole("radio", { name: "ClusterSpec text" }));
    expect(screen.getByText("Left out, because it has no valid address yet: ps/1.")).toBeDefined();
    await expectAccessible();
    await user.click(button(/^Copy/));
    expect(copied.map((text) => JSON.parse(text))).toEqual([
      { ps: ["10.0.0.2:2223"], worker: ["10.0.0.1:2222"] },
    ]);
  });
});

describe("an imported cluster", () => {
  it("says what it would change before it is taken over", async () => {
    const { user } = showTable();
    await user.click(button("Import…"));
    expect(button("Apply")).toHaveProperty("disabled", true);
    await user.click(await screen.findByRole("textbox"));
    await user.paste('{"worker": ["10.0.0.1:2222", "10.0.0.2:2224"]}');
    expect(screen.getByRole("status").textContent).toBe(
      "A cluster file. Once applied: worker/1 starts; ps/0 stops.",
    );
    await expectAccessible();
    await user.click(button("Take over 2 rows"));
    expect(cell("Machine of worker/1").value).toBe("desktop");
    expect(applied()).toEqual([]);
  });

  it("may be a file that was opened, of another system", async () => {
    receiveCluster(twoTasks());
    const text = 'services: {worker-0: {image: x, command: "--worker_hosts=a:1,b:1"}}';
    const { user } = show(<ClusterTableDialog file={{ name: "docker-compose.yml", text }} />);
    expect((await screen.findByRole("status")).textContent).toMatch(
      /^A Docker Compose file: .* Once applied: worker\/1 starts; /,
    );
    await user.click(button("Take over 2 rows"));
    expect(cell("Address of worker/1").value).toBe("b:1");
  });

  it.each([
    ["{", /JSON/],
    ["{}", /does not name any task/],
    ["workers on 10.0.0.1", /clusterspec|JSON/i],
  ])("that cannot be read is refused with the reason: %s", async (text, reason) => {
    const { user } = showTable();
    await user.click(button("Import…"));
    await user.click(await screen.findByRole("textbox"));
    await user.paste(text);
    expect(screen.getByRole("alert").textContent).toMatch(reason);
    expect(button(/^Take over/)).toHaveProperty("disabled", true);
    await user.click(button("Back"));
    expect(cell("Job of ps/0").value).toBe("ps");
  });
});

describe("an exported cluster", () => {
  it("is a file that other tools read, and names the tasks that it lacks", async () => {
    const saved: Blob[] = [];
    vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => {
      saved.push(blob as Blob);
      return "blob:";
    });
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => undefined);
    const { user } = showTable();
    await user.click(button("Add row"));
    await user.click(button("Export"));
    await expectAccessible();
    await user.click(screen.getByRole("menuitem", { name: /^clusterspec\.json/ }));
    expect(JSON.parse((await saved[0]?.text()) ?? "")).toEqual({
      ps: ["10.0.0.2:2223"],
      worker: ["10.0.0.1:2222"],
    });
    expect(useApp.getState().notices[0]?.problem.message).toMatch(/ps\/1/);
    vi.restoreAllMocks();
  });

  it("opens the exports for other systems with the rows as they are edited", async () => {
    const { user } = showTable();
    await user.click(button("Remove ps/0"));
    await user.click(button("Export"));
    await user.click(screen.getByRole("menuitem", { name: /^For another system/ }));
    const preview = await screen.findByRole("region", { name: "Preview" });
    expect(preview.textContent).toMatch(/worker-0/);
    expect(preview.textContent).not.toMatch(/ps-0/);
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("region", { name: "Preview" })).toBeNull());
    expect(cell("Job of worker/0").value).toBe("worker");
  });
});
