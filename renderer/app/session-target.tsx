import type { ReactElement } from "react";
import type { Gateway, Task } from "../../main/api/cluster.js";
import { clusterHealth } from "../cluster/health.js";
import { taskName } from "../cluster/task-name.js";
import { clusterCommands, membershipCommands } from "../commands/cluster-commands.js";
import { menuEntry } from "../commands/menu-entry.js";
import { useApp } from "../stores/app-store.js";
import { runMachinesOf, runMembershipOf, useCluster } from "../stores/cluster-store.js";
import { useKubernetes } from "../stores/kubernetes-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { Icon } from "../ui/icon.js";
import { Menu, type MenuEntry } from "../ui/menu.js";
import { StatusDot } from "../ui/status-dot.js";
import { Swatch } from "../ui/swatch.js";
import { Tag } from "../ui/tag.js";
import textStyles from "../ui/text.module.css";
import narrowStyles from "./narrow-window.module.css";
import styles from "./session-target.module.css";

const words = texts.app.sessionTarget;

/** Targets of single tasks that the menu lists. */
const MOST_TARGETS = 8;

/** The cluster of the session, its membership, and how a Python script reaches it. */
export function SessionTarget(): ReactElement {
  const tasks = useCluster((state) => state.tasks);
  const membership = useCluster((state) => runMembershipOf(state) ?? "dynamic");
  const kubernetes = useKubernetes(({ used }) => used?.cluster);
  const connected = useApp((state) => state.connection === "connected");
  const access = useCluster((state) => state.state?.access ?? "secure");
  const gateway = useCluster((state) => state.state?.gateway);
  const hosts = useCluster(
    (state) => runMachinesOf(state).filter((machine) => machine.tasks.length > 0).length,
  );
  const health = connected ? clusterHealth(tasks) : ({ dot: "off", text: words.notConnected } as const);
  const up = tasks.filter(({ state, address }) => state === "running" && address !== "");
  const target = kubernetes === undefined && gateway && !gateway.problem ? gateway.target : undefined;
  /** The part that belongs to the machines' own cluster. */
  const ownEntries = (): MenuEntry[] => [
    ...gatewayEntries(gateway),
    { kind: "heading", text: words.membership },
    ...Object.values(membershipCommands).map((one) => menuEntry(one.now(), "short")),
    { kind: "separator" },
    { ...menuEntry(clusterCommands.access.now(), "short"), hint: undefined },
    { kind: "separator" },
  ];
  const entries = (): MenuEntry[] => [
    ...(kubernetes === undefined ? ownEntries() : []),
    { kind: "heading", text: up.length > 0 ? words.copyTarget : words.useFromPython },
    ...(up.length > 0
      ? up.slice(0, MOST_TARGETS).map(targetEntry)
      : [{ kind: "heading" as const, text: words.noTarget }]),
    ...(up.length > MOST_TARGETS
      ? [{ ...menuEntry(clusterCommands.python.now()), hint: words.allTasks({ count: up.length }) }]
      : []),
    ...(up.length > 0 && membership === "dynamic" ? [{ kind: "heading" as const, text: words.reach }] : []),
  ];
  return (
    <Menu
      label={words.label}
      trigger={
        <button type="button" className={styles.target}>
          <StatusDot kind={health.dot} />
          <span className={textStyles.spokenOnly}>{words.before} </span>
          <span className={textStyles.monospace}>{kubernetes ?? target ?? words.local}</span>
          <span className={textStyles.spokenOnly}>, {health.text},</span>
          <span className={classNames(textStyles.muted, narrowStyles.notInNarrowWindow)}>
            {words.tasks({ count: tasks.length })}
            {kubernetes !== undefined ? ` ${words.inKubernetes}` : null}
            {membership === "fixed" || target !== undefined ? null : (
              <span className={narrowStyles.inWideWindow}>
                {" "}
                {hosts > 1 ? words.onMachines({ count: hosts }) : words.onThisMachine}
              </span>
            )}
          </span>
          {membership === "fixed" ? <Tag>{words.fixed}</Tag> : null}
          {access === "open" ? <Tag tone="warning">{words.open}</Tag> : null}
          <Icon name="chevron-down" />
        </button>
      }
      entries={entries}
    />
  );
}

/** The one address at which a stock script uses the whole cluster. */
function gatewayEntries(gateway: Gateway | undefined): readonly MenuEntry[] {
  if (gateway === undefined) return [];
  const heading: MenuEntry = { kind: "heading", text: words.gatewayHeading };
  const entry: MenuEntry = gateway.problem
    ? { kind: "heading", text: [gateway.problem.message, gateway.problem.remedy].filter(Boolean).join(" ") }
    : {
        kind: "copy",
        label: gateway.target,
        text: gateway.target,
        hint: words.wholeCluster,
      };
  return [heading, entry, { kind: "separator" }];
}

function targetEntry(task: Task): MenuEntry {
  const text = `grpc://${task.address}`;
  return { kind: "copy", label: text, text, swatch: <Swatch task={task} />, hint: taskName(task) };
}
