/** `tensordeck health`: one GetStatus, for the health checks of containers, Kubernetes and service managers. */
import { parseHostPort } from "../cluster/address.js";
import { getStatus } from "../engines/get-status.js";
import { invalidArgument, unavailable } from "../protocol/status.js";
import { addressOfTarget } from "../rpc/target-address.js";
import { type CommandSpec, helpText, parseArgs } from "./args.js";

const DEFAULT_ADDRESS = "localhost:2222";
const DEFAULT_SECONDS = 4;
const MAX_SECONDS = 600;

const healthCommand: CommandSpec = {
  name: "tensordeck health",
  summary:
    "Asks the task at an address for its status (GetStatus of TensorFlow's protocol), Tensordeck's or TensorFlow's own. " +
    "The exit status is 0 if it answers, and 1 otherwise.",
  positionals: "[HOST:PORT]",
  flags: [
    {
      name: "timeout",
      value: "SECONDS",
      help: `How long to wait for the answer (default ${DEFAULT_SECONDS}).`,
    },
  ],
  notes: `
The default address is ${DEFAULT_ADDRESS}.`,
};

/** Runs the command and gives the exit code. @throws TensorFlowError UNAVAILABLE if no task answers in time */
export async function runHealth(args: readonly string[]): Promise<number> {
  const parsed = parseArgs(healthCommand, args);
  if (parsed.has("help")) {
    process.stdout.write(helpText(healthCommand));
    return 0;
  }
  const [target = DEFAULT_ADDRESS, ...others] = parsed.positionals;
  if (others.length > 0) throw invalidArgument("tensordeck health takes one address.");
  const seconds = parsed.integer("timeout", 1, MAX_SECONDS) ?? DEFAULT_SECONDS;
  const address = addressOfTarget(target);
  const { host, port } = parseHostPort(address) ?? { host: "", port: 0 };
  try {
    await getStatus(host, port, seconds * 1000);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw unavailable(`No task answers at ${address} (${why}).`, { cause });
  }
  process.stdout.write(`${address} serves\n`);
  return 0;
}
