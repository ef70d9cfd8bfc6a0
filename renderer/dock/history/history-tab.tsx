/** The kept runs of the document, and one or two of them in detail, beside each other. */
import { type ReactElement, useEffect, useMemo, useState } from "react";
import { runCommands } from "../../commands/run-commands.js";
import { runHistoryCommands } from "../../commands/run-history-commands.js";
import { CommandButton } from "../../parts/command-button.js";
import { useRunHistory, useRunsOfDocument } from "../../stores/run-history-store.js";
import { texts } from "../../texts/texts.js";
import { client } from "../../transport/client.js";
import { EmptyText } from "../../ui/empty-text.js";
import textStyles from "../../ui/text.module.css";
import { useCurvesData } from "../curves/use-curves-data.js";
import { TabBar } from "../tab-bar.js";
import styles from "./history-tab.module.css";
import { QueueList } from "./queue-list.js";
import { RunComparison } from "./run-comparison.js";
import { RunList } from "./run-list.js";
import { useShownRuns } from "./use-shown-runs.js";

const words = texts.dock.historyTab;

/** The runs of a document without any. */
const NONE: readonly string[] = [];

/** That runs of before are lost, if so. */
function Dropped(): ReactElement | null {
  const [dropped, setDropped] = useState(0);
  useEffect(() => {
    let current = true;
    client()
      .call("runs.dropped")
      .then(
        (count) => current && setDropped(count),
        // It is asked again when the tab is opened anew.
        () => undefined,
      );
    return () => {
      current = false;
    };
  }, []);
  if (!dropped) return null;
  return <span role="status">{words.dropped({ count: dropped })} </span>;
}

export default function HistoryTab(): ReactElement {
  const chosen = useRunHistory((state) => state.compared);
  // The newest one is known only when the list is here.
  const [unchosen, setUnchosen] = useState(NONE);
  const wanted = chosen ?? unchosen;
  const data = useCurvesData(wanted);
  const runs = useRunsOfDocument(data.runs);
  const newest = runs[0]?.runId;
  useEffect(() => setUnchosen(newest === undefined ? NONE : [newest]), [newest]);
  const compared = useMemo(
    () => wanted.filter((runId) => runs.some((run) => run.runId === runId)),
    [wanted, runs],
  );
  const shown = useShownRuns(data, compared);
  if (runs.length === 0) {
    return (
      <>
        <QueueList />
        <EmptyText>
          <Dropped />
          {words.empty}
          <div>
            <CommandButton command={runCommands.once} icon />
          </div>
        </EmptyText>
      </>
    );
  }
  return (
    <>
      <TabBar className={textStyles.muted}>
        <span>{words.kept({ count: runs.length })}</span>
        <Dropped />
        <span className={textStyles.grow} />
        <CommandButton command={runCommands.enqueue} size="small" variant="ghost" />
        <CommandButton command={runHistoryCommands.clear} size="small" variant="ghost" />
      </TabBar>
      <div className={styles.columns}>
        <div className={styles.list}>
          <QueueList />
          <RunList runs={runs} compared={compared} />
        </div>
        <RunComparison shown={shown} data={data} />
      </div>
    </>
  );
}
