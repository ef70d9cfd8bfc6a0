/**
 * `npm run bench [-- NAME[/LINE] …]`: Tensordeck beside Python's TensorFlow, in one run and in turns. Prints a table and
 * writes nothing. Ratios compare what ran side by side; absolute numbers are this machine's.
 */
import { cpus } from "node:os";
import { hasPeer, lackSentence, type PeerName } from "../support/find-peers.js";
import { stopAllPeers } from "../support/processes.js";
import { gpuMeasurement } from "./gpu.js";
import { machinesMeasurement } from "./machines.js";
import { nodesMeasurement } from "./nodes.js";
import { portableMeasurement } from "./portable.js";
import { hasFailed, type Measurement, type Row, tableText } from "./report.js";
import { stepsMeasurement } from "./steps.js";
import { trainingMeasurement } from "./training.js";
import { tunnelMeasurement } from "./tunnel.js";
import { windowGraphsMeasurement } from "./window-graphs.js";
import { windowStartMeasurement } from "./window-start.js";
import { windowTimelineMeasurement } from "./window-timeline.js";
import { workerStartMeasurement } from "./worker-start.js";

const measurements: Readonly<Record<string, { measurement: Measurement; needs?: PeerName }>> = {
  nodes: { measurement: nodesMeasurement },
  steps: { measurement: stepsMeasurement, needs: "tensorflow" },
  worker: { measurement: workerStartMeasurement, needs: "tensorflow" },
  portable: { measurement: portableMeasurement, needs: "tensorflow" },
  gpu: { measurement: gpuMeasurement, needs: "tensorflow" },
  training: { measurement: trainingMeasurement, needs: "tensorflow" },
  window: { measurement: windowStartMeasurement, needs: "chromium" },
  graphs: { measurement: windowGraphsMeasurement, needs: "tensorflow" },
  timeline: { measurement: windowTimelineMeasurement, needs: "tensorflow" },
  tunnel: { measurement: tunnelMeasurement, needs: "namespaces" },
  machines: { measurement: machinesMeasurement, needs: "namespaces" },
};

/** The lines wanted of each measurement that is wanted; undefined for all of them. */
type Wanted = ReadonlyMap<string, readonly string[] | undefined>;

/** @throws Error for what does not exist, with what does. */
function wantedOf(args: readonly string[]): Wanted {
  const wanted = new Map<string, readonly string[] | undefined>();
  for (const arg of args.length > 0 ? args : Object.keys(measurements)) {
    const [name = "", line] = arg.split("/");
    const lines = Object.hasOwn(measurements, name)
      ? (measurements[name]?.measurement.lines ?? [])
      : undefined;
    if (lines === undefined || (line !== undefined && !lines.includes(line))) {
      const all = Object.entries(measurements).flatMap(([known, { measurement }]) => [
        known,
        ...(measurement.lines ?? []).map((one) => `${known}/${one}`),
      ]);
      throw new Error(`There is no measurement ${arg}; there are ${all.join(", ")}.`);
    }
    const before = wanted.has(name) ? wanted.get(name) : [];
    wanted.set(name, line === undefined || before === undefined ? undefined : [...before, line]);
  }
  return wanted;
}

async function main(wanted: Wanted): Promise<number> {
  const rows: Row[] = [];
  let failures = 0;
  for (const [name, lines] of wanted) {
    const { measurement, needs } = measurements[name] ?? {};
    if (measurement === undefined) continue;
    const progress = (text: string) => void process.stderr.write(`${name}: ${text}\n`);
    if (needs !== undefined && !hasPeer(needs)) {
      progress(`not measured. ${lackSentence(needs)}`);
      failures += 1;
      continue;
    }
    progress(`${measurement.name} …`);
    try {
      const measured = await measurement.run({ lines, progress });
      failures += measured.filter(hasFailed).length;
      rows.push(...measured);
    } catch (error) {
      failures += 1;
      progress(`failed: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      await stopAllPeers();
    }
  }
  const [cpu] = cpus();
  process.stdout.write(
    `\n${cpus().length} x ${cpu?.model ?? "unknown processor"}, Node ${process.versions.node}\n\n`,
  );
  process.stdout.write(tableText(rows));
  return failures === 0 ? 0 : 1;
}

// Children are ended when this process exits, which it does not do by itself on a signal.
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.once(signal, () => process.exit(code));
}
// Whatever is measured announces nothing on the real network.
process.env.TENSORDECK_NETWORK = "off";
try {
  process.exitCode = await main(wantedOf(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
