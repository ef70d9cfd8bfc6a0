import { Tabs as Radix } from "radix-ui";
import { type HTMLAttributes, type KeyboardEvent, type ReactElement, type ReactNode, useRef } from "react";
import { classNames } from "./class-names.js";
import { Icon } from "./icon.js";
import styles from "./tabs.module.css";

export interface Tab<Id extends string> {
  readonly id: Id;
  readonly label: string;
  readonly count?: number | undefined;
  /** The count is of problems. */
  readonly bad?: boolean;
  /** Closes the tab: by its cross, or by Delete. A tab list may contain only tabs, so the cross is not a button. */
  readonly onClose?: () => void;
}

interface TabsProps<Id extends string> {
  /** Undefined: no panel is shown. */
  readonly selected: Id | undefined;
  onSelect(id: Id): void;
  /** One element that the bar and its panel stand in. */
  readonly children: ReactElement;
}

/** A bar of tabs and the panel of the selected one. */
export function Tabs<Id extends string>({ selected, onSelect, children }: TabsProps<Id>): ReactElement {
  return (
    <Radix.Root
      asChild
      value={selected ?? ""}
      // Every value is the id of one of the tabs.
      onValueChange={(id) => onSelect(id as Id)}
      // The keyboard passes by tabs whose panel is closed without opening it.
      activationMode={selected === undefined ? "manual" : "automatic"}
    >
      {children}
    </Radix.Root>
  );
}

interface TabListProps<Id extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  readonly selected: Id | undefined;
  /** Shown at the right end of the bar. */
  readonly children?: ReactNode;
}

/** The bar of tabs. */
export function TabList<Id extends string>(props: TabListProps<Id>): ReactElement {
  const { label, tabs, selected, children } = props;
  const bar = useRef<HTMLDivElement>(null);
  const focusSelected = () =>
    bar.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus({ preventScroll: true });
  const onKeyDown = (event: KeyboardEvent) => {
    const onClose = event.key === "Delete" ? tabs.find((tab) => tab.id === selected)?.onClose : undefined;
    if (!onClose) return;
    event.preventDefault();
    event.stopPropagation();
    onClose();
    // The tab that is shown instead is drawn with the next frame.
    requestAnimationFrame(focusSelected);
  };
  return (
    <div className={styles.bar}>
      <Radix.List ref={bar} aria-label={label} className={styles.list} onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <Radix.Trigger key={tab.id} value={tab.id} className={styles.tab}>
            {tab.label}
            {tab.count ? (
              <span className={classNames(styles.count, tab.bad && styles.problems)}>{tab.count}</span>
            ) : null}
            {tab.onClose ? <Cross onClose={tab.onClose} /> : null}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {children}
    </div>
  );
}

/** A control in the bar of tabs. */
export function TabControl({ children }: { readonly children: ReactNode }): ReactElement {
  return <span className={styles.control}>{children}</span>;
}

interface TabPanelProps<Id extends string> extends HTMLAttributes<HTMLDivElement> {
  readonly id: Id;
}

/** What the selected tab shows. It has controls of its own for the focus, so it takes none itself. */
export function TabPanel<Id extends string>({ id, ...rest }: TabPanelProps<Id>): ReactElement {
  return <Radix.Content value={id} tabIndex={undefined} {...rest} />;
}

/** For the pointer only: Delete does the same. */
function Cross({ onClose }: { readonly onClose: () => void }): ReactElement {
  return (
    <span
      className={styles.cross}
      aria-hidden="true"
      title="Close (Del)"
      // A press selects a tab and focuses it.
      onMouseDown={(event) => {
        event.preventDefault();
        event.stopPropagation();
      }}
      onClick={(event) => {
        event.stopPropagation();
        onClose();
      }}
    >
      <Icon name="close" size={12} />
    </span>
  );
}
