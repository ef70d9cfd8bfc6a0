/** The memory of a traced step, by device, and its largest nodes. */
import type { ReactElement } from "react";
import type { NodeRun } from "../../../main/api/runs.js";
import type { DeviceMemory, StepTrace } from "../../../main/api/traces.js";
import { taskName, taskNameOfDevice } from "../../cluster/task-name.js";
import { slicedSort } from "../../document/sliced-sort.js";
import { useSliced } from "../../parts/use-sliced.js";
import { useCluster } from "../../stores/cluster-store.js";
import { useDocument } from "../../stores/document-store.js";
import { texts } from "../../texts/texts.js";
import { taskColourVar } from "../../theme/task-colour.js";
import { EmptyText } from "../../ui/empty-text.js";
import { bytesText, durationText } from "../../ui/format.js";
import { Swatch } from "../../ui/swatch.js";
import textStyles from "../../ui/text.module.css";
import { TextButton } from "../../ui/text-button.js";
import { selectInGraph } from "../../viewport/travel.js";
import tableStyles from "../data-table.module.css";
import { ScrollRegion } from "../scroll-region.js";
import type { Column } from "../table-head.js";
import { deviceText } from "../timeline-plot.js";
import { VirtualTable } from "../virtual-table.js";
import styles from "./memory-view.module.css";

const words = texts.dock.memoryView;

const ROW_HEIGHT = 28;
const COLUMNS: readonly Column[] = [
  { name: words.node },
  { name: words.op },
  { name: words.where },
  { name: words.output, kind: "number" },
  { name: words.allocated, kind: "number" },
];
/** The width of a lane's picture, which is stretched to its place. */
const WIDTH = 1000;
const HEIGHT = 40;

export function MemoryView({ trace }: { readonly trace: StepTrace | undefined }): ReactElement | null {
  if (!trace) return null;
  return (
    <div className={styles.columns}>
      <ScrollRegion label={words.memoryDevices}>
        {trace.memory.length === 0 ? <EmptyText>{words.none}</EmptyText> : <Lanes trace={trace} />}
      </ScrollRegion>
      <LargestNodes trace={trace} />
    </div>
  );
}

function Lanes({ trace: { memory, computeMillis } }: { readonly trace: StepTrace }): ReactElement {
  const most = Math.max(1, ...memory.map(({ peakBytes }) => peakBytes));
  const ends = memory.map(({ points }) => points.at(-1)?.micros ?? 0);
  const endMicros = Math.max(1, computeMillis * 1000, ...ends);
  return (
    <>
      {memory.map((device) => (
        <Lane
          key={`${device.device} ${device.allocator}`}
          memory={device}
          mostBytes={most}
          endMicros={endMicros}
        />
      ))}
      <p className={textStyles.muted}>{words.explanation({ time: durationText(endMicros / 1000) })}</p>
    </>
  );
}

interface LaneProps {
  readonly memory: DeviceMemory;
  /** The scale of all lanes. */
  readonly mostBytes: number;
  readonly endMicros: number;
}

function Lane({ memory, mostBytes, endMicros }: LaneProps): ReactElement {
  const name = taskNameOfDevice(memory.device);
  const task = useCluster((state) => state.tasks.find((one) => taskName(one) === name));
  const peak = words.peak({
    bytes: bytesText(memory.peakBytes),
    time: durationText(memory.peakMicros / 1000),
  });
  const x = (micros: number) => (WIDTH * micros) / endMicros;
  const y = (bytes: number) => HEIGHT - (HEIGHT * Math.max(0, bytes)) / mostBytes;
  const steps = memory.points.map(({ micros, bytes }) => `H${x(micros).toFixed(1)}V${y(bytes).toFixed(1)}`);
  return (
    <section className={styles.lane} aria-label={deviceText(memory.device)}>
      <div className={styles.head} title={memory.device}>
        <Swatch task={task} />
        <b className={textStyles.truncated}>{deviceText(memory.device)}</b>
        <span className={textStyles.muted}>{memory.allocator}</span>
      </div>
      <svg
        className={styles.plot}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={words.chart({ peak })}
        style={{ "--c": taskColourVar(task) }}
      >
        <path d={`M0 ${HEIGHT}${steps.join("")}H${WIDTH}V${HEIGHT}Z`} />
      </svg>
      <span className={styles.peak}>{peak}</span>
    </section>
  );
}

function LargestNodes({ trace: { nodes } }: { readonly trace: StepTrace }): ReactElement {
  const graphNodes = useDocument((state) => state.document.nodes);
  const rows = useSliced({
    size: nodes.length,
    work: () => slicedSort(nodes, (one, other) => bytesOf(other) - bytesOf(one)),
    of: [nodes],
    subject: nodes,
  });
  return (
    <VirtualTable
      label={words.largestNodes}
      columns={COLUMNS}
      rows={rows ?? NO_ROWS}
      rowHeight={ROW_HEIGHT}
      row={(row, position) => (
        // In a loop, a node runs several times on one device.
        <tr key={position["data-index"]} {...position}>
          <td>
            <TextButton onClick={() => selectInGraph([row.node])}>{row.node}</TextButton>
          </td>
          <td>{graphNodes.get(row.node)?.op ?? ""}</td>
          <td>{deviceText(row.device)}</td>
          <td className={tableStyles.number}>{bytesText(row.outputBytes)}</td>
          <td className={tableStyles.number}>
            {row.peakBytes === undefined ? words.noPeak : bytesText(row.peakBytes)}
          </td>
        </tr>
      )}
    />
  );
}

const NO_ROWS: readonly NodeRun[] = [];

function bytesOf({ outputBytes, peakBytes = 0 }: NodeRun): number {
  return Math.max(outputBytes, peakBytes);
}
