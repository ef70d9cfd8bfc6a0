import { Popover } from "radix-ui";
import { memo, type ReactElement, type RefObject, useMemo, useRef, useState } from "react";
import type { Machine } from "../../main/api/cluster.js";
import { type Link, linkKey, linksOf } from "../cluster/routes.js";
import { keepEqual } from "../stores/keep-equal.js";
import { useReachability } from "../stores/reachability-store.js";
import { roundTripText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { LinkDetails } from "./link-details.js";
import "./links.css";

/** Each row's machine connects to each column's. */
export function LinkTable({ machines }: { readonly machines: readonly Machine[] }): ReactElement {
  const routes = useReachability((store) => store.state?.routes);
  const links = useMemo(() => linksOf(routes ?? []), [routes]);
  const before = useRef<readonly NamedMachine[]>([]);
  const named = useMemo(() => {
    const now = machines.map(({ id, name, presence }) => ({ id, name, offline: presence === "offline" }));
    before.current = keepEqual(before.current, now);
    return before.current;
  }, [machines]);
  return <Table machines={named} links={links} />;
}

interface NamedMachine {
  readonly id: string;
  readonly name: string;
  /** What was measured before it went holds no more. */
  readonly offline: boolean;
}

interface TableProps {
  /** The same object for as long as none comes, goes, goes offline or gets another name. */
  readonly machines: readonly NamedMachine[];
  readonly links: ReadonlyMap<string, Link>;
}

interface Chosen {
  readonly from: NamedMachine;
  readonly to: NamedMachine;
}

const Table = memo(({ machines, links }: TableProps): ReactElement => {
  // One popover for all cells: sixty machines have four thousand of them.
  const [chosen, setChosen] = useState<Chosen>();
  /** Its cell, also while it closes. */
  const anchor = useRef<HTMLElement>(null);
  return (
    <div className="links-scroll">
      <table className="links-table">
        <thead>
          <tr>
            <td />
            {machines.map(({ id, name }) => (
              <th key={id} scope="col" title={name}>
                <span className="ell">{name}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {machines.map((from) => (
            <tr key={from.id}>
              <th scope="row" title={from.name}>
                <span className="ell">{from.name}</span>
              </th>
              {machines.map((to) => (
                <td key={to.id}>
                  {from.id === to.id ? (
                    <span className="fg2">–</span>
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
          <Popover.Content
            className="menu link-details"
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
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
    </div>
  );
});
Table.displayName = "Table";

/** Up to so many columns a cell has room for a sign beside its text. */
const MOST_ROOMY = 3;

function cellText(link: Link | undefined): string {
  if (link === undefined || link.outcome === "unknown") return "?";
  if (link.outcome === "ok")
    return link.roundTripMillis === undefined ? "ok" : roundTripText(link.roundTripMillis);
  return link.firewallOf === undefined ? "fails" : "blocked";
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
  // Of one that is there and does not answer, what stands in the way says more than that it is away.
  const away = bad ? undefined : [from, to].find(({ offline }) => offline);
  const text = away ? "off" : cellText(link);
  const spoken = away
    ? `${away.name} is offline`
    : text === "?"
      ? "not tested"
      : bad
        ? text
        : text === "ok"
          ? "ok"
          : `round trip ${text} milliseconds`;
  return (
    <button
      type="button"
      className={bad ? "link-cell bad" : away ? "link-cell away" : "link-cell"}
      aria-haspopup="dialog"
      aria-expanded={chosen}
      aria-label={`${from.name} to ${to.name}: ${spoken}`}
      onClick={(event) => onChoose(event.currentTarget)}
    >
      {bad && roomy ? <Icon name="close" size={12} /> : null}
      {text}
    </button>
  );
}
