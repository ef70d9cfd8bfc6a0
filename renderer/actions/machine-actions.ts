/** Actions on a machine as a whole, with the question that precedes them. */
import type { Machine } from "../../main/api/cluster.js";
import type { Role } from "../../main/api/machines.js";
import { dismissNoticeByKey, showNotice, useApp } from "../stores/app-store.js";
import { confirm } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { listText } from "../ui/format.js";
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

async function mayUnpair({ id, name, tasks }: Machine): Promise<boolean> {
  const ours = tasks.filter(({ state }) => state !== "stopped" && state !== "failed").length;
  const theirs = await hostedFor(id);
  const text =
    ours > 0
      ? words.unpair.textWithTasks({ machine: name, count: ours })
      : words.unpair.text({ machine: name });
  const choice = await confirm({
    title: words.unpair.title({ machine: name }),
    text: theirs.length > 0 ? `${text} ${words.unpair.theirs(endsOf(name, theirs))}` : text,
    choices: [{ id: "unpair", label: words.unpair.unpair, style: "danger" }],
  });
  return choice === "unpair";
}

/** The names of the tasks and scripts that a paired machine runs here. */
async function hostedFor(machineId: string): Promise<string[]> {
  const { tasks, scripts } = await client().call("machines.hosted", { machineId });
  return [...tasks, ...scripts];
}

const endsOf = (machine: string, hosted: readonly string[]) => ({
  machine,
  hosted: listText(hosted),
  count: hosted.length,
});

/**
 * Sets what a paired machine may do here, after a question if that ends what it runs here. Rejects with a ProblemError.
 */
export async function setRole({ id, name }: Machine, role: Role): Promise<void> {
  if (role === "view" && !(await mayEnd(name, await hostedFor(id)))) return;
  await client().call("machines.setRole", { machineId: id, role });
}

async function mayEnd(machine: string, hosted: readonly string[]): Promise<boolean> {
  if (hosted.length === 0) return true;
  const choice = await confirm({
    title: words.viewOnly.title({ machine }),
    text: words.viewOnly.text(endsOf(machine, hosted)),
    choices: [{ id: "lower", label: words.viewOnly.lower, style: "danger" }],
  });
  return choice === "lower";
}

/**
 * Tells of machines that no longer let this one run anything: what it had there has ended. Called with the machines
 * before and after each change of the cluster.
 */
export function tellLostRoles(before: readonly Machine[], after: readonly Machine[]): void {
  for (const { id, name, role } of after) {
    const known = before.find((machine) => machine.id === id)?.role;
    const key = `role ${id}`;
    if (role !== "view") dismissNoticeByKey(key);
    else if (known !== undefined && known !== "view") {
      const problem = { code: "PERMISSION_DENIED", message: words.lostRole.message({ machine: name }) };
      showNotice({
        kind: "info",
        key,
        problem: { ...problem, remedy: words.lostRole.remedy({ machine: name }) },
      });
    }
  }
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
