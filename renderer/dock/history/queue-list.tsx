import type { ReactElement } from "react";
import { queuedRunCommands } from "../../commands/run-commands.js";
import { CommandIconButton } from "../../parts/command-button.js";
import { useRun } from "../../stores/run-store.js";
import { texts } from "../../texts/texts.js";
import textStyles from "../../ui/text.module.css";
import styles from "./queue-list.module.css";

const words = texts.dock.queueList;

/** The runs that wait, of any document; at most as many as the application accepts. */
export function QueueList(): ReactElement | null {
  const queue = useRun((state) => state.queue);
  if (queue.length === 0) return null;
  return (
    <section className={styles.queue} aria-label={words.waitingRuns}>
      <ol>
        {queue.map((run) => (
          <li key={run.queueId}>
            <span className={textStyles.truncated}>
              {run.configuration ?? words.run}
              <span className={textStyles.muted}>
                {" "}
                {run.document === undefined
                  ? words.ofAnother({ steps: run.steps })
                  : words.of({ document: run.document, steps: run.steps })}
              </span>
            </span>
            <CommandIconButton command={queuedRunCommands.remove} target={run} text="named" small />
          </li>
        ))}
      </ol>
    </section>
  );
}
