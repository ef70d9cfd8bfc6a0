import type { ReactElement } from "react";
import type { Reachability } from "../../main/api/reachability.js";
import { linkCommands } from "../commands/cluster-commands.js";
import { CommandButton } from "../parts/command-button.js";
import { ProblemView } from "../parts/problem-view.js";
import { machinesOf, useCluster } from "../stores/cluster-store.js";
import { useReachability } from "../stores/reachability-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { Dialog, DialogBody } from "../ui/dialog.js";
import { timeText } from "../ui/format.js";
import textStyles from "../ui/text.module.css";
import { LinkTable } from "./link-table.js";
import { linkedMachines } from "./links.js";
import styles from "./links-dialog.module.css";

const words = texts.clusterPanel.linksDialog;

const KINDS = { error: "problem", warning: "notice", info: "info" } as const;

/** Which machines reach each other, and the recognised problems. */
export function LinksDialog(): ReactElement {
  const machines = useCluster(machinesOf);
  const state = useReachability((store) => store.state);
  const linked = linkedMachines(machines, state?.routes ?? []);
  return (
    <Dialog
      width="wide"
      icon="link"
      title={words.title}
      onClose={uiActions.close}
      footer={
        <>
          <span className={classNames(textStyles.grow, textStyles.muted)}>{checkedText(state)}</span>
          <CommandButton command={linkCommands.check} icon />
        </>
      }
    >
      <DialogBody className={styles.body}>
        {(state?.diagnoses ?? []).map(({ id, severity, problem, machineId, taskId }) => (
          <ProblemView
            key={`${id} ${machineId ?? ""} ${taskId ?? ""}`}
            problem={problem}
            kind={KINDS[severity]}
          />
        ))}
        {linked.length < 2 ? (
          <p>{words.alone}</p>
        ) : (
          <>
            <p className={textStyles.muted}>{words.legend}</p>
            <LinkTable machines={linked} large />
          </>
        )}
      </DialogBody>
    </Dialog>
  );
}

function checkedText(state: Reachability | undefined): string {
  if (state?.state === "checking") return words.checking;
  return state?.checkedAt === undefined
    ? words.notChecked
    : words.checkedAt({ time: timeText(state.checkedAt) });
}
