/** A host behind a firewall and two that want to get in; what gets through is tried, not read off from rules. */
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { layerResultSchema } from "../../../main/api/reachability.js";
import {
  type CommandEnd,
  commandEnvironment,
  type RunCommand,
} from "../../../main/network/firewall/command.js";
import type { WizardProber } from "../../../main/network/firewall/wizard/wizard-machine.js";
import type { Host } from "./host.js";
import { Network } from "./network.js";

/** The listeners of the host behind the firewall: an agent, two tasks, a program that is none of ours, and mDNS. */
export const AGENT_PORT = 2220;
export const TASK_PORTS = [2222, 2224];
export const OTHER_PORT = 2223;

const PROBE = fileURLToPath(new URL("./probe-here.ts", import.meta.url));

const LISTEN = `
for (const port of [${[AGENT_PORT, ...TASK_PORTS, OTHER_PORT].join()}])
  require("node:net").createServer((socket) => socket.on("error", () => undefined).end("hello")).listen(port, "::");
const udp = require("node:dgram").createSocket({ type: "udp6" });
udp.on("message", (text, { address, port }) => udp.send(text, port, address));
udp.bind(5353, "::", () => console.log("listening"));
`;

/** Tries everything at once. What is blocked is silent, so waiting for it costs the whole time; the rest is quick. */
const ASK = `
const [, address, ...ports] = process.argv;
const WAIT_MILLIS = 1500;
const tcp = (port) => new Promise((resolve) => {
  const socket = require("node:net").connect({ host: address, port: Number(port) });
  const end = (open) => { socket.destroy(); resolve(open); };
  socket.once("connect", () => end(true)).once("error", () => end(false));
  setTimeout(() => end(false), WAIT_MILLIS);
});
const udp = () => new Promise((resolve) => {
  const socket = require("node:dgram").createSocket(address.includes(":") ? "udp6" : "udp4");
  const send = () => socket.send("hello", 5353, address, () => undefined);
  const timer = setInterval(send, 200);
  const end = (open) => { clearInterval(timer); clearTimeout(late); socket.close(); resolve(open); };
  const late = setTimeout(() => end(false), WAIT_MILLIS);
  socket.on("message", () => end(true)).on("error", () => undefined);
  send();
});
const ping = () => new Promise((resolve) => {
  require("node:child_process").execFile("ping", ["-n", "-c", "1", "-W", "1.5", address], (error) => resolve(!error));
});
Promise.all([udp(), ping(), ...ports.map(tcp)]).then((answers) => {
  console.log(JSON.stringify(answers));
  process.exit(0);
});
`;

const answersSchema = z.tuple([z.boolean(), z.boolean(), z.boolean(), z.boolean()]).rest(z.boolean());

/** The listeners of the host behind the firewall that answer. */
export interface Answers {
  readonly agent: boolean;
  readonly tasks: boolean;
  readonly other: boolean;
  readonly discovery: boolean;
  readonly ping: boolean;
}

export const nothing: Answers = { agent: false, tasks: false, other: false, discovery: false, ping: false };
/** The traffic that the wizard lets in. */
export const opened: Answers = { agent: true, tasks: true, other: false, discovery: true, ping: true };
export const everything: Answers = { ...opened, other: true };

export class FirewallHosts {
  readonly #network: Network;
  readonly guarded: Host;
  readonly peer: Host;
  readonly unpaired: Host;

  private constructor(network: Network) {
    this.#network = network;
    this.guarded = network.host("gpu-pc");
    this.peer = network.host("raspberrypi");
    this.unpaired = network.host("macbook");
  }

  static async create(): Promise<FirewallHosts> {
    const network = await Network.create(3, { names: ["gpu-pc", "raspberrypi", "macbook"] });
    const hosts = new FirewallHosts(network);
    await hosts.guarded.spawn(process.execPath, ["-e", LISTEN], { ready: /listening/ });
    return hosts;
  }

  /** Runs programs on the guarded host, as the administrator or as nobody. */
  run(user: "root" | "nobody" = "root"): RunCommand {
    const prefix =
      user === "root" ? [] : ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"];
    return async (program, args, { signal }): Promise<CommandEnd> => {
      signal.throwIfAborted();
      const [first = program, ...rest] = [...prefix, program, ...args];
      return await this.guarded.exec(first, rest, { env: commandEnvironment() });
    };
  }

  /** The probe of the application, run on a host. */
  prober(from: Host): WizardProber {
    return async ({ address, kind, tries }) => {
      const args = ["--import", "tsx", PROBE, address, kind, String(tries)];
      return z.array(layerResultSchema).parse(JSON.parse(await from.run(process.execPath, args)));
    };
  }

  /** Tries everything from a host. */
  async answers(from: Host, address = this.guarded.address4): Promise<Answers> {
    const ports = [AGENT_PORT, OTHER_PORT, ...TASK_PORTS].map(String);
    const output = await from.run(process.execPath, ["-e", ASK, address, ...ports]);
    const [discovery, ping, agent, other, ...tasks] = answersSchema.parse(JSON.parse(output));
    return { agent, other, discovery, ping, tasks: tasks.every(Boolean) };
  }

  async dispose(): Promise<void> {
    await this.#network.dispose();
  }
}
