// @vitest-environment happy-dom
import { act, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { defineCommands, type TargetKind, when } from "../../../renderer/commands/command.js";
import { allCommands } from "../../../renderer/commands/registry.js";
import { recordReads } from "../../../renderer/commands/state-changes.js";
import { noTarget } from "../../../renderer/commands/target-kinds.js";
import { CommandButton } from "../../../renderer/parts/command-button.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { receiveCluster, useCluster } from "../../../renderer/stores/cluster-store.js";
import { activateSession, activeSession, openSession } from "../../../renderer/stores/document-session.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useExamples } from "../../../renderer/stores/example-store.js";
import { useRun } from "../../../renderer/stores/run-store.js";
import { receiveSettings, useSettings } from "../../../renderer/stores/settings-store.js";
import { uiActions, useUi } from "../../../renderer/stores/ui-store.js";
import { useCanvas } from "../../../renderer/viewport/view-store.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { connect, show } from "../support/components.js";

let asked = 0;
const { select } = defineCommands(noTarget, {
  select: {
    id: "test.select",
    group: "Run",
    label: "Act",
    short: () => `Act on ${useDocument.getState().selection.size}`,
    isEnabled: () => {
      asked++;
      return when(useUi.getState().dockOpen, "The dock is closed.");
    },
    run: () => undefined,
  },
});

const loadNodes = (...names: string[]) => {
  const graphDef = { node: names.map((name) => ({ name, op: "NoOp" })) };
  const metaGraph = MetaGraphDef.encode(MetaGraphDef.fromPartial({ graphDef })).finish();
  documentActions.load({ name: names.join(), kind: "meta_graph", format: "text", metaGraph });
};

beforeEach(() => {
  connect();
  loadNodes("a", "b");
  asked = 0;
});

describe("a button of a command", () => {
  it("asks the command again only after what it has read changed", () => {
    show(<CommandButton command={select} />);
    const first = asked;
    expect(first).toBeGreaterThan(0);
    act(() => {
      useCanvas.setState({ selectedEdges: new Set(["e"]) });
      receiveCluster(clusterOf([machineOf("laptop")]));
      documentActions.moveNodes(new Map([["a", { x: 8, y: 8 }]]));
      useUi.setState({ dockHeight: 7 });
    });
    expect(asked).toBe(first);
    act(() => documentActions.select(["a"]));
    expect(asked).toBeGreaterThan(first);
    expect(screen.getByRole("button", { name: "Act on 1" })).toBeDefined();
  });

  it("follows what it reads only since the last change", () => {
    const { follow } = defineCommands(noTarget, {
      follow: {
        id: "test.follow",
        group: "Run",
        label: "Follow",
        short: () => (useUi.getState().dockOpen ? `${useUi.getState().dockHeight} high` : "Closed"),
        run: () => undefined,
      },
    });
    act(() => useUi.setState({ dockOpen: false }));
    show(<CommandButton command={follow} />);
    expect(screen.getByRole("button").textContent).toBe("Closed");
    act(() => uiActions.toggleDock());
    act(() => useUi.setState({ dockHeight: 12 }));
    expect(screen.getByRole("button").textContent).toBe("12 high");
  });

  it("acts on another target, and in another document, as soon as that is shown", () => {
    const named: TargetKind<string> = {
      name: "name",
      current: () => ({ reason: "None." }),
      nameOf: (name) => name,
    };
    const { greet } = defineCommands(named, {
      greet: {
        id: "test.greet",
        group: "Run",
        label: "Greet",
        named: (name) => `Greet ${name}`,
        run: () => undefined,
      },
    });
    const both = (name: string) => (
      <>
        <CommandButton command={greet} target={name} text="named" />
        <CommandButton command={select} />
      </>
    );
    const { change } = show(both("ann"));
    change(both("bob"));
    expect(screen.getByRole("button", { name: "Greet bob" })).toBeDefined();
    act(() => documentActions.select(["a", "b"]));
    expect(screen.getByRole("button", { name: "Act on 2" })).toBeDefined();
    const session = activeSession();
    act(() => void openSession());
    expect(screen.getByRole("button", { name: "Act on 0" })).toBeDefined();
    act(() => activateSession(session));
    expect(screen.getByRole("button", { name: "Act on 2" })).toBeDefined();
  });
});

describe("what commands have read", () => {
  /** Changes of every store that commands read. */
  const CHANGES: readonly (() => void)[] = [
    () => useApp.setState({ connection: "lost" }),
    () => useApp.setState({ connection: "connected" }),
    () => receiveCluster(clusterOf([machineOf("laptop", { tasks: [taskOf("worker/0")] })])),
    () => receiveCluster(clusterOf([machineOf("laptop")], { access: "open", membership: "fixed" })),
    () => documentActions.select(["a"]),
    () => documentActions.pin(["a"], "/job:worker/task:0"),
    () => documentActions.undo(),
    () => documentActions.deleteNodes(["a", "b"]),
    () => documentActions.select([]),
    () => useCanvas.setState({ listOpen: true, minimapOpen: true, selectedEdges: new Set(["e"]) }),
    () => uiActions.toggleDock(),
    () => uiActions.toggleSide(),
    () => uiActions.setTrace(true),
    () => useUi.setState({ dockHeight: 3 }),
    () => receiveSettings({ ...useSettings.getState().settings, visible: false, theme: "light" }),
    () => useExamples.setState({ examples: [{ id: "e", title: "Example", description: "One." }] }),
    () =>
      useRun.setState({
        newest: {
          ...{ runId: "r", state: "running", step: 1, steps: 2, trace: false, elapsedMillis: 1 },
          ...{ currentMillis: 1, fetches: [], nodes: [], transfers: [] },
        },
      }),
    () => useRun.setState({ stopRequested: "r" }),
    () => loadNodes("c"),
    () => void openSession(),
  ];

  it("tells every change of a command that would be seen", () => {
    const look = (index: number) => {
      const { run, ...shown } = allCommands[index]?.now() ?? {};
      return JSON.stringify(shown);
    };
    const known = allCommands.map((_, index) => recordReads(() => look(index)));
    const changed = new Set<string>();
    for (const [step, change] of CHANGES.entries()) {
      change();
      for (const [index, { answer, isOutdated }] of known.entries()) {
        const fresh = look(index);
        if (isOutdated()) known[index] = recordReads(() => look(index));
        else expect(fresh, `${allCommands[index]?.id} after change ${step}`).toBe(answer);
        if (fresh !== answer) changed.add(allCommands[index]?.id ?? "");
      }
    }
    expect(changed.size).toBeGreaterThan(30);
    expect(useCluster.getState().state?.access).toBe("open");
  });
});
