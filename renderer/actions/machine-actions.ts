/** Actions on a machine as a whole, with the question that precedes them. */
import type { Machine } from "../../main/api/cluster.js";
import type { Role } from "../../main/api/machines.js";
import { dismissNoticeByKey, showNotice, useApp } from "../stores/app-store.js";
import { confirm } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { copyText } from "./copy-text.js";

const words = texts.actions.machineActions;

/** Adds a machine by "host", "host:port" or device ID. Rejects with a ProblemError when nothing answers there. */
export async function addMachine(address: string): Promise<void> {
  await client().call("machines.add", { address });
}

/** Searches the network for machines again. Rejects with a ProblemError. */
export async function searchMachines(): Promise<void> {
  await client().call("machines.search");
}

/** Unpairs a machine, or removes one that was added, after a question if that ends something. */
export async function forgetMachine(machine: Machine): Promise<void> {
  if (machine.kind === "paired" && !(await mayUnpair(machine))) return;
  await client().call("machines.forget", { machineId: machine.id });
}

async function mayUnpair({ name, tasks }: Machine): Promise<boolean> {
  const ours = tasks.filter(({ state }) => state !== "stopped" && state !== "failed").length;
  const choice = await confirm({
    title: words.unpair.title({ machine: name }),
    text:
      ours > 0
        ? words.unpair.textWithTasks({ machine: name, count: ours })
        : words.unpair.text({ machine: name }),
    choices: [{ id: "unpair", label: words.unpair.unpair, style: "danger" }],
  });
  return choice === "unpair";
}

/** Sets what a paired machine may do here. Rejects with a ProblemError. */
export async function setRole(machineId: string, role: Role): Promise<void> {
  await client().call("machines.setRole", { machineId, role });
}

/**
 * Opens the window of a paired machine that has no screen of its own: in another tab, or, from a desktop window, in the
 * system's browser. Rejects with a ProblemError.
 */
export async function openMachineWindow({ id, name }: Machine): Promise<void> {
  const key = `window ${id}`;
  const desktop = useApp.getState().info?.host === "electron";
  // Opened at once, while it still counts as a user gesture; its address is set when known.
  const opened = desktop ? null : window.open("about:blank", "_blank");
  showNotice({ kind: "info", key, problem: { code: "OK", message: words.asking({ machine: name }) } });
  try {
    const url = await client().call("machines.openWindow", { machineId: id });
    if (opened) opened.location.href = url;
    else {
      window.open(url, "_blank");
      showWindowAddress(name, url);
    }
  } catch (error) {
    opened?.close();
    throw error;
  } finally {
    dismissNoticeByKey(key);
  }
}

/** A browser that blocked the tab, or a desktop that has none: the address can be copied. */
function showWindowAddress(name: string, url: string): void {
  showNotice({
    kind: "info",
    key: "window address",
    problem: {
      code: "OK",
      message: words.windowOpens.message({ machine: name, address: new URL(url).origin }),
      remedy: words.windowOpens.remedy,
    },
    action: { label: words.windowOpens.copy, run: () => copyText(url) },
  });
}

/** Gives this machine a new identity at its next start, after a question. Rejects with a ProblemError. */
export async function newIdentity(): Promise<void> {
  const choice = await confirm({
    title: words.newIdentity.title,
    text: words.newIdentity.text,
    choices: [{ id: "renew", label: words.newIdentity.make, style: "danger" }],
  });
  if (choice !== "renew") return;
  await client().call("machines.newIdentity");
  showNotice({
    kind: "info",
    key: "new identity",
    problem: {
      code: "OK",
      message: words.newIdentity.message,
      remedy: words.newIdentity.remedy,
    },
  });
}
