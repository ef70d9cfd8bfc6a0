import { Popover } from "radix-ui";
import { memo, type ReactElement, type RefObject, useMemo, useRef, useState } from "react";
import type { Machine } from "../../main/api/cluster.js";
import { type Link, linkKey, linksOf } from "../cluster/routes.js";
import { keepEqual } from "../stores/keep-equal.js";
import { useReachability } from "../stores/reachability-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { roundTripText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { PopoverPanel } from "../ui/popover-panel.js";
import textStyles from "../ui/text.module.css";
import { LinkDetails } from "./link-details.js";
import styles from "./link-table.module.css";

const words = texts.clusterPanel.linkTable;

interface LinkTableProps {
  readonly machines: readonly Machine[];
  /** With the room of a dialog. */
  readonly large?: boolean;
}

/** Each row's machine connects to each column's. */
export function LinkTable({ machines, large = false }: LinkTableProps): ReactElement {
  const routes = useReachability((store) => store.state?.routes);
  const links = useMemo(() => linksOf(routes ?? []), [routes]);
  const before = useRef<readonly NamedMachine[]>([]);
  const named = useMemo(() => {
    const now = machines.map(({ id, name, presence }) => ({ id, name, offline: presence === "offline" }));
    before.current = keepEqual(before.current, now);
    return before.current;
  }, [machines]);
  return <Table machines={named} links={links} large={large} />;
}

interface NamedMachine {
  readonly id: string;
  readonly name: string;
  /** Measurements from before it went offline no longer hold. */
  readonly offline: boolean;
}

interface TableProps {
  /** The same object until a machine is added, removed, renamed or goes offline. */
  readonly machines: readonly NamedMachine[];
  readonly links: ReadonlyMap<string, Link>;
  readonly large: boolean;
}

interface Chosen {
  readonly from: NamedMachine;
  readonly to: NamedMachine;
}

const Table = memo(({ machines, links, large }: TableProps): ReactElement => {
  // One popover for all cells: sixty machines have four thousand of them.
  const [chosen, setChosen] = useState<Chosen>();
  /** Its cell, also while it closes. */
  const anchor = useRef<HTMLElement>(null);
  return (
    <div className={classNames(styles.scroll, large && styles.large)}>
      <table className={styles.table}>
        <thead>
          <tr>
            <td />
            {machines.map(({ id, name }) => (
              <th key={id} scope="col" title={name}>
                <span className={textStyles.truncated}>{name}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {machines.map((from) => (
            <tr key={from.id}>
              <th scope="row" title={from.name}>
                <span className={textStyles.truncated}>{from.name}</span>
              </th>
              {machines.map((to) => (
                <td key={to.id}>
                  {from.id === to.id ? (
                    <span className={textStyles.muted}>–</span>
                  ) : (
                    <Cell
                      from={from}
                      to={to}
                      link={links.get(linkKey(from.id, to.id))}
                      roomy={machines.length <= MOST_ROOMY}
                      chosen={chosen?.from.id === from.id && chosen.to.id === to.id}
                      onChoose={(cell) => {
                        anchor.current = cell;
                        setChosen({ from, to });
                      }}
                    />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <Popover.Root
        open={chosen !== undefined}
        onOpenChange={(open) => (open ? undefined : setChosen(undefined))}
      >
        <Popover.Anchor virtualRef={anchor as RefObject<HTMLElement>} />
        <Popover.Portal>
          <PopoverPanel
            label={chosen ? words.linkFromTo({ from: chosen.from.name, to: chosen.to.name }) : words.link}
            className={styles.details}
            side="top"
            sideOffset={4}
            collisionPadding={8}
            onCloseAutoFocus={(event) => {
              event.preventDefault();
              anchor.current?.focus();
            }}
          >
            {chosen ? (
              <LinkDetails
                from={chosen.from}
                to={chosen.to}
                link={links.get(linkKey(chosen.from.id, chosen.to.id))}
                onClose={() => setChosen(undefined)}
              />
            ) : null}
          </PopoverPanel>
        </Popover.Portal>
      </Popover.Root>
    </div>
  );
});
Table.displayName = "Table";

/** Up to this number of columns a cell has room for a sign next to its text. */
const MOST_ROOMY = 3;

function cellText(link: Link | undefined): string {
  if (link === undefined || link.outcome === "unknown") return "?";
  if (link.outcome === "ok")
    return link.roundTripMillis === undefined ? words.ok : roundTripText(link.roundTripMillis);
  return link.firewallOf === undefined ? words.fails : words.blocked;
}

interface CellProps {
  readonly from: NamedMachine;
  readonly to: NamedMachine;
  readonly link: Link | undefined;
  readonly roomy: boolean;
  readonly chosen: boolean;
  onChoose(cell: HTMLElement): void;
}

function Cell({ from, to, link, roomy, chosen, onChoose }: CellProps): ReactElement {
  const bad = link?.outcome === "failed";
  // For a machine that is online but does not respond, the obstacle is more informative than "offline".
  const away = bad ? undefined : [from, to].find(({ offline }) => offline);
  const text = away ? words.off : cellText(link);
  const spoken = away
    ? words.offline({ machine: away.name })
    : text === "?"
      ? words.notTested
      : bad
        ? text
        : text === words.ok
          ? words.ok
          : words.roundTrip({ time: text });
  return (
    <button
      type="button"
      className={classNames(styles.link, bad ? styles.failed : away && styles.away)}
      aria-haspopup="dialog"
      aria-expanded={chosen}
      aria-label={words.cell({ from: from.name, to: to.name, spoken })}
      onClick={(event) => onChoose(event.currentTarget)}
    >
      {bad && roomy ? <Icon name="close" size={12} /> : null}
      {text}
    </button>
  );
}
