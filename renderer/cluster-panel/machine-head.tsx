import type { ReactElement, ReactNode } from "react";
import type { Machine } from "../../main/api/cluster.js";
import {
  hardwareText,
  machineIcon,
  presenceText,
  spokenPresence,
  systemText,
} from "../cluster/machine-text.js";
import { machineCommands } from "../commands/machine-commands.js";
import { CommandButton } from "../parts/command-button.js";
import { useUnseenSince } from "../stores/app-store.js";
import { newestOfMachine, useSamples } from "../stores/samples-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { Icon } from "../ui/icon.js";
import { IconButton } from "../ui/icon-button.js";
import { Menu } from "../ui/menu.js";
import { StatusDot } from "../ui/status-dot.js";
import { Tag } from "../ui/tag.js";
import textStyles from "../ui/text.module.css";
import styles from "./machine-head.module.css";
import { MachineLoad } from "./machine-load.js";
import { machineMenu } from "./machine-menu.js";

const words = texts.clusterPanel.machineHead;

interface MachineHeadProps {
  readonly machine: Machine;
  /** Tells it from another machine with the same name. */
  readonly mark: string | undefined;
  readonly focusable: boolean;
  /** Place among all machines, from 1; the page holds only some of them. */
  readonly position: number;
  readonly machineCount: number;
  onFocus(): void;
}

/** A machine: its presence, its hardware and its load. */
export function MachineHead(props: MachineHeadProps): ReactElement {
  const { machine, mark, focusable, position, machineCount, onFocus } = props;
  const { name, kind, presence } = machine;
  const discovered = kind === "discovered";
  const unseenSince = useUnseenSince();
  return (
    <div
      className={styles.machine}
      role="treeitem"
      aria-level={1}
      aria-setsize={machineCount}
      aria-posinset={position}
      aria-expanded={machine.tasks.length > 0 ? true : undefined}
      tabIndex={focusable ? 0 : -1}
      data-machine-id={machine.id}
      onFocus={onFocus}
    >
      {/* The text for screen readers, as one sentence; the visible parts are hidden from them. */}
      <span className={textStyles.spokenOnly}>
        {[name, mark, spokenPresence(machine, unseenSince), systemText(machine)].filter(Boolean).join(", ")},{" "}
        <Hardware machine={machine} />
      </span>
      <div className={styles.head}>
        <PresenceDot machine={machine} known={unseenSince === undefined} />
        <b
          aria-hidden="true"
          className={classNames(textStyles.truncated, presence === "offline" && styles.offline)}
          title={name}
        >
          {name}
        </b>
        {mark === undefined ? null : (
          <span
            aria-hidden="true"
            className={classNames(textStyles.muted, textStyles.monospace)}
            title={words.markTitle}
          >
            {mark}
          </span>
        )}
        <span aria-hidden="true" className={styles.state}>
          {presenceText(machine, unseenSince)}
        </span>
        {machine.role === "view" ? <Tag title={words.viewOnlyTitle}>{words.viewOnly}</Tag> : null}
        <span className={textStyles.grow} />
        {discovered ? (
          <CommandButton command={machineCommands.pair} target={machine} size="small" spoken="named" />
        ) : null}
        <Menu
          align="end"
          label={words.menu({ name })}
          trigger={
            <IconButton icon="more" label={words.menu({ name })} data-row-menu="" tabIndex={-1} small />
          }
          entries={() => machineMenu(machine)}
        />
      </div>
      <div
        aria-hidden="true"
        className={styles.hardware}
        title={[systemText(machine), ...machine.addresses].filter(Boolean).join("\n")}
      >
        <Icon name={machineIcon(machine)} size={14} />
        <span className={textStyles.truncated}>
          <Hardware machine={machine} />
        </span>
      </div>
      {presence === "online" && unseenSince === undefined ? <MachineLoad machine={machine} /> : null}
    </div>
  );
}

/** The measured use of the GPUs; a separate component, so a new sample renders nothing else again. */
function Hardware({ machine }: { readonly machine: Machine }): ReactNode {
  return useSamples((store) => hardwareText(machine, newestOfMachine(store, machine.id)?.gpus));
}

interface PresenceDotProps {
  readonly machine: Machine;
  /** False: the window has no news of the machine. */
  readonly known: boolean;
}

/** Circles mean status; a dashed one is not paired. The same is written next to it in words. */
function PresenceDot({ machine: { kind, presence }, known }: PresenceDotProps): ReactElement {
  const now = known ? presence : "offline";
  const dot =
    kind === "discovered" ? "ring" : ({ online: "ok", connecting: "warning", offline: "off" } as const)[now];
  return <StatusDot kind={dot} />;
}
