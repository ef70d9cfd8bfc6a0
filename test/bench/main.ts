/**
 * `npm run bench [-- steps|worker|portable|window|tunnel|machines …]`: Tensordeck beside Python's TensorFlow, in one run and in turns. Prints a
 * table and writes nothing. Ratios compare what ran side by side; absolute numbers are this machine's.
 */
import { cpus } from "node:os";
import { hasPeer, lackSentence, type PeerName } from "../support/find-peers.js";
import { stopAllPeers } from "../support/processes.js";
import { machinesMeasurement } from "./machines.js";
import { portableMeasurement } from "./portable.js";
import { type Measurement, type Row, tableText } from "./report.js";
import { stepsMeasurement } from "./steps.js";
import { tunnelMeasurement } from "./tunnel.js";
import { windowStartMeasurement } from "./window-start.js";
import { workerStartMeasurement } from "./worker-start.js";

const measurements: Readonly<Record<string, { measurement: Measurement; needs: PeerName }>> = {
  steps: { measurement: stepsMeasurement, needs: "tensorflow" },
  worker: { measurement: workerStartMeasurement, needs: "tensorflow" },
  portable: { measurement: portableMeasurement, needs: "tensorflow" },
  window: { measurement: windowStartMeasurement, needs: "chromium" },
  tunnel: { measurement: tunnelMeasurement, needs: "namespaces" },
  machines: { measurement: machinesMeasurement, needs: "namespaces" },
};

async function main(wanted: readonly string[]): Promise<number> {
  const unknown = wanted.filter((name) => !Object.hasOwn(measurements, name));
  if (unknown.length > 0) {
    process.stderr.write(
      `There is no measurement ${unknown.join(", ")}; there are ${Object.keys(measurements).join(", ")}.\n`,
    );
    return 1;
  }
  const rows: Row[] = [];
  let failures = 0;
  for (const [name, { measurement, needs }] of Object.entries(measurements)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    if (!hasPeer(needs)) {
      process.stderr.write(`${name}: not measured. ${lackSentence(needs)}\n`);
      failures += 1;
      continue;
    }
    process.stderr.write(`${name}: ${measurement.name} …\n`);
    try {
      rows.push(...(await measurement.run()));
    } catch (error) {
      failures += 1;
      process.stderr.write(`${name}: failed: ${error instanceof Error ? error.message : String(error)}\n`);
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

// Whatever is measured announces nothing on the real network.
process.env.TENSORDECK_NETWORK = "off";
process.exitCode = await main(process.argv.slice(2));
