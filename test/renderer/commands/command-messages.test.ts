/** Messages of commands about their failure and success: their subject, and how long they stay. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Machine } from "../../../main/api/cluster.js";
import { ProblemError } from "../../../main/api/wire.js";
import { defineCommands } from "../../../renderer/commands/command.js";
import {
  documentTarget,
  machineTarget,
  noTarget,
  taskTarget,
} from "../../../renderer/commands/target-kinds.js";
import { showNotice, useApp } from "../../../renderer/stores/app-store.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import {
  activeSession,
  closeSession,
  openSession,
  openSessions,
} from "../../../renderer/stores/document-session.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";

const FAILURE = new ProblemError({ code: "UNAVAILABLE", message: "box does not answer." });
const fails = async () => {
  throw FAILURE;
};
const notices = () => useApp.getState().notices;
const failed = () => vi.waitFor(() => expect(notices().at(-1)?.problem.message).toBe("box does not answer."));

const box = (more: Partial<Machine> = {}) =>
  machineOf("box", { kind: "paired", role: "manage", tasks: [taskOf("worker/0")], ...more });

beforeEach(() => {
  useApp.setState({ connection: "connected", notices: [] });
  receiveCluster(clusterOf([machineOf("here"), box()]));
});

afterEach(() => {
  for (const session of openSessions().slice(1)) closeSession(session);
});

describe("a failure", () => {
  it("of a command on a document is shown with it, until the command succeeds", async () => {
    const run = vi.fn<() => Promise<void>>(fails);
    const { save } = defineCommands(documentTarget, {
      save: { id: "test.save", group: "File", label: "Save", run },
    });
    const mine = activeSession();
    save.now().run();
    openSession();
    await failed();
    expect(notices().map(({ session }) => session)).toEqual([mine]);
    // Another document's.
    run.mockImplementation(async () => undefined);
    save.now().run();
    await run.mock.results.at(-1)?.value;
    expect(notices()).toHaveLength(1);
    closeSession(activeSession());
    save.now().run();
    await vi.waitFor(() => expect(notices()).toEqual([]));
  });

  it("of a command on nothing in particular is shown with every document", async () => {
    const { search } = defineCommands(noTarget, {
      search: { id: "test.search", group: "Cluster", label: "Search", run: fails },
    });
    search.now().run();
    await failed();
    expect(notices()[0]?.session).toBeUndefined();
  });

  it.each([
    ["comes back", [machineOf("here"), box()]],
    ["is unpaired", [machineOf("here")]],
  ])("to reach a machine is over when it %s", async (_, later) => {
    const { restart } = defineCommands(taskTarget, {
      restart: { id: "test.restart", group: "Cluster", label: "Restart", run: fails },
    });
    const { update } = defineCommands(machineTarget, {
      update: { id: "test.update", group: "Cluster", label: "Update", run: fails },
    });
    restart.on(taskOf("worker/0")).run();
    update.on(box()).run();
    await vi.waitFor(() => expect(notices()).toHaveLength(2));
    receiveCluster(clusterOf([machineOf("here"), box({ presence: "offline" })]));
    expect(notices()).toHaveLength(2);
    receiveCluster(clusterOf(later));
    expect(notices()).toEqual([]);
  });
});

it("what a command on a document did is told until the next one begins", () => {
  const { run, look } = defineCommands(documentTarget, {
    run: { id: "test.run", group: "Run", label: "Run", needsApplication: true, run: () => undefined },
    look: { id: "test.look", group: "View", label: "Look", run: () => undefined },
  });
  const told = (message: string, session = activeSession(), action?: { label: string; run(): void }) =>
    showNotice({ kind: "info", session, problem: { code: "OK", message }, ...(action && { action }) });
  const mine = activeSession();
  const other = openSession();
  told("Saved.", mine);
  told("Exporting…", mine, { label: "Cancel", run: () => undefined });
  told("Saved, too.", other);
  const messages = () => notices().map(({ problem }) => problem.message);
  look.now().run();
  expect(messages()).toHaveLength(3);
  run.now().run();
  expect(messages()).toEqual(["Saved.", "Exporting…"]);
  closeSession(other);
  run.now().run();
  expect(messages()).toEqual(["Exporting…"]);
});
