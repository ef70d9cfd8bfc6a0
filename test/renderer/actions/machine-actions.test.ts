import { beforeEach, describe, expect, it } from "vitest";
import type { ApplicationClient } from "../../../main/api/contract.js";
import type { Hosted } from "../../../main/api/machines.js";
import { forgetMachine, setRole, tellLostRoles } from "../../../renderer/actions/machine-actions.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { useUi } from "../../../renderer/stores/ui-store.js";
import { setClient } from "../../../renderer/transport/client.js";
import { machineOf } from "../support/cluster-states.js";

const sent: { method: string; params: unknown }[] = [];
let hosted: Hosted;

setClient({
  call: async (method: string, params: unknown) => {
    if (method === "machines.hosted") return hosted;
    sent.push({ method, params });
    return undefined;
  },
  on: () => () => undefined,
  onConnection: () => () => undefined,
} as unknown as ApplicationClient);

beforeEach(() => {
  sent.length = 0;
  hosted = { tasks: [], scripts: [] };
  useUi.setState({ dialog: undefined });
  useApp.setState({ notices: [] });
});

/** The question that is asked next. */
function asked(): Promise<{ readonly text: string; resolve(choice: string | undefined): void }> {
  return new Promise((resolve) => {
    const look = () => {
      const { dialog } = useUi.getState();
      if (dialog?.kind !== "confirm") return;
      unsubscribe();
      resolve(dialog);
    };
    const unsubscribe = useUi.subscribe(look);
    look();
  });
}

const laptop = machineOf("laptop", { kind: "paired" });

describe("the role of another machine", () => {
  it("is lowered without a question where that ends nothing", async () => {
    await setRole(laptop, "view");
    expect(sent).toEqual([{ method: "machines.setRole", params: { machineId: laptop.id, role: "view" } }]);
  });

  it("is lowered only after a question where what it runs here would end", async () => {
    hosted = { tasks: ["worker/1"], scripts: ["train.py"] };
    const refused = setRole(laptop, "view");
    const question = await asked();
    expect(question.text).toContain("worker/1 and train.py, which laptop runs here, end at once");
    question.resolve(undefined);
    await refused;
    expect(sent).toEqual([]);

    useUi.setState({ dialog: undefined });
    const lowered = setRole(laptop, "view");
    (await asked()).resolve("lower");
    await lowered;
    expect(sent).toMatchObject([{ params: { role: "view" } }]);
  });

  it("that lets it go on is set at once", async () => {
    hosted = { tasks: ["worker/1"], scripts: [] };
    await setRole(laptop, "run");
    expect(sent).toMatchObject([{ params: { role: "run" } }]);
  });
});

it("a machine is unpaired after a question that names what it runs here", async () => {
  hosted = { tasks: ["worker/1"], scripts: [] };
  const forgotten = forgetMachine(laptop);
  const question = await asked();
  expect(question.text).toContain("worker/1, which laptop runs here, ends at once.");
  question.resolve("unpair");
  await forgotten;
  expect(sent).toMatchObject([{ method: "machines.forget" }]);
});

it("a machine that no longer lets this one run anything is told of, until it does again", () => {
  const pc = (role: "view" | "run") => machineOf("gpu-pc", { kind: "paired", role });
  const messages = () => useApp.getState().notices.map(({ problem }) => problem.message);
  tellLostRoles([], [pc("view")]);
  tellLostRoles([pc("view")], [pc("view")]);
  expect(messages()).toEqual([]);
  tellLostRoles([pc("run")], [pc("view")]);
  expect(messages()).toEqual(["gpu-pc now lets this machine only view."]);
  tellLostRoles([pc("view")], [pc("run")]);
  expect(messages()).toEqual([]);
});
