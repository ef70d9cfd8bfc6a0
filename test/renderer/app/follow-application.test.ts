import { beforeEach, expect, it } from "vitest";
import type { ClusterState, LogLine } from "../../../main/api/cluster.js";
import type { ApplicationClient } from "../../../main/api/contract.js";
import type { KnownEvent } from "../../../main/api/missed-events.js";
import type { Samples } from "../../../main/api/samples.js";
import { EventHub } from "../../../main/shared/events.js";
import { follow } from "../../../renderer/app/follow-application.js";
import { useCluster } from "../../../renderer/stores/cluster-store.js";
import { useLogs } from "../../../renderer/stores/logs-store.js";
import { useSamples } from "../../../renderer/stores/samples-store.js";
import { setClient } from "../../../renderer/transport/client.js";
import { Emitter } from "../../../renderer/transport/emitter.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";

/** An application with one task, and windows that come and go. */
class MemoryApplication {
  readonly hub = new EventHub();
  readonly #log: LogLine[] = [];

  /** A window's connection to it, which can be cut and made again. */
  connect() {
    const emitter = new Emitter();
    let isUp = false;
    this.hub.listen((event, data, sequence) => {
      if (isUp) emitter.receive({ event, data, sequence });
    });
    const call = async (method: string, params?: unknown): Promise<unknown> => {
      if (!isUp) throw new Error("not connected");
      if (method === "events.missed") return this.hub.missed(params as KnownEvent | undefined);
      if (method !== "cluster.taskLog") return undefined;
      const { afterSequence } = params as { afterSequence: number };
      return this.#log.slice(afterSequence + 1);
    };
    const client: ApplicationClient = {
      call: call as ApplicationClient["call"],
      on: (event, listener) => emitter.on(event, listener),
      onConnection: (listener) => emitter.onConnection(listener),
      catchUp: () => emitter.catchUp((known) => client.call("events.missed", known)),
    };
    const set = (up: boolean) => {
      isUp = up;
      emitter.setConnected(up);
    };
    return { client, set };
  }

  name(name: string): void {
    this.hub.emit("cluster", clusterOf([machineOf(name, { id: "pc", tasks: [taskOf("worker/0")] })]));
  }

  measure(at: number): void {
    this.hub.emit("samples", {
      machines: {},
      tasks: { "worker/0": { at, cpuPercent: at, memoryBytes: at } },
    });
  }

  write(...texts: string[]): void {
    const added = texts.map((text, i): LogLine => {
      return { sequence: this.#log.length + i, at: 0, level: "info", text };
    });
    this.#log.push(...added);
    this.hub.emit("taskLog", { taskId: "worker/0", lines: added });
  }
}

const shown = () => ({
  machine: useCluster.getState().state?.machines[0]?.name,
  samples: useSamples
    .getState()
    .tasks.get("worker/0")
    ?.map(({ at }) => at),
  log: useLogs
    .getState()
    .lines.get("worker/0")
    ?.map(({ text }) => text),
});

beforeEach(() => {
  useCluster.setState({ state: undefined, tasks: [], identities: [] });
  useSamples.setState({ machines: new Map(), tasks: new Map() });
  useLogs.setState({ lines: new Map(), early: new Map() });
});

it("a window whose connection was cut shows the same as one that stayed, and heard nothing twice", async () => {
  const application = new MemoryApplication();
  const stayed: unknown[] = [];
  const came: unknown[] = [];
  const listen = (client: ApplicationClient, heard: unknown[]) => {
    client.on("cluster", ({ machines }: ClusterState) => heard.push(machines[0]?.name));
    client.on("samples", ({ tasks }: Samples) => heard.push(tasks["worker/0"]?.at));
  };
  const other = application.connect();
  listen(other.client, stayed);
  other.set(true);

  const { client, set } = application.connect();
  listen(client, came);
  setClient(client);
  follow(client);
  set(true);
  application.name("a");
  application.measure(1);
  application.write("one");
  await expect.poll(shown).toEqual({ machine: "a", samples: [1], log: ["one"] });

  set(false);
  application.measure(2);
  application.name("b");
  application.write("two", "three");
  application.measure(3);
  application.name("c");
  set(true);
  // These come over the new connection before what was missed.
  application.measure(4);
  application.write("four");
  const all = { machine: "c", samples: [1, 2, 3, 4], log: ["one", "two", "three", "four"] };
  await expect.poll(shown).toEqual(all);
  application.measure(5);
  application.name("d");
  await expect.poll(shown).toEqual({ ...all, machine: "d", samples: [1, 2, 3, 4, 5] });

  expect(stayed).toEqual(["a", 1, 2, "b", 3, "c", 4, 5, "d"]);
  // The last one of the states in between.
  expect(came).toEqual(["a", 1, 2, 3, "c", 4, 5, "d"]);
});

it("a connection that is cut while it catches up loses nothing either", async () => {
  const application = new MemoryApplication();
  const { client, set } = application.connect();
  setClient(client);
  const heard: unknown[] = [];
  client.on("samples", ({ tasks }: Samples) => heard.push(tasks["worker/0"]?.at));
  set(true);
  await client.catchUp();
  set(false);
  application.measure(1);
  set(true);
  const first = client.catchUp();
  application.measure(2);
  set(false);
  await first.catch(() => undefined);
  application.measure(3);
  set(true);
  await client.catchUp();
  expect(heard).toEqual([1, 2, 3]);
});

it("a new window gets what is kept", async () => {
  const application = new MemoryApplication();
  application.name("a");
  for (let at = 0; at < 70; at++) application.measure(at);
  const { client, set } = application.connect();
  setClient(client);
  follow(client);
  set(true);
  await expect.poll(() => shown().samples?.length).toBe(60);
  expect(shown()).toMatchObject({ machine: "a", samples: expect.arrayContaining([10, 69]) });
});
