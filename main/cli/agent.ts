/** `tensordeck agent`: this machine for others, without a window of its own. */
import { realpath } from "node:fs/promises";
import { userInfo } from "node:os";
import { resolve } from "node:path";
import {
  type CommandSpec,
  helpText,
  nearest,
  type ParsedArgs,
  parseArgs,
} from "../../worker-runtime/cli/args.js";
import { dataFolder } from "../../worker-runtime/engines/tensorflow/data-folder.js";
import { invalidArgument } from "../../worker-runtime/protocol/status.js";
import { deviceIdSchema, type Role, roleSchema } from "../api/machines.js";
import { askInstance } from "../peers/agent/instance-lock.js";
import { loadIdentity } from "../peers/identity/identity.js";
import { renewIfAsked, requestNewIdentity } from "../peers/identity/new-identity.js";
import { TrustStore } from "../peers/trust/trust-store.js";
import { problem } from "../shared/problems.js";
import { runAgentProcess } from "./agent-process.js";
import { launchAgent, launchAgentCommands } from "./launch-agent.js";
import { scheduledTask, scheduledTaskCommands } from "./scheduled-task.js";
import { installCommands, serviceUnit } from "./service-unit.js";

const dataDirFlag = {
  name: "data_dir",
  value: "FOLDER",
  help: `The folder of its identity, paired machines and settings (default ${dataFolder()}).`,
};
const runFlags = [
  dataDirFlag,
  {
    name: "port",
    value: "PORT",
    help: "Port for other machines (default 2220, or any free port if that is taken).",
  },
  {
    name: "name",
    value: "NAME",
    help: "The name that other machines show for this one (default: its host name).",
  },
  {
    name: "allow_exposed_tasks",
    value: "yes|no",
    help: "Whether other machines may start tasks here that the whole network can use without signing in (default no; the choice is remembered).",
  },
];

const agentCommand: CommandSpec = {
  name: "tensordeck agent",
  summary:
    "Runs Tensordeck without a window: other machines find this one, pair with it and start tasks on it.",
  flags: runFlags,
  notes: `
Other commands:
  tensordeck agent id              print the device ID of this machine
  tensordeck agent trust ID        let the machine with that device ID pair without a code
  tensordeck agent link            print a one-time address of the running agent's window
  tensordeck agent service         print what makes it start with the machine
  tensordeck agent new-identity    make this copy of a machine a machine of its own

The window is served on this machine's 127.0.0.1 only. A machine that is paired with the role "manage" opens it from
its own window. Over SSH: tensordeck agent link there, then ssh -L PORT:127.0.0.1:PORT with the port of that address.`,
};

const idCommand: CommandSpec = {
  name: "tensordeck agent id",
  summary:
    "Prints the device ID of this machine, which the user of another machine can check or pass to agent trust.",
  flags: [dataDirFlag],
};

const trustCommand: CommandSpec = {
  name: "tensordeck agent trust",
  summary:
    "Lets the machine with a device ID pair with this one without a code, or changes what a paired machine may do here.",
  positionals: "DEVICE_ID",
  flags: [dataDirFlag, { name: "role", value: "ROLE", help: "view, run or manage (default run)." }],
  notes: `
view: see this machine, its tasks, logs and load.
run: also start tasks, stop its own, and run graphs and scripts, which can do what this account can.
manage: also stop all tasks, open the window and change the firewall.`,
};

const linkCommand: CommandSpec = {
  name: "tensordeck agent link",
  summary: "Prints a one-time address of the running agent's window, to be opened on this machine.",
  flags: [dataDirFlag],
};

const serviceCommand: CommandSpec = {
  name: "tensordeck agent service",
  summary:
    "Prints the configuration that starts the agent with the machine (systemd on Linux, launchd on macOS, Task Scheduler on Windows), and the commands to install it, show its state and remove it.",
  flags: [
    ...runFlags,
    { name: "to", value: "SYSTEM", help: "systemd, launchd or windows (default: what this machine has)." },
  ],
};

const newIdentityCommand: CommandSpec = {
  name: "tensordeck agent new-identity",
  summary:
    "Makes a new device ID for a machine whose data folder was copied from another one, and prints it. Two machines with one identity are mistaken for each other.",
  flags: [dataDirFlag],
  notes: `
It has to be paired again: the machines that were paired with it know it by the old key, and it forgets them. Its tasks
and settings stay. The old key is kept beside the new one. While Tensordeck runs, it is made at its next start.`,
};

type Subcommand = (args: readonly string[]) => Promise<number>;

const subcommands: Readonly<Record<string, Subcommand>> = {
  id: withHelp(idCommand, printId),
  trust: withHelp(trustCommand, trust),
  link: withHelp(linkCommand, printLink),
  service: withHelp(serviceCommand, printService),
  "new-identity": withHelp(newIdentityCommand, newIdentity),
};

/** Runs `tensordeck agent …` and gives the exit code. @throws ProblemError, TensorFlowError */
export async function runAgent(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name.startsWith("-")) return await withHelp(agentCommand, runAsAgent)(args);
  const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  if (subcommand) return await subcommand(rest);
  const near = nearest(name, Object.keys(subcommands));
  throw invalidArgument(
    `tensordeck agent has no command "${name}".${near === undefined ? "" : ` Did you mean ${near}?`} See tensordeck agent --help.`,
  );
}

function withHelp(command: CommandSpec, run: (args: ParsedArgs) => Promise<number>): Subcommand {
  return async (args) => {
    const parsed = parseArgs(command, args);
    if (!parsed.has("help")) return await run(parsed);
    process.stdout.write(helpText(command));
    return 0;
  };
}

