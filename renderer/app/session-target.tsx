import type { ReactElement } from "react";
import type { Gateway, Task } from "../../main/api/cluster.js";
import { clusterHealth } from "../cluster/health.js";
import { taskName } from "../cluster/task-name.js";
import { clusterCommands, membershipCommands } from "../commands/cluster-commands.js";
import { menuEntry } from "../commands/menu-entry.js";
import { useApp } from "../stores/app-store.js";
import { machinesOf, useCluster } from "../stores/cluster-store.js";
import { classNames } from "../ui/class-names.js";
import { countText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { Menu, type MenuEntry } from "../ui/menu.js";
import { StatusDot } from "../ui/status-dot.js";
import { Swatch } from "../ui/swatch.js";
import { Tag } from "../ui/tag.js";
import textStyles from "../ui/text.module.css";
import narrowStyles from "./narrow-window.module.css";
import styles from "./session-target.module.css";

/** Targets of single tasks that the menu lists. */
const MOST_TARGETS = 8;

/** The cluster of the session, its membership, and how a Python script reaches it. */
export function SessionTarget(): ReactElement {
  const tasks = useCluster((state) => state.tasks);
  const membership = useCluster((state) => state.state?.membership ?? "dynamic");
  const connected = useApp((state) => state.connection === "connected");
  const access = useCluster((state) => state.state?.access ?? "secure");
  const gateway = useCluster((state) => state.state?.gateway);
  const hosts = useCluster((state) => machinesOf(state).filter((machine) => machine.tasks.length > 0).length);
  const health = connected ? clusterHealth(tasks) : ({ dot: "off", text: "not connected" } as const);
  const up = tasks.filter(({ state, address }) => state === "running" && address !== "");
  const target = gateway && !gateway.problem ? gateway.target : "local";
  const entries = (): MenuEntry[] => [
    ...gatewayEntries(gateway),
    { kind: "heading", text: "Membership" },
    ...Object.values(membershipCommands).map((one) => menuEntry(one.now(), "short")),
    { kind: "separator" },
    { ...menuEntry(clusterCommands.access.now(), "short"), hint: undefined },
    { kind: "separator" },
    { kind: "heading", text: up.length > 0 ? "Use from Python: copy a target" : "Use from Python" },
    ...(up.length > 0
      ? up.slice(0, MOST_TARGETS).map(targetEntry)
      : [{ kind: "heading" as const, text: "Start a worker to get a grpc:// target." }]),
    ...(up.length > MOST_TARGETS
      ? [{ ...menuEntry(clusterCommands.python.now()), hint: `all ${up.length} tasks` }]
      : []),
    ...(up.length > 0 && membership === "dynamic"
      ? [
          {
            kind: "heading" as const,
            text: "Each target reaches only its own task; with fixed membership, all of them.",
          },
        ]
      : []),
  ];
  return (
    <Menu
      label="Session target"
      trigger={
        <button type="button" className={styles.target}>
          <StatusDot kind={health.dot} />
          <span className={textStyles.spokenOnly}>Session target: </span>
          <span className={textStyles.monospace}>{target}</span>
          <span className={textStyles.spokenOnly}>, {health.text},</span>
          <span className={classNames(textStyles.muted, narrowStyles.notInNarrowWindow)}>
            {countText(tasks.length, "task")}
            {membership === "fixed" || target !== "local" ? null : (
              <span className={narrowStyles.inWideWindow}>
                {" "}
                on {hosts > 1 ? countText(hosts, "machine") : "this machine"}
              </span>
            )}
          </span>
          {membership === "fixed" ? <Tag>fixed</Tag> : null}
          {access === "open" ? <Tag tone="warning">open</Tag> : null}
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
  const heading: MenuEntry = { kind: "heading", text: "Target for scripts: copy it" };
  const entry: MenuEntry = gateway.problem
    ? { kind: "heading", text: [gateway.problem.message, gateway.problem.remedy].filter(Boolean).join(" ") }
    : {
        kind: "copy",
        label: gateway.target,
        text: gateway.target,
        hint: "the whole cluster",
      };
  return [heading, entry, { kind: "separator" }];
}

function targetEntry(task: Task): MenuEntry {
  const text = `grpc://${task.address}`;
  return { kind: "copy", label: text, text, swatch: <Swatch task={task} />, hint: taskName(task) };
}
