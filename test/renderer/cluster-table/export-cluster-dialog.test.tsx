// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import ExportClusterDialog from "../../../renderer/cluster-table/export-cluster-dialog.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { importCluster } from "../../../worker-runtime/cluster/orchestrators/import-cluster.js";
import { welcome } from "../document/graphs.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { connect, copied, expectAccessible, show } from "../support/components.js";
import { openDocument } from "../support/documents.js";

const preview = () => screen.getByRole("region", { name: "Preview" });
const button = (name: string | RegExp) => screen.getByRole("button", { name });
const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);

function showExport() {
  receiveCluster(
    clusterOf([
      machineOf("laptop", {
        addresses: ["10.0.0.1"],
        tasks: [taskOf("worker/0", { address: "localhost:2222" })],
      }),
      machineOf("desktop", {
        kind: "paired",
        addresses: ["10.0.0.2"],
        tasks: [taskOf("ps/0", { address: "localhost:2223" })],
      }),
    ]),
  );
  return show(<ExportClusterDialog onClose={() => undefined} />);
}

beforeEach(() => {
  connect();
  openDocument(welcome());
});
afterEach(() => void vi.restoreAllMocks());

describe("the cluster for another system", () => {
  it("names the image that is written when none is given", async () => {
    const { user } = showExport();
    await user.selectOptions(field("System"), "Kubernetes");
    await user.selectOptions(field("Each task runs"), "Tensordeck's worker");
    expect(field("Container image").placeholder).toBe("not set");
    await user.selectOptions(field("Each task runs"), "TensorFlow's server");
    const image = field("Container image").placeholder;
    expect(image).toMatch(/^tensorflow\/tensorflow:/);
    expect(preview().textContent).toContain(`image: ${image}\n`);
  });

  it("is shown in colours, copied and saved as it is shown", async () => {
    const saved: Blob[] = [];
    const names: string[] = [];
    vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => {
      saved.push(blob as Blob);
      return "blob:";
    });
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
      names.push(this.download);
    });
    const { user } = showExport();
    await user.selectOptions(field("System"), "Kubernetes");
    const key = [...preview().querySelectorAll("span")].find(({ textContent }) => textContent === "kind:");
    expect(key?.className).toMatch(/key/);
    await expectAccessible();
    await user.click(button(/^Copy/));
    const [text = ""] = copied;
    expect(preview().textContent).toBe(text);
    expect(importCluster(text).cluster.asDict()).toEqual({
      ps: ["tensordeck-ps-0.tensordeck-ps:2222"],
      worker: ["tensordeck-worker-0.tensordeck-worker:2222"],
    });
    await user.click(button("Save tensordeck.kubernetes.yaml"));
    expect(names).toEqual(["tensordeck.kubernetes.yaml"]);
    expect(await saved[0]?.text()).toBe(text);
  });

  it("asks for the options of the system, and says what is wrong with one at its field", async () => {
    const { user } = showExport();
    await user.selectOptions(field("System"), "Kubernetes");
    await user.type(field("Name"), "Lab");
    expect(field("Name").getAttribute("aria-invalid")).toBe("true");
    expect(screen.getByRole("alert").textContent).toMatch(/^Name must be at most 40 lower-case letters/);
    expect(screen.queryByRole("region", { name: "Preview" })).toBeNull();
    expect(button("Save")).toHaveProperty("disabled", true);
    await user.clear(field("Name"));
    await user.type(field("Name"), "lab");
    await user.type(field("Memory"), "4Gi");
    expect(preview().textContent).toMatch(/memory: 4096Mi/);
    await user.selectOptions(field("Each task runs"), "Tensordeck's worker");
    expect(screen.getByRole("alert").textContent).toMatch(/^Container image must name an image/);
    await user.type(field("Container image"), "lab/tensordeck:1");
    expect(preview().textContent).toMatch(/image: lab\/tensordeck:1/);
    // Slurm has no images; what it takes as well is kept.
    await user.selectOptions(field("System"), "Slurm");
    expect(screen.queryByLabelText("Container image")).toBeNull();
    expect(field("Memory").value).toBe("4Gi");
    expect(button("Save lab.sbatch")).toHaveProperty("disabled", false);
  });

  it("has the addresses of machines where the cluster's own are those of tunnels", async () => {
    const { user } = showExport();
    await user.selectOptions(field("System"), "Shell script");
    expect(importCluster(preview().textContent ?? "").cluster.asDict()).toEqual({
      ps: ["10.0.0.2:2223"],
      worker: ["10.0.0.1:2222"],
    });
  });

  it("says what is missing where there is no task", async () => {
    receiveCluster(clusterOf([machineOf("laptop")]));
    show(<ExportClusterDialog onClose={() => undefined} />);
    expect(screen.getByText(/^The cluster has no task\./)).toBeDefined();
    expect(button("Save")).toHaveProperty("disabled", true);
    await expectAccessible();
  });
});
