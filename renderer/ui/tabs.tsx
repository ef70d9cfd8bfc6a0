import { type KeyboardEvent, type ReactElement, type ReactNode, useRef } from "react";

export interface Tab<Id extends string> {
  readonly id: Id;
  readonly label: string;
  readonly count?: number | undefined;
  /** The count is of problems. */
  readonly bad?: boolean;
  /** Shown beside the tab, e.g. its close button. */
  readonly extra?: ReactNode;
}

interface TabListProps<Id extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  readonly selected: Id | undefined;
  /** Prefix of the ids of tabs and panels. */
  readonly name: string;
  onSelect(id: Id): void;
  /** Stands at the right end of the bar. */
  readonly children?: ReactNode;
}

/** The bar of tabs. Arrow keys move between them, as the pattern of a tablist has it. */
export function TabList<Id extends string>(props: TabListProps<Id>): ReactElement {
  const { label, tabs, selected, name, onSelect, children } = props;
  const bar = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -tabs.length, End: tabs.length }[event.key];
    if (step === undefined) return;
    const current = tabs.findIndex((tab) => tab.id === selected);
    const wrapped =
      Math.abs(step) === 1 ? (current + step + tabs.length) % tabs.length : step < 0 ? 0 : tabs.length - 1;
    const next = tabs[wrapped];
    if (!next) return;
    event.preventDefault();
    onSelect(next.id);
    bar.current?.querySelector<HTMLElement>(`[data-tab="${CSS.escape(next.id)}"]`)?.focus();
  };
  return (
    <div className="tablist">
      <div ref={bar} role="tablist" aria-label={label} style={{ display: "contents" }} onKeyDown={onKeyDown}>
        {tabs.map((tab, index) => (
          <span key={tab.id} style={{ display: "flex", alignItems: "center" }}>
            <button
              type="button"
              role="tab"
              id={`${name}-tab-${tab.id}`}
              data-tab={tab.id}
              aria-selected={tab.id === selected}
              aria-controls={`${name}-panel`}
              tabIndex={tab.id === selected || (selected === undefined && index === 0) ? 0 : -1}
              style={{ alignSelf: "stretch" }}
              onClick={() => onSelect(tab.id)}
            >
              {tab.label}
              {tab.count ? <span className={tab.bad ? "count bad" : "count"}>{tab.count}</span> : null}
            </button>
            {tab.extra}
          </span>
        ))}
      </div>
      {children}
    </div>
  );
}
