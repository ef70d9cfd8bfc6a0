import { type ReactElement, type ReactNode, useState } from "react";
import { useShallow } from "zustand/react/shallow";
import type { Access, ClusterState } from "../../main/api/cluster.js";
import { changeAccess, stoppable } from "../actions/cluster-actions.js";
import { ProblemView } from "../parts/problem-view.js";
import { attempt } from "../stores/app-store.js";
import { useCluster } from "../stores/cluster-store.js";
import { isActive, useRun } from "../stores/run-store.js";
import { uiActions } from "../stores/ui-store.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import { Dialog } from "../ui/dialog.js";
import { countText, listText } from "../ui/format.js";
import { Icon, type IconName } from "../ui/icon.js";
import textStyles from "../ui/text.module.css";
import styles from "./access-dialog.module.css";

/** Who can use the cluster: what each choice allows, costs and restarts. Opening requires a second click. */
export function AccessDialog({ wanted: asked }: { readonly wanted: Access | undefined }): ReactElement {
  const now = useCluster((store) => store.state?.access ?? "secure");
  const exposures = useCluster((store) => store.state?.exposures);
  const refusing = useCluster(useShallow((store) => refusingMachines(store.state)));
  const gateway = useCluster((store) => store.state?.gateway?.target);
  const [wanted, setWanted] = useState<Access>(asked ?? now);
  const [confirming, setConfirming] = useState(false);
  const choose = (access: Access) => {
    setWanted(access);
    setConfirming(false);
  };
  const change = () => {
    uiActions.close();
    attempt(() => changeAccess(wanted));
  };
  return (
    <Dialog
      width="wide"
      icon={now === "open" ? "unlock" : "lock"}
      title="Who can use this cluster"
      onClose={uiActions.close}
      footer={
        <Footer
          now={now}
          wanted={wanted}
          confirming={confirming}
          onConfirm={() => setConfirming(true)}
          onChange={change}
        />
      }
    >
      <div className={styles.choices} role="radiogroup" aria-label="Who can use this cluster">
        <Card
          icon="unlock"
          title="Open cluster"
          hint={now === "open" ? "now; works with any TensorFlow" : "works with any TensorFlow"}
          checked={wanted === "open"}
          onChoose={() => choose("open")}
          foot="The firewall wizard opens ports for private networks only; Public networks stay closed."
        >
          <Point icon="check">
            Plain <span className={textStyles.monospace}>grpc://</span> sessions work: Python scripts,
            TensorBoard, other tools.
          </Point>
          <Point icon="warning">
            <b>Anyone on this network can run code on these machines</b> and read every tensor.
          </Point>
          <Point icon="warning">Tensors travel unencrypted. Fine at home; not on shared Wi-Fi.</Point>
          {refusing.length > 0 ? (
            <Point icon="warning">
              {listText(refusing)} {refusing.length === 1 ? "does" : "do"} not allow it yet: tasks there can
              be opened once <i>Let other machines start tasks that the network reaches</i> is on in the
              settings there.
            </Point>
          ) : null}
        </Card>
        <Card
          icon="lock"
          title="Secure cluster"
          hint={now === "secure" ? "now; paired machines only" : "paired machines only"}
          checked={wanted === "secure"}
          onChoose={() => choose("secure")}
          foot="Other users of the same machine still reach its local ports."
        >
          <Point icon="check">
            Only machines you paired can connect. Traffic between them is encrypted with their keys.
          </Point>
          <Point icon="info">
            Python scripts on a paired machine work there as they are
            {gateway ? (
              <>
                ; on this one at <span className={textStyles.monospace}>{gateway}</span>
              </>
            ) : null}
            .
          </Point>
          <Point icon="info">
            Every tensor between machines passes through a tunnel, which takes some time.
          </Point>
          <Point icon="info">
            On Linux the tasks have no other network, so a graph cannot read{" "}
            <span className={textStyles.monospace}>gs://</span> or{" "}
            <span className={textStyles.monospace}>http://</span> files.
          </Point>
          <Point icon="info">Machines without Tensordeck cannot join.</Point>
        </Card>
      </div>
      {exposures !== undefined && exposures.length > 0 ? (
        <div className={styles.exposures}>
          {exposures.map((problem) => (
            <ProblemView key={problem.message} problem={problem} kind="notice" />
          ))}
        </div>
      ) : null}
    </Dialog>
  );
}

/** Names of the machines that let the network reach no task of another one. */
function refusingMachines(state: ClusterState | undefined): string[] {
  return (state?.machines ?? []).flatMap(({ kind, exposure, name }) =>
    kind === "paired" && exposure?.allowed === false ? [name] : [],
  );
}

interface CardProps {
  readonly icon: IconName;
  readonly title: string;
  readonly hint: string;
  readonly checked: boolean;
  readonly foot: string;
  readonly children: ReactNode;
  onChoose(): void;
}

function Card({ icon, title, hint, checked, foot, children, onChoose }: CardProps): ReactElement {
  return (
    <label className={classNames(styles.card, checked && styles.chosen)}>
      <span className={styles.head}>
        <input type="radio" name="access" checked={checked} onChange={onChoose} />
        <Icon name={icon} />
        <b>{title}</b>
        <span className={styles.hint}>{hint}</span>
      </span>
      <span className={styles.points}>{children}</span>
      <span className={styles.foot}>{foot}</span>
    </label>
  );
}

const TONES: Partial<Record<IconName, string | undefined>> = {
  check: styles.good,
  warning: styles.warning,
};

function Point({ icon, children }: { readonly icon: IconName; readonly children: ReactNode }): ReactElement {
  return (
    <span className={classNames(styles.point, TONES[icon])}>
      <Icon name={icon} />
      <span>{children}</span>
    </span>
  );
}

interface FooterProps {
  readonly now: Access;
  readonly wanted: Access;
  readonly confirming: boolean;
  onConfirm(): void;
  onChange(): void;
}

function Footer({ now, wanted, confirming, onConfirm, onChange }: FooterProps): ReactElement {
  const running = useRun((store) => isActive(store.newest));
  const tasks = stoppable().length;
  const restart = tasks > 0 ? ` and restart ${countText(tasks, "task")}` : "";
  const cost = [
    tasks > 0 ? `${countText(tasks, "task")} restart, and their variables are lost.` : "",
    running ? "The run in progress fails." : "",
    wanted === now ? "" : `You can go back to ${now} at any time.`,
  ];
  if (wanted === now) {
    return (
      <>
        <span className={classNames(textStyles.grow, textStyles.muted)}>This is the current setting.</span>
        <Button onClick={uiActions.close}>Close</Button>
      </>
    );
  }
  if (confirming) {
    return (
      <>
        <span className={textStyles.grow} role="alert">
          <b>Open it to everyone on this network?</b> Nobody has to sign in.
        </span>
        <Button onClick={uiActions.close}>Cancel</Button>
        <Button variant="danger" icon="unlock" onClick={onChange}>
          Open{restart}
        </Button>
      </>
    );
  }
  return (
    <>
      <span className={classNames(textStyles.grow, textStyles.muted)}>{cost.filter(Boolean).join(" ")}</span>
      <Button onClick={uiActions.close}>Cancel</Button>
      {wanted === "open" ? (
        <Button onClick={onConfirm}>Make open…</Button>
      ) : (
        <Button variant="primary" onClick={onChange}>
          Make secure{restart}
        </Button>
      )}
    </>
  );
}
