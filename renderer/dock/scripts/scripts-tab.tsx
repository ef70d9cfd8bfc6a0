import { type ReactElement, useEffect, useState } from "react";
import type { ScriptJob } from "../../../main/api/scripts.js";
import { attempt, useApp } from "../../stores/app-store.js";
import { catchUpScript, shownJob, useScripts } from "../../stores/script-store.js";
import { texts } from "../../texts/texts.js";
import { EmptyText } from "../../ui/empty-text.js";
import { ScriptCurves } from "./script-curves.js";
import { ScriptHead } from "./script-head.js";
import { ScriptLog } from "./script-log.js";
import { ScriptTasks } from "./script-tasks.js";
import styles from "./scripts-tab.module.css";

const words = texts.dock.scriptsTab;

/** The script that runs, or one that has run: its tasks, their output, and its curves. */
export default function ScriptsTab(): ReactElement {
  const job = useScripts(shownJob);
  return job ? <Job key={job.id} job={job} /> : <EmptyText>{words.none}</EmptyText>;
}

function Job({ job }: { readonly job: ScriptJob }): ReactElement {
  const connection = useApp((state) => state.connection);
  const [task, setTask] = useState<string>();
  const { id } = job;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is missing was written before this window was there
  useEffect(() => {
    if (connection === "connected") attempt(() => catchUpScript(job));
  }, [id, connection]);
  return (
    <div className={styles.job}>
      <ScriptHead job={job} onTask={setTask} />
      <div className={styles.columns}>
        <ScriptTasks job={job} selected={task} onSelect={setTask} />
        <ScriptLog job={job} task={task} onTask={setTask} />
        {job.request.scalars ? <ScriptCurves job={job} /> : null}
      </div>
    </div>
  );
}
