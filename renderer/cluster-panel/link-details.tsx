import { type ReactElement, useState } from "react";
import type { Layer, LayerResult, Route } from "../../main/api/reachability.js";
import { type Link, linkKey } from "../cluster/routes.js";
import { taskName } from "../cluster/task-name.js";
import { linkCommands, routeCommands } from "../commands/cluster-commands.js";
import { blockOf } from "../commands/target-kinds.js";
import { CommandButton } from "../parts/command-button.js";
import { ProblemView, withoutRemedy } from "../parts/problem-view.js";
import { attempt } from "../stores/app-store.js";
import { useCluster } from "../stores/cluster-store.js";
import { measureThroughput, useReachability } from "../stores/reachability-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import { bytesText, durationText, rateText } from "../ui/format.js";
import { Icon, type IconName } from "../ui/icon.js";
import { bold } from "../ui/rich-parts.js";
import textStyles from "../ui/text.module.css";
import styles from "./link-details.module.css";
import { useFixable } from "./use-fixable.js";

const words = texts.clusterPanel.linkDetails;

const LAYERS: Readonly<Record<Layer, string>> = {
  ...words.layers,
  tcp: "TCP",
  tls: "TLS",
  http2: "HTTP/2",
  status: "GetStatus",
};
const SIGNS: Readonly<Record<LayerResult["outcome"], IconName>> = {
  ok: "check",
  failed: "close",
  skipped: "minus",
};

interface LinkDetailsProps {
  readonly from: { readonly id: string; readonly name: string };
  readonly to: { readonly id: string; readonly name: string };
  readonly link: Link | undefined;
  onClose(): void;
}

/**
 * The test results of one machine's connections to another, layer by layer, and the actions to fix and measure them.
 */
export function LinkDetails({ from, to, link, onClose }: LinkDetailsProps): ReactElement {
  const firewallOf = link?.outcome === "failed" ? link.firewallOf : undefined;
  const routes = (link?.routes ?? []).toSorted(
    (one, other) => Number(one.outcome !== "failed") - Number(other.outcome !== "failed"),
  );
  return (
    <div className={styles.sheet}>
      <h3>
        {from.name} → {to.name}
      </h3>
      {routes.length === 0 ? <p className={textStyles.muted}>{words.notTested}</p> : null}
      {routes.map((route) => (
        <RouteLayers key={`${route.address} ${route.taskId ?? ""}`} route={route} />
      ))}
      <Speed from={from.id} to={to.id} ok={link?.outcome === "ok"} />
      <div className={styles.buttons}>
        {firewallOf === undefined ? null : (
          <CommandButton
            command={routeCommands.fix}
            target={blockOf(firewallOf, from.id)}
            size="small"
            variant="primary"
            before={onClose}
          />
        )}
        <CommandButton command={linkCommands.check} size="small" />
      </div>
    </div>
  );
}

function RouteLayers({ route }: { readonly route: Route }): ReactElement {
  const task = useCluster((store) => store.ownTasks.find(({ id }) => id === route.taskId));
  const isFixable = useFixable(route.firewallOf);
  const what = route.taskId === undefined ? words.agent : task ? taskName(task) : words.task;
  return (
    <section className={styles.route}>
      <div className={styles.routeHead}>
        <span className={classNames(textStyles.monospace, styles.address)}>{route.address}</span>
        <span className={textStyles.muted}>
          {route.via === "tunnel" ? words.throughTunnel({ what }) : what}
        </span>
      </div>
      <ul className={styles.layers}>
        {route.layers
          .filter(({ outcome }) => outcome !== "skipped")
          .map(({ layer, outcome, millis, detail }) => (
            <li key={layer} className={outcome === "failed" ? styles.failed : undefined}>
              <Icon name={SIGNS[outcome]} size={13} />
              <span>{LAYERS[layer]}</span>
              <span className={outcome === "failed" ? undefined : textStyles.muted}>
                {layerText({ outcome, millis, detail })}
              </span>
            </li>
          ))}
      </ul>
      {route.problem ? (
        <ProblemView problem={isFixable ? withoutRemedy(route.problem) : route.problem} kind="notice" />
      ) : null}
    </section>
  );
}

/** "16.4 ms, connected to 10.0.0.2"; the time is not repeated if the detail includes it. */
function layerText({ outcome, millis, detail }: Pick<LayerResult, "outcome" | "millis" | "detail">): string {
  if (outcome === "failed") return detail || words.failed;
  const time = millis === undefined ? words.ok : durationText(millis);
  if (!detail) return time;
  return /\d ms\b/.test(detail) ? detail : words.layer({ time, detail });
}

interface SpeedProps {
  readonly from: string;
  readonly to: string;
  readonly ok: boolean;
}

/** Measured on demand only: it fills the link for a moment. */
function Speed({ from, to, ok }: SpeedProps): ReactElement | null {
  const speed = useReachability((store) => store.speeds.get(linkKey(from, to)));
  const [measuring, setMeasuring] = useState(false);
  if (!ok) return null;
  const measure = () => {
    setMeasuring(true);
    attempt(() => measureThroughput(from, to).finally(() => setMeasuring(false)));
  };
  return (
    <div className={styles.speed}>
      <span>
        {speed ? (
          words.speed({
            rate: rateText(speed.megabytesPerSecond),
            bytes: bytesText(speed.bytes),
            seconds: durationText(1000 * speed.seconds),
            roundTrip: durationText(speed.roundTripMillis),
            b: bold,
            part: (children) => <span className={textStyles.muted}>{children}</span>,
          })
        ) : (
          <span className={textStyles.muted}>{words.speedNotMeasured}</span>
        )}
      </span>
      <span className={textStyles.grow} />
      <Button size="small" disabled={measuring} onClick={measure}>
        {measuring ? words.measuring : words.measure}
      </Button>
    </div>
  );
}
