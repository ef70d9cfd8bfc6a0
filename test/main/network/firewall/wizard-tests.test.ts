/** The wizard's tests with real probes, all of them from this machine. */
import { createServer } from "node:net";
import { expect, test } from "vitest";
import type {
  WizardMachine,
  WizardMachines,
} from "../../../../main/network/firewall/wizard/wizard-machine.js";
import { connects, testPorts } from "../../../../main/network/firewall/wizard/wizard-tests.js";
import { probeAddress } from "../../../../main/network/reachability/probe.js";
import { freePort } from "../../../support/processes.js";
import { listen, outcomes } from "../reachability/support/servers.js";

/** A machine at loopback whose task listens, or does not. */
function machineWith(name: string, port: number): WizardMachine {
  const tasks = [{ port, name: "worker/0" }];
  return { id: name, name, addresses: ["127.0.0.1"], online: true, tasks };
}

/** All of them dial from here. */
const machinesOf = (...all: readonly WizardMachine[]): WizardMachines => ({
  all: () => all,
  find: (id) => all.find((machine) => machine.id === id),
  firewallOf: () => undefined,
  proberOf: () => probeAddress,
});

test("ports are tested by the machine itself and by a peer, and by others where the peer fails", async () => {
  const { port: open } = await listen(createServer((socket) => socket.end()));
  const gpuPc = machineWith("gpu-pc", open);
  const pi = machineWith("raspberrypi", open);
  const machines = machinesOf(gpuPc, pi, machineWith("macbook", open));
  const closed = await freePort();
  const signal = new AbortController().signal;
  const [first, second] = await testPorts(machines, gpuPc, pi, [open, closed], signal);
  expect(first).toMatchObject({ address: `127.0.0.1:${open}`, listening: true, others: [] });
  expect(first?.dial && connects(first.dial)).toBe(true);
  expect(outcomes(first?.dial?.layers ?? [])).toBe("name skipped, tcp ok, http2 closed, status skipped");
  expect(second).toMatchObject({ listening: false, others: [{ from: "macbook" }] });
  expect(outcomes(second?.dial?.layers ?? [])).toBe(
    "name skipped, tcp refused, http2 skipped, status skipped",
  );
});

test("ports of a machine that is known by name only are tested as well", async () => {
  const { port } = await listen(createServer((socket) => socket.end()));
  const gpuPc = { ...machineWith("gpu-pc", port), addresses: ["localhost"] };
  const pi = machineWith("raspberrypi", port);
  const [tested] = await testPorts(machinesOf(gpuPc, pi), gpuPc, pi, [port], new AbortController().signal);
  expect(outcomes(tested?.dial?.layers ?? [])).toBe("name ok, tcp ok, http2 closed, status skipped");
});

test("tests that are cancelled end with the reason, and close their connections", async () => {
  const cancelling = new AbortController();
  const server = createServer((socket) => socket.resume());
  const { port, sockets } = await listen(server);
  const gpuPc = machineWith("gpu-pc", port);
  const pi = machineWith("raspberrypi", port);
  const tested = testPorts(machinesOf(gpuPc, pi), gpuPc, pi, [port], cancelling.signal);
  // The machine itself and the peer; the program says nothing to either.
  await expect.poll(() => sockets.size).toBe(2);
  cancelling.abort(new Error("the dialog was closed"));
  await expect(tested).rejects.toThrow("the dialog was closed");
  await expect.poll(() => sockets.size).toBe(0);
});
