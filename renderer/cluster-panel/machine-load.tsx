import type { ComponentProps, ReactElement } from "react";
import type { Machine } from "../../main/api/cluster.js";
import { KEPT_SAMPLES } from "../../main/api/samples.js";
import { machineSamples, useSamples } from "../stores/samples-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { bytesText } from "../ui/format.js";
import { Sparkline } from "../ui/sparkline.js";
import styles from "./machine-load.module.css";

const words = texts.clusterPanel.machineLoad;

interface MetersProps extends ComponentProps<"div"> {
  /** Takes less height. */
  readonly low?: boolean;
}

/** Meters side by side. */
export function Meters({ low, ...rest }: MetersProps): ReactElement {
  return <div className={classNames(styles.meters, low && styles.low)} {...rest} />;
}

interface MeterProps {
  readonly name: string;
  /** The newest value; left out if there is none. */
  readonly value: string | undefined;
  readonly values: readonly number[];
  readonly max: number;
  readonly title: string;
}

/** One measured quantity: its name, the newest value, and the last minute. */
export function Meter({ name, value, values, max, title }: MeterProps): ReactElement {
  return (
    <div className={styles.meter} title={title}>
      <span className={styles.name}>{name}</span>
      <span className={styles.value}>{value ?? "–"}</span>
      <Sparkline
        values={values}
        max={max}
        capacity={KEPT_SAMPLES}
        label={value === undefined ? words.notMeasured({ name }) : `${name} ${value}`}
      />
    </div>
  );
}

/**
 * The load of the whole machine, including other programs, in one low row. It is there before the first sample, so that the
 * rows below do not move when that comes; nothing for a machine that nobody measures.
 */
export function MachineLoad({ machine }: { readonly machine: Machine }): ReactElement | null {
  const { id, memoryBytes } = machine;
  const samples = useSamples((store) => machineSamples(store, id));
  const newest = samples.at(-1);
  if (newest === undefined && machine.kind !== "this" && machine.kind !== "paired") return null;
  const traffic = samples.map((sample) => sample.receivedBytesPerSecond + sample.sentBytesPerSecond);
  return (
    <Meters low>
      <Meter
        name={words.cpu}
        value={newest && `${Math.round(newest.cpuPercent)}%`}
        values={samples.map(({ cpuPercent }) => cpuPercent)}
        max={100}
        title={words.cpuTitle}
      />
      <Meter
        name={words.mem}
        value={newest && bytesText(newest.memoryUsedBytes)}
        values={samples.map(({ memoryUsedBytes }) => memoryUsedBytes)}
        max={memoryBytes}
        title={words.memTitle({ total: bytesText(memoryBytes) })}
      />
      <Meter
        name={words.net}
        value={newest && `${bytesText(traffic.at(-1) ?? 0)}/s`}
        values={traffic}
        max={1.25 * Math.max(1_000_000, ...traffic)}
        title={words.netTitle}
      />
    </Meters>
  );
}
