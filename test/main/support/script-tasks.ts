/** Tasks whose processes are small scripts: real children that start, talk, crash and end, without TensorFlow. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { OpenProbe } from "../../../main/tasks/health.js";
import type { LaunchRequest, LaunchTask, TaskProcess } from "../../../main/tasks/launcher.js";
import { unavailable } from "../../../worker-runtime/protocol/status.js";

/** Listens on the port it is given, says "up", and runs until it is killed. */
export const SERVES = `
  require("node:net").createServer().listen(Number(process.argv[1]), () => console.log("up"));
`;

export interface ScriptTasks {
  readonly launch: LaunchTask;
  readonly openProbe: OpenProbe;
  readonly requests: LaunchRequest[];
  readonly children: ChildProcess[];
  /** Addresses that do not answer the question whether they live. */
  readonly silent: Set<string>;
}

/**
 * @param script Node's program for a task; chosen anew for every start.
 * @param options.silentEndFails A process that ends before it said "up" counts as one that failed to start.
 */
export function scriptTasks(
  script: () => string = () => SERVES,
  options: { readonly silentEndFails?: boolean } = {},
): ScriptTasks {
  const requests: LaunchRequest[] = [];
  const children: ChildProcess[] = [];
  const silent = new Set<string>();

  const launch: LaunchTask = (request) => {
    requests.push(request);
    const child = spawn(process.execPath, ["-e", script(), String(request.plan.port)], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.push(child);
    return scriptProcess(child, request, options.silentEndFails === true);
  };

  const openProbe: OpenProbe = (address) => ({
    check: async () => {
      if (silent.has(address)) throw new Error("no answer");
      const request = requests.findLast(({ plan }) => address.endsWith(`:${plan.port}`));
      const { job, index } = request?.plan ?? { job: "", index: 0 };
      return {
        devices: [
          {
            name: `/job:${job}/replica:0/task:${index}/device:CPU:0`,
            type: "CPU",
            memoryLimitBytes: 1,
            description: "",
          },
        ],
        incarnation: String(requests.length),
      };
    },
    close: () => undefined,
  });

  return { launch, openProbe, requests, children, silent };
}

function scriptProcess(child: ChildProcess, request: LaunchRequest, silentEndFails: boolean): TaskProcess {
  const exited = once(child, "exit").then(([code, signal]) => ({ code, signal }));
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error("the child has no pipes");
  const lines = createInterface({ input: stdout });
  const ready = new Promise<void>((resolve, reject) => {
    lines.on("line", (line) => {
      request.onLine(line);
      if (line === "up") resolve();
    });
    void exited.then(({ code }) => {
      if (code === 3) reject(new Error("The port is taken."));
      else if (silentEndFails) reject(unavailable("It ended before it was up."));
      else resolve();
    });
  });
  ready.catch(() => undefined);
  createInterface({ input: stderr }).on("line", (line) => request.onLine(line));
  return {
    get pid() {
      return child.pid;
    },
    ready,
    exited,
    notice: async () => undefined,
    stop: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
