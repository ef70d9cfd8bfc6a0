import { type ReactElement, type ReactNode, useState } from "react";
import { useShallow } from "zustand/react/shallow";
import type { Access, ClusterState } from "../../main/api/cluster.js";
import { changeAccess, stoppable } from "../actions/cluster-actions.js";
import { ProblemView } from "../parts/problem-view.js";
import { attempt } from "../stores/app-store.js";
import { useCluster } from "../stores/cluster-store.js";
import { isActive, useRun } from "../stores/run-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import { Dialog } from "../ui/dialog.js";
import { listText } from "../ui/format.js";
import { Icon, type IconName } from "../ui/icon.js";
import { bold, italic, monospace } from "../ui/rich-parts.js";
import textStyles from "../ui/text.module.css";
import styles from "./access-dialog.module.css";

const words = texts.dialogs.accessDialog;

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
      title={words.title}
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
      <div className={styles.choices} role="radiogroup" aria-label={words.title}>
        <Card
          icon="unlock"
          title={words.open.title}
          hint={now === "open" ? words.open.hintNow : words.open.hint}
          checked={wanted === "open"}
          onChoose={() => choose("open")}
          foot={words.open.foot}
        >
          <Point icon="check">{words.open.sessions({ code: monospace })}</Point>
          <Point icon="warning">{words.open.exposed({ b: bold })}</Point>
          <Point icon="warning">{words.open.unencrypted}</Point>
          {refusing.length > 0 ? (
            <Point icon="warning">
              {words.open.refusing({ machines: listText(refusing), count: refusing.length, i: italic })}
            </Point>
          ) : null}
        </Card>
        <Card
          icon="lock"
          title={words.secure.title}
          hint={now === "secure" ? words.secure.hintNow : words.secure.hint}
          checked={wanted === "secure"}
          onChoose={() => choose("secure")}
          foot={words.secure.foot}
        >
          <Point icon="check">{words.secure.pairedOnly}</Point>
          <Point icon="info">
            {gateway ? words.secure.scriptsHere({ gateway, code: monospace }) : words.secure.scripts}
          </Point>
          <Point icon="info">{words.secure.tunnel}</Point>
          <Point icon="info">{words.secure.noFiles({ code: monospace })}</Point>
          <Point icon="info">{words.secure.noOthers}</Point>
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
  const count = stoppable().length;
  const cost = [
    count > 0 ? words.costs.tasks({ count }) : "",
    running ? words.costs.run : "",
    wanted === now ? "" : words.costs.backTo[now],
  ];
  if (wanted === now) {
    return (
      <>
        <span className={classNames(textStyles.grow, textStyles.muted)}>{words.current}</span>
        <Button onClick={uiActions.close}>{texts.common.close}</Button>
      </>
    );
  }
  if (confirming) {
    return (
      <>
        <span className={textStyles.grow} role="alert">
          {words.confirm({ b: bold })}
        </span>
        <Button onClick={uiActions.close}>{texts.common.cancel}</Button>
        <Button variant="danger" icon="unlock" onClick={onChange}>
          {count > 0 ? words.openAndRestart({ count }) : words.openNow}
        </Button>
      </>
    );
  }
  return (
    <>
      <span className={classNames(textStyles.grow, textStyles.muted)}>{cost.filter(Boolean).join(" ")}</span>
      <Button onClick={uiActions.close}>{texts.common.cancel}</Button>
      {wanted === "open" ? (
        <Button onClick={onConfirm}>{words.makeOpen}</Button>
      ) : (
        <Button variant="primary" onClick={onChange}>
          {count > 0 ? words.makeSecureAndRestart({ count }) : words.makeSecure}
        </Button>
      )}
    </>
  );
}
