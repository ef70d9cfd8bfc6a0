#!/usr/bin/env node
// The program of the container image (build/container): a worker where TF_CONFIG gives the container a task, an agent
// otherwise, or the command of `tensordeck` that is given. `--check` tells whether what runs by itself answers.
import { once } from "node:events";
import { connect } from "node:net";

const AGENT_PORT = "2220";
const ENGINE = process.env.TENSORDECK_ENGINE || "portable";

/** The port of the container's own task. */
function taskPort() {
  const { cluster, task } = JSON.parse(process.env.TF_CONFIG);
  return /:(\d+)$/.exec(cluster?.[task?.type]?.[task?.index])?.[1];
}

/** As the exports to Compose and Kubernetes start it: health checks and forwarded ports come by the loopback. */
function ownCommand() {
  if (!process.env.TF_CONFIG) return ["agent", "--port", AGENT_PORT];
  const bind = ENGINE === "portable" ? ["--bind", "0.0.0.0"] : [];
  return ["worker", "--skip_address_check", "--engine", ENGINE, ...bind];
}

async function runTensordeck(args) {
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...args);
  await import("./tensordeck.mjs");
}

const given = process.argv.slice(2);
if (given[0] !== "--check") {
  await runTensordeck(given.length === 0 ? ownCommand() : given);
} else if (process.env.TF_CONFIG) {
  await runTensordeck(["health", `localhost:${taskPort()}`]);
} else {
  // Other machines speak TLS with an agent, as paired ones only.
  const socket = connect(Number(AGENT_PORT), "127.0.0.1");
  try {
    await once(socket, "connect");
    socket.destroy();
  } catch (error) {
    process.stderr.write(`UNAVAILABLE: No agent answers at 127.0.0.1:${AGENT_PORT} (${error.message}).\n`);
    process.exitCode = 1;
  }
}
