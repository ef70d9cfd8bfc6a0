import { type ReactElement, useMemo } from "react";
import type { Machine } from "../../main/api/cluster.js";
import type { Route } from "../../main/api/reachability.js";
import { linksOf } from "../cluster/routes.js";
import { linkCommands } from "../commands/cluster-commands.js";
import { CommandButton, CommandIconButton, CommandLink } from "../parts/command-button.js";
import { useReachability } from "../stores/reachability-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { Icon } from "../ui/icon.js";
import { Spinner } from "../ui/spinner.js";
import textStyles from "../ui/text.module.css";
import { LinkTable } from "./link-table.js";
import styles from "./links.module.css";

const words = texts.clusterPanel.links;

/** A table of more machines than this has no room in the panel; its faults are counted and it opens as a dialog. */
const MOST_IN_PANEL = 4;

/** Machines that take part in the table: our machines that are online, and all tested ones. */
export function linkedMachines(machines: readonly Machine[], routes: readonly Route[]): readonly Machine[] {
  const tested = new Set(routes.flatMap(({ from, to }) => [from, to]));
  return machines.filter(
    ({ id, kind, presence }) =>
      tested.has(id) || ((kind === "this" || kind === "paired") && presence === "online"),
  );
}

/** Which machines reach each other, at the bottom of the panel; nothing while there is only one machine. */
export function Links({ machines }: { readonly machines: readonly Machine[] }): ReactElement | null {
  const state = useReachability((store) => store.state);
  const linked = linkedMachines(machines, state?.routes ?? []);
  if (linked.length < 2) return null;
  const checking = state?.state === "checking";
  return (
    <section className={styles.links} aria-label={words.label}>
      <div className={styles.head}>
        <b>{words.heading}</b>
        <span className={classNames(textStyles.muted, textStyles.truncated)} title={words.legendTitle}>
          {words.legend}
        </span>
        <span className={textStyles.grow} />
        {checking ? <Spinner label={words.checking} /> : null}
        <CommandIconButton command={linkCommands.check} text="short" small />
      </div>
      {linked.length > MOST_IN_PANEL ? <Summary /> : <LinkTable machines={linked} />}
      <Diagnoses />
    </section>
  );
}

function Summary(): ReactElement {
  const routes = useReachability((store) => store.state?.routes);
  const links = useMemo(() => [...linksOf(routes ?? []).values()], [routes]);
  const of = (outcome: "ok" | "failed" | "unknown") =>
    links.filter((link) => link.outcome === outcome).length;
  const blocked = of("failed");
  return (
    <div className={styles.summary}>
      {blocked > 0 ? (
        <span className={styles.failed}>
          <Icon name="error" size={13} /> {words.blocked({ count: blocked })}
        </span>
      ) : null}
      <span className={textStyles.muted}>{words.ok({ count: of("ok") })}</span>
      {of("unknown") > 0 ? (
        <span className={textStyles.muted}>{words.notTested({ count: of("unknown") })}</span>
      ) : null}
      <span className={textStyles.grow} />
      <CommandButton command={linkCommands.show} size="small" />
    </div>
  );
}

/** Problems of the cluster as a whole. Those of a task or machine are shown there. */
function Diagnoses(): ReactElement | null {
  const diagnoses = useReachability((store) => store.state?.diagnoses);
  const shown = diagnoses?.filter(({ severity }) => severity !== "info") ?? [];
  if (shown.length === 0) return null;
  return (
    <CommandLink command={linkCommands.show} className={styles.diagnoses}>
      {() => (
        <>
          <Icon name="warning" size={13} />
          {words.findings({ count: shown.length })}
        </>
      )}
    </CommandLink>
  );
}