function dataDirOf(args: ParsedArgs): string {
  const given = args.get("data_dir");
  return given === undefined ? dataFolder() : resolve(given);
}

async function runAsAgent(args: ParsedArgs): Promise<number> {
  const agentPort = args.integer("port", 0, 65_535);
  const name = args.get("name");
  const allowExposedTasks = yesOrNo(args, "allow_exposed_tasks");
  await runAgentProcess({
    dataDir: dataDirOf(args),
    ...(agentPort !== undefined && { agentPort }),
    ...(name !== undefined && { name }),
    ...(allowExposedTasks !== undefined && { allowExposedTasks }),
  });
  return 0;
}

function yesOrNo(args: ParsedArgs, flag: string): boolean | undefined {
  const value = args.get(flag);
  if (value === undefined || value === "yes" || value === "no")
    return value === undefined ? undefined : value === "yes";
  throw invalidArgument(`--${flag} must be yes or no, not "${value}".`);
}

async function printId(args: ParsedArgs): Promise<number> {
  const { deviceId } = await loadIdentity(dataDirOf(args));
  process.stdout.write(`${deviceId}\n`);
  return 0;
}

async function newIdentity(args: ParsedArgs): Promise<number> {
  const dataDir = dataDirOf(args);
  await requestNewIdentity(dataDir);
  if ((await askInstance(dataDir, "pid")) !== undefined) {
    process.stdout.write(
      "Tensordeck is running here and uses the new identity from its next start. Restart it, and pair this machine again.\n",
    );
    return 0;
  }
  await renewIfAsked(dataDir);
  const { deviceId } = await loadIdentity(dataDir);
  process.stdout.write(`${deviceId}\nThis is the new device ID of this machine. Pair it again.\n`);
  return 0;
}

async function trust(args: ParsedArgs): Promise<number> {
  const [text = "", ...others] = args.positionals;
  const deviceId = deviceIdSchema.safeParse(text.replace(/[\s-]/g, "").toLowerCase());
  if (!deviceId.success || others.length > 0) {
    throw invalidArgument(
      `Give one device ID: 52 letters a to z and digits 2 to 7, as tensordeck agent id prints it on that machine. Got "${args.positionals.join(" ")}".`,
    );
  }
  const role = roleSchema.safeParse(args.get("role") ?? "run");
  if (!role.success) throw invalidArgument(`--role must be view, run or manage, not "${args.get("role")}".`);
  const dataDir = dataDirOf(args);
  if ((await loadIdentity(dataDir)).deviceId === deviceId.data) {
    throw invalidArgument("That is the device ID of this machine. Give that of the other machine.");
  }
  const store = await TrustStore.load(dataDir);
  try {
    process.stdout.write(`${await giveTrust(store, deviceId.data, role.data)}\n`);
  } finally {
    await store.close();
  }
  return 0;
}

/** Returns a description of the outcome. A running agent sees the change of the file within a second. */
async function giveTrust(store: TrustStore, deviceId: string, role: Role): Promise<string> {
  const known = store.get(deviceId);
  if (known) {
    await store.put({ ...known, grantedRole: role });
    return `${known.name} is paired and now has the role ${role} here.`;
  }
  await store.preauthorise(deviceId, role);
  return `The machine with this device ID may pair without a code and will have the role ${role} here.`;
}

async function printLink(args: ParsedArgs): Promise<number> {
  const dataDir = dataDirOf(args);
  const link = await askInstance(dataDir, "link");
  if (link === undefined) {
    throw problem("FAILED_PRECONDITION", `Tensordeck is not running with the data folder ${dataDir}.`, {
      remedy: "Start it with tensordeck agent, or pass the --data-dir with which it was started.",
    });
  }
  process.stdout.write(`open ${link}\n`);
  return 0;
}

async function printService(args: ParsedArgs): Promise<number> {
  yesOrNo(args, "allow_exposed_tasks");
  const flags = ["port", "name", "allow_exposed_tasks"].flatMap((flag) => {
    const value = args.get(flag);
    return value === undefined ? [] : [`--${flag}`, value];
  });
  const system = args.get("to") ?? defaultSystem();
  // npx runs a link in npm's cache, which may be cleaned.
  const program = await realpath(process.argv[1] ?? "tensordeck");
  const dataDir = dataDirOf(args);
  const options = { node: process.execPath, program, flags, dataDir, user: userInfo().username };
  const words = ["tensordeck", "agent", "service", "--to", system];
  if (args.get("data_dir") !== undefined) words.push("--data-dir", dataDir);
  words.push(...flags);
  if (system === "systemd") {
    // The commands are comments, so that the whole output is a unit.
    process.stdout.write(`${installCommands(words)}\n${serviceUnit(options)}`);
  } else if (system === "launchd") {
    // XML has no comments with the "--" of flags.
    process.stderr.write(launchAgentCommands(words, dataDir));
    process.stdout.write(launchAgent(options));
  } else if (system === "windows") {
    const { USERDOMAIN: domain } = process.env;
    const user = domain === undefined ? options.user : `${domain}\\${options.user}`;
    process.stderr.write(scheduledTaskCommands(words));
    process.stdout.write(scheduledTask({ ...options, user }));
  } else {
    throw invalidArgument(`--to must be systemd, launchd or windows, not "${system}".`);
  }
  return 0;
}

function defaultSystem(): string {
  if (process.platform === "darwin") return "launchd";
  return process.platform === "win32" ? "windows" : "systemd";
}
