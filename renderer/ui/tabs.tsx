import { type KeyboardEvent, type ReactElement, type ReactNode, useRef } from "react";
import { Icon } from "./icon.js";

export interface Tab<Id extends string> {
  readonly id: Id;
  readonly label: string;
  readonly count?: number | undefined;
  /** The count is of problems. */
  readonly bad?: boolean;
  /** Closes the tab: by its cross, or by Delete. A tab list holds nothing but tabs, so that the cross is no button. */
  readonly onClose?: () => void;
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
  const focusSelected = () =>
    bar.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus({ preventScroll: true });
  const onKeyDown = (event: KeyboardEvent) => {
    const onClose = event.key === "Delete" ? tabs.find((tab) => tab.id === selected)?.onClose : undefined;
    if (onClose) {
      event.preventDefault();
      event.stopPropagation();
      onClose();
      // The tab that is shown instead is drawn with the next frame.
      requestAnimationFrame(focusSelected);
      return;
    }
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
              {tab.onClose ? <Cross onClose={tab.onClose} /> : null}
            </button>
          </span>
        ))}
      </div>
      {children}
    </div>
  );
}

/** For the pointer only: Delete does the same. */
function Cross({ onClose }: { readonly onClose: () => void }): ReactElement {
  return (
    <span
      className="tab-close"
      aria-hidden="true"
      title="Close (Del)"
      onClick={(event) => {
        event.stopPropagation();
        onClose();
      }}
    >
      <Icon name="close" size={12} />
    </span>
  );
}
