import { Tabs as Radix } from "radix-ui";
import {
  type HTMLAttributes,
  type KeyboardEvent,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from "react";
import { texts } from "../texts/texts.js";
import { classNames } from "./class-names.js";
import { Icon } from "./icon.js";
import { dragsTab, type TabSide } from "./tab-drag.js";
import styles from "./tabs.module.css";
import textStyles from "./text.module.css";

const words = texts.ui.tabs;

export interface Tab<Id extends string> {
  readonly id: Id;
  readonly label: string;
  readonly count?: number | undefined;
  /** The count is of problems. */
  readonly bad?: boolean;
  /** Set off behind the label. */
  readonly detail?: string | undefined;
  /** Its text for the pointer. */
  readonly title?: string | undefined;
  /** A mark before the label, with a text of its own. */
  readonly mark?: ReactNode;
  /** True if it shows changes that were not saved. */
  readonly unsaved?: boolean;
  /** Closes the tab: by its cross, by the middle button, or by Delete. A tab list may contain only tabs, so the cross is not a button. */
  readonly onClose?: () => void;
}

interface TabsProps<Id extends string> {
  /** Undefined: no panel is shown. */
  readonly selected: Id | undefined;
  onSelect(id: Id): void;
  /** The arrow keys move the focus only; Enter selects. For panels that take a while to be shown. */
  readonly manual?: boolean;
  /** One element that the bar and its panel stand in. */
  readonly children: ReactElement;
}

/** A bar of tabs and the panel of the selected one. */
export function Tabs<Id extends string>(props: TabsProps<Id>): ReactElement {
  const { selected, onSelect, manual = false, children } = props;
  return (
    <Radix.Root
      asChild
      value={selected ?? ""}
      // Every value is the id of one of the tabs.
      onValueChange={(id) => onSelect(id as Id)}
      // The keyboard passes by tabs whose panel is closed without opening it.
      activationMode={manual || selected === undefined ? "manual" : "automatic"}
    >
      {children}
    </Radix.Root>
  );
}

interface TabListProps<Id extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  readonly selected: Id | undefined;
  /** There may be many: they become narrower, then they scroll. */
  readonly scrolls?: boolean;
  onContextMenu?(id: Id, event: MouseEvent): void;
  /** Tabs can be dragged: called with the dragged one, and the one that it was dropped on, at which side. */
  onMove?(id: Id, onto: Id, side: TabSide): void;
  /** Called after a tab was selected with the pointer. */
  onPointerSelect?(): void;
  /** Shown at the right end of the bar. */
  readonly children?: ReactNode;
}

/** The bar of tabs. */
export function TabList<Id extends string>(props: TabListProps<Id>): ReactElement {
  const { label, tabs, scrolls = false, children } = props;
  const bar = useRef<HTMLDivElement>(null);
  const focusSelected = () =>
    bar.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus({ preventScroll: true });
  const onKeyDown = (event: KeyboardEvent) => {
    const focused = event.target instanceof Element ? event.target.closest("[data-tab]") : undefined;
    const id = focused?.getAttribute("data-tab");
    const onClose = event.key === "Delete" ? tabs.find((tab) => tab.id === id)?.onClose : undefined;
    if (!onClose) return;
    event.preventDefault();
    event.stopPropagation();
    onClose();
    // The tab that is shown instead is drawn with the next frame.
    requestAnimationFrame(focusSelected);
  };
  return (
    <div className={styles.bar}>
      <Radix.List
        ref={bar}
        aria-label={label}
        className={classNames(styles.list, scrolls && styles.scrolling)}
        onKeyDown={onKeyDown}
      >
        {tabs.map((tab) => (
          <Trigger key={tab.id} tab={tab} of={props} />
        ))}
      </Radix.List>
      {children}
    </div>
  );
}

interface TriggerProps<Id extends string> {
  readonly tab: Tab<Id>;
  /** The props of its bar. */
  readonly of: TabListProps<Id>;
}

function Trigger<Id extends string>({ tab, of }: TriggerProps<Id>): ReactElement {
  const { label: bar, onContextMenu, onPointerSelect, onMove } = of;
  const element = useRef<HTMLButtonElement>(null);
  const [side, setSide] = useState<TabSide>();
  const moved = useRef(onMove);
  moved.current = onMove;
  const isMovable = onMove !== undefined;
  useEffect(() => {
    if (!element.current || !isMovable) return;
    // Every value is the id of one of the tabs.
    const onDrop = (dragged: string, at: TabSide) => moved.current?.(dragged as Id, tab.id, at);
    return dragsTab(element.current, { id: tab.id, bar, onOver: setSide, onDrop });
  }, [tab.id, bar, isMovable]);
  return (
    <Radix.Trigger
      ref={element}
      value={tab.id}
      className={styles.tab}
      title={tab.title}
      data-tab={tab.id}
      data-drop={side}
      data-unsaved={tab.unsaved ? "" : undefined}
      onMouseDown={keepFromScrolling}
      onAuxClick={({ button }) => button === MIDDLE && tab.onClose?.()}
      onContextMenu={onContextMenu && ((event) => onContextMenu(tab.id, event))}
      onClick={({ detail }) => detail > 0 && onPointerSelect?.()}
    >
      {tab.mark}
      <span className={textStyles.truncated}>{tab.label}</span>
      {tab.detail ? (
        <span className={classNames(styles.detail, textStyles.truncated)}>{tab.detail}</span>
      ) : null}
      {tab.unsaved ? <span className={textStyles.spokenOnly}>{words.unsaved}</span> : null}
      {tab.count ? (
        <span className={classNames(styles.count, tab.bad && styles.problems)}>{tab.count}</span>
      ) : null}
      {tab.onClose ? <Cross onClose={tab.onClose} /> : null}
    </Radix.Trigger>
  );
}

const MIDDLE = 1;

/** Some systems scroll while the middle button is pressed. */
function keepFromScrolling(event: MouseEvent): void {
  if (event.button === MIDDLE) event.preventDefault();
}

/** A control in the bar of tabs. */
export function TabControl({ children }: { readonly children: ReactNode }): ReactElement {
  return <span className={styles.control}>{children}</span>;
}

interface TabPanelProps<Id extends string> extends HTMLAttributes<HTMLDivElement> {
  readonly id: Id;
}

/** The content of the selected tab. It has controls of its own for the focus, so it takes none itself. */
export function TabPanel<Id extends string>({ id, ...rest }: TabPanelProps<Id>): ReactElement {
  return <Radix.Content value={id} tabIndex={undefined} {...rest} />;
}

/** For the pointer only: Delete does the same. */
function Cross({ onClose }: { readonly onClose: () => void }): ReactElement {
  return (
    <span
      className={styles.cross}
      aria-hidden="true"
      title={words.close}
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
      <span className={styles.unsaved} />
      <Icon name="close" size={12} />
    </span>
  );
}
