import type { ReactElement } from "react";
import { queuedRunCommands } from "../../commands/run-commands.js";
import { CommandIconButton } from "../../parts/command-button.js";
import { useRun } from "../../stores/run-store.js";
import { countText } from "../../ui/format.js";
import textStyles from "../../ui/text.module.css";
import styles from "./queue-list.module.css";

/** The runs that wait, of any document; at most as many as the application accepts. */
export function QueueList(): ReactElement | null {
  const queue = useRun((state) => state.queue);
  if (queue.length === 0) return null;
  return (
    <section className={styles.queue} aria-label="Waiting runs">
      <ol>
        {queue.map((run) => (
          <li key={run.queueId}>
            <span className={textStyles.truncated}>
              {run.configuration ?? "A run"}
              <span className={textStyles.muted}>
                {` of ${run.document ?? "another graph"}, ${countText(run.steps, "step")}, waiting`}
              </span>
            </span>
            <CommandIconButton command={queuedRunCommands.remove} target={run} text="named" small />
          </li>
        ))}
      </ol>
    </section>
  );
}
