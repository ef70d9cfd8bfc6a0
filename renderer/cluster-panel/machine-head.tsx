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
import { newestOfMachine, useSamples } from "../stores/samples-store.js";
import { IconButton } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import { Menu } from "../ui/menu.js";
import { MachineLoad } from "./machine-load.js";
import { machineMenu } from "./machine-menu.js";

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

/** A machine: whether it is there, what it has to compute with, how busy it is. */
export function MachineHead(props: MachineHeadProps): ReactElement {
  const { machine, mark, focusable, position, machineCount, onFocus } = props;
  const { name, kind, presence } = machine;
  const discovered = kind === "discovered";
  return (
    <div
      className="mach-head"
      role="treeitem"
      aria-level={1}
      aria-setsize={machineCount}
      aria-posinset={position}
      aria-expanded={machine.tasks.length > 0 ? true : undefined}
      tabIndex={focusable ? 0 : -1}
      data-machine-id={machine.id}
      onFocus={onFocus}
    >
      {/* What is read out, in words and in one piece; what is drawn of it is not read again. */}
      <span className="hidden-text">
        {[name, mark, spokenPresence(machine), systemText(machine)].filter(Boolean).join(", ")},{" "}
        <Hardware machine={machine} />
      </span>
      <div className="mh">
        <PresenceDot machine={machine} />
        <b aria-hidden="true" className={presence === "offline" ? "ell fg2" : "ell"} title={name}>
          {name}
        </b>
        {mark === undefined ? null : (
          <span
            aria-hidden="true"
            className="fg2 mono"
            title="Another machine has this name; its device ID begins so"
          >
            {mark}
          </span>
        )}
        <span aria-hidden="true" className="fg2 mh-state">
          {presenceText(machine)}
        </span>
        {machine.role === "view" ? (
          <span className="tag" title="This machine may only look there: it was paired with the role view">
            view only
          </span>
        ) : null}
        <span className="grow" />
        {discovered ? (
          <CommandButton command={machineCommands.pair} target={machine} size="small" spoken="named" />
        ) : null}
        <Menu
          align="end"
          label={`Menu of ${name}`}
          trigger={<IconButton icon="more" label={`Menu of ${name}`} data-row-menu="" tabIndex={-1} small />}
          entries={() => machineMenu(machine)}
        />
      </div>
      <div
        aria-hidden="true"
        className="msub"
        title={[systemText(machine), ...machine.addresses].filter(Boolean).join("\n")}
      >
        <Icon name={machineIcon(machine)} size={14} />
        <span className="ell">
          <Hardware machine={machine} />
        </span>
      </div>
      {presence === "online" ? <MachineLoad machine={machine} /> : null}
    </div>
  );
}

/** Of GPUs it says how much is used, which is measured: apart, so that nothing else is drawn again for it. */
function Hardware({ machine }: { readonly machine: Machine }): ReactNode {
  return useSamples((store) => hardwareText(machine, newestOfMachine(store, machine.id)?.gpus));
}

/** Circles mean status; a dashed one is not paired. What it says also stands in words beside it. */
function PresenceDot({ machine: { kind, presence } }: { readonly machine: Machine }): ReactElement {
  const look =
    kind === "discovered" ? "ring" : { online: "ok", connecting: "warn", offline: "off" }[presence];
  return <span className={`dot ${look}`} aria-hidden="true" />;
}
