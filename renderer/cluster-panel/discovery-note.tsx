import type { ReactElement, ReactNode } from "react";
import type { ClusterState } from "../../main/api/cluster.js";
import type { Problem } from "../../main/api/problem.js";
import { clusterCommands } from "../commands/cluster-commands.js";
import { settingsCommands } from "../commands/settings-commands.js";
import { CommandButton } from "../parts/command-button.js";
import { ProblemView } from "../parts/problem-view.js";
import { useSettings } from "../stores/settings-store.js";
import { texts } from "../texts/texts.js";
import styles from "./discovery-note.module.css";
import { NoticeFrame } from "./notice-frame.js";

const words = texts.clusterPanel.discoveryNote;

const NOT_FOUND: Problem = {
  code: "UNAVAILABLE",
  message: words.problem,
  remedy: words.remedy,
};

/** Whether other machines can be found, if that is not obvious from the list itself. */
export function DiscoveryNote({ state }: { readonly state: ClusterState }): ReactElement | null {
  const { discovery, machines } = state;
  const visible = useSettings((store) => store.settings.visible);
  const alone = machines.every(({ kind }) => kind === "this");
  const unused = machines.every(({ tasks }) => tasks.length === 0);
  switch (discovery.state) {
    case "unavailable":
      return (
        <Warning problem={discovery.problem ?? NOT_FOUND}>
          <AddByAddress />
        </Warning>
      );
    case "off":
      if (discovery.problem) return <Warning problem={discovery.problem} />;
      // Switched off for this start only, by TENSORDECK_NETWORK, which a click cannot change.
      if (visible) return <Note text={words.off} />;
      return (
        <Note text={words.hidden}>
          <CommandButton command={settingsCommands.visible} size="small" />
        </Note>
      );
    case "searching":
    case "on":
      if (!alone) return null;
      if (unused) return <Note text={words.unused} />;
      if (discovery.state === "searching") return <Note text={words.searching} />;
      return (
        <Note text={words.nobody}>
          <AddByAddress />
        </Note>
      );
  }
}

/** The number of further machines nearby that are not listed. */
export function MoreMachines({ count }: { readonly count: number | undefined }): ReactElement | null {
  if (count === undefined) return null;
  return (
    <Note text={words.nearby({ count })}>
      <AddByAddress />
    </Note>
  );
}

interface WarningProps {
  readonly problem: Problem;
  readonly children?: ReactNode;
}

function Warning({ problem, children }: WarningProps): ReactElement {
  return (
    <NoticeFrame at="cluster">
      <ProblemView kind="notice" problem={problem}>
        {children}
      </ProblemView>
    </NoticeFrame>
  );
}

function Note({ text, children }: { readonly text: string; readonly children?: ReactNode }): ReactElement {
  return (
    <div className={styles.note}>
      <p>{text}</p>
      {children ? <div className={styles.buttons}>{children}</div> : null}
    </div>
  );
}

function AddByAddress(): ReactElement {
  return <CommandButton command={clusterCommands.addMachine} size="small" />;
}
