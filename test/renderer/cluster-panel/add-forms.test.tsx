// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { ProblemError } from "../../../main/api/wire.js";
import { AddPopover } from "../../../renderer/cluster-panel/add-popover.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { calls, connect, expectAccessible, show } from "../support/components.js";

const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);
const button = (name: string) => screen.getByRole("button", { name });
const closed = () => waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());

async function open(kind: "Tasks" | "Machine" | "TF server") {
  const { user } = show(<AddPopover />);
  await user.click(button("Add tasks or a machine"));
  await user.click(screen.getByRole("radio", { name: kind }));
  return user;
}

beforeEach(() => {
  connect();
  receiveCluster(
    clusterOf([
      machineOf("laptop", { tasks: [taskOf("worker/0"), taskOf("worker/2")] }),
      machineOf("desktop", {
        kind: "paired",
        role: "run",
        engines: [
          { engine: "tensorflow", version: "2.21.0", gpu: false },
          { engine: "portable", version: "0.1.0", gpu: false },
        ],
      }),
    ]),
  );
});

describe("new tasks", () => {
  it("are by default one more worker on this machine, with the lowest free index", async () => {
    const user = await open("Tasks");
    expect(field("First index").placeholder).toBe("1");
    await expectAccessible();
    await user.click(button("Add and start"));
    expect(calls).toEqual([
      { method: "cluster.addTasks", params: { machineId: "laptop", job: "worker", count: 1 } },
    ]);
    await closed();
  });

  it("have the machine, job, number, index and engine that were chosen", async () => {
    const user = await open("Tasks");
    await user.selectOptions(field("Machine"), "desktop");
    await user.clear(field("Job"));
    await user.type(field("Job"), "ps");
    await user.clear(field("Number of tasks"));
    await user.type(field("Number of tasks"), "3");
    expect(field("First index").placeholder).toBe("0, 1 and 2");
    await user.type(field("First index"), "4");
    await user.selectOptions(field("Engine"), "portable engine");
    await user.keyboard("{Enter}");
    await user.click(button("Add and start"));
    expect(calls.map(({ params }) => params)).toEqual([
      { machineId: "desktop", job: "ps", count: 3, index: 4, engine: "portable" },
    ]);
  });

  it("say why no GPU can be chosen", async () => {
    receiveCluster(
      clusterOf([
        machineOf("laptop"),
        machineOf("desktop", {
          kind: "paired",
          role: "run",
          gpus: [{ index: 0, name: "NVIDIA T4", memoryBytes: 16e9 }],
          engines: [
            { engine: "tensorflow", version: "2.21.0", gpu: true },
            { engine: "portable", version: "0.1.0", gpu: false },
          ],
        }),
      ]),
    );
    const user = await open("Tasks");
    expect(screen.queryByLabelText("GPU")).toBeNull();
    expect(screen.getByText(/^GPU: none was found on laptop/)).toBeDefined();
    await user.selectOptions(field("Machine"), "desktop");
    expect(field("GPU")).toBeDefined();
    expect(screen.queryByText(/^GPU:/)).toBeNull();
    await user.selectOptions(field("Engine"), "portable engine");
    expect(screen.queryByLabelText("GPU")).toBeNull();
    expect(screen.getByText(/^GPU: this engine does not use/)).toBeDefined();
  });

  it("are not asked for while a field is wrong, which is described at the field", async () => {
    const user = await open("Tasks");
    await user.type(field("First index"), "2");
    expect(field("First index").getAttribute("aria-invalid")).toBe("true");
    expect(screen.getByText("worker/2 already exists.")).toBeDefined();
    expect(button("Add and start")).toHaveProperty("disabled", true);
    await expectAccessible();
    await user.clear(field("Job"));
    await user.type(field("Job"), "2nd");
    expect(screen.getByText(/^A job name is a letter/)).toBeDefined();
    expect(calls).toEqual([]);
  });
});

describe("a machine by its address", () => {
  it("is asked for once there is one, and the form closes", async () => {
    const user = await open("Machine");
    expect(button("Add machine")).toHaveProperty("disabled", true);
    await expectAccessible();
    await user.type(field("Address or device ID"), " raspberrypi {Enter}");
    expect(calls.map(({ params }) => params)).toEqual([{ address: "raspberrypi" }]);
    await closed();
  });

  it("that does not answer is a problem in the form, which keeps its text", async () => {
    const problem = { code: "UNAVAILABLE", message: "raspberrypi does not answer.", remedy: "Switch it on." };
    connect({ "machines.add": new ProblemError(problem) });
    const user = await open("Machine");
    await user.type(field("Address or device ID"), "raspberrypi{Enter}");
    expect((await screen.findByRole("alert")).textContent).toContain("raspberrypi does not answer.");
    expect(field("Address or device ID").value).toBe("raspberrypi");
    expect(button("Add machine")).toHaveProperty("disabled", false);
    await expectAccessible();
  });
});

describe("a running TensorFlow server", () => {
  it("needs host:port, about which nothing is said while it is being typed", async () => {
    const user = await open("TF server");
    await user.type(field("Address of the TensorFlow server"), "10.0.0.9");
    expect(screen.queryByText(/^Write host:port/)).toBeNull();
    await user.tab();
    expect(screen.getByText(/^Write host:port/)).toBeDefined();
    await expectAccessible();
    await user.type(field("Address of the TensorFlow server"), ":2222");
    await user.click(button("Add server"));
    expect(calls.map(({ params }) => params)).toEqual([{ address: "10.0.0.9:2222", job: "worker" }]);
    await closed();
  });
});
