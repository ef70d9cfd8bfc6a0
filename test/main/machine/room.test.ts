import { expect, it } from "vitest";
import { createMachine } from "../../../main/machine/room.js";
import { TestSettings } from "../support/settings-port.js";
import { until } from "../support/until.js";

it("is described by the settings and by what other rooms know, and tells when that changed", async () => {
  const settings = new TestSettings();
  const room = createMachine({ settings, listGpus: async () => [] });
  // Found out in the background.
  await until("the system is known", () => room.description().osName !== "");
  let changes = 0;
  room.onChange(() => changes++);
  let port: number | undefined;
  room.add({ agentPort: () => port });
  // Nobody knows it yet: the portable engine is a part of the program.
  expect(room.description()).toMatchObject({ engines: [{ engine: "portable" }] });
  expect(room.description().agentPort).toBeUndefined();
  await settings.set({ machineName: "pi" });
  port = 2220;
  room.tellChanges();
  room.tellChanges();
  expect(changes).toBe(2);
  expect(room.description()).toMatchObject({ name: "pi", agentPort: 2220 });
  await room.dispose();
  await settings.set({ machineName: "pc" });
  expect([changes, settings.listeners.size]).toEqual([2, 0]);
});
