import type { ReactElement } from "react";
import type { Machine } from "../../main/api/cluster.js";
import { bytesText } from "../ui/format.js";
import { Sparkline } from "../ui/sparkline.js";

/** Samples that a machine or task keeps, one a second. */
const SAMPLES = 60;

interface MeterProps {
  readonly name: string;
  /** The newest value; left out where there is none yet, or never. */
  readonly value: string | undefined;
  readonly values: readonly number[];
  readonly max: number;
  readonly title: string;
}

/** One measured quantity: its name, the newest value, and the last minute. */
export function Meter({ name, value, values, max, title }: MeterProps): ReactElement {
  return (
    <div className="m" title={title}>
      <span className="meter-name">{name}</span>
      <span className="mv">{value ?? "–"}</span>
      <Sparkline
        values={values}
        max={max}
        capacity={SAMPLES}
        label={value === undefined ? `${name} not measured` : `${name} ${value}`}
      />
    </div>
  );
}

/** What the whole machine does, its own programs included, in one low row. */
export function MachineLoad({ machine }: { readonly machine: Machine }): ReactElement {
  const { metrics, memoryBytes } = machine;
  const newest = metrics.at(-1);
  const traffic = metrics.map((sample) => sample.receivedBytesPerSecond + sample.sentBytesPerSecond);
  return (
    <div className="ms low">
      <Meter
        name="CPU"
        value={newest && `${Math.round(newest.cpuPercent)}%`}
        values={metrics.map(({ cpuPercent }) => cpuPercent)}
        max={100}
        title="Share of all cores of the machine, the last minute"
      />
      <Meter
        name="Mem"
        value={newest && bytesText(newest.memoryUsedBytes)}
        values={metrics.map(({ memoryUsedBytes }) => memoryUsedBytes)}
        max={memoryBytes}
        title={`Memory in use of ${bytesText(memoryBytes)}, the last minute`}
      />
      <Meter
        name="Net"
        value={newest && `${bytesText(traffic.at(-1) ?? 0)}/s`}
        values={traffic}
        max={1.25 * Math.max(1_000_000, ...traffic)}
        title="Received and sent by the machine, the last minute"
      />
    </div>
  );
}
