import { DropdownMenu } from "radix-ui";
import { type ReactElement, type ReactNode, useState } from "react";
import { texts } from "../texts/texts.js";
import { classNames } from "./class-names.js";
import { Icon, type IconName } from "./icon.js";
import styles from "./menu.module.css";
import { useUiServices } from "./services.js";
import { shortcutText } from "./shortcut.js";

const words = texts.ui.menu;

export type MenuEntry =
  | { readonly kind: "separator" }
  | { readonly kind: "heading"; readonly text: string }
  | {
      readonly kind: "item";
      readonly label: string;
      /** A sentence under the label. */
      readonly note?: string | undefined;
      readonly icon?: IconName | undefined;
      readonly swatch?: ReactElement | undefined;
      readonly shortcut?: string | undefined;
      readonly hint?: string | undefined;
      readonly disabled?: boolean | undefined;
      readonly danger?: boolean | undefined;
      /** Drawn with a tick; the item is then one of a group of choices. */
      readonly checked?: boolean | undefined;
      run(): void;
    }
  | {
      /** Copies a text to the clipboard and confirms it; the menu stays open for that. */
      readonly kind: "copy";
      readonly label: string;
      readonly text: string;
      readonly swatch?: ReactElement | undefined;
      readonly hint?: string | undefined;
    }
  | {
      readonly kind: "submenu";
      readonly label: string;
      readonly icon?: IconName | undefined;
      readonly entries: readonly MenuEntry[];
    };

interface MenuProps {
  readonly trigger: ReactElement;
  /** A function is called when the menu opens, for a menu on a row that is rendered every second. */
  readonly entries: readonly MenuEntry[] | (() => readonly MenuEntry[]);
  readonly align?: "start" | "center" | "end";
  readonly label?: string;
  onOpenChange?(open: boolean): void;
}

/** A menu that opens from a button. */
export function Menu({ trigger, entries, align = "start", label, onOpenChange }: MenuProps): ReactElement {
  return (
    <DropdownMenu.Root modal={false} {...(onOpenChange ? { onOpenChange } : {})}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className={styles.menu}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={focusRow}
          {...(label ? { "aria-label": label } : {})}
        >
          {typeof entries === "function" ? <LazyEntries entries={entries} /> : <Entries entries={entries} />}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

interface MenuAtProps {
  /** A point of the screen. */
  readonly at: { readonly x: number; readonly y: number };
  readonly entries: readonly MenuEntry[];
  readonly label: string;
  onClose(): void;
}

/** A menu that opens at a point, as a context menu does. The focus then returns to where it was. */
export function MenuAt({ at, entries, label, onClose }: MenuAtProps): ReactElement {
  const [opener] = useState(() => document.activeElement);
  return (
    <DropdownMenu.Root open modal={false} onOpenChange={(open) => open || onClose()}>
      <DropdownMenu.Trigger asChild>
        <span className={styles.point} aria-hidden="true" style={{ left: at.x, top: at.y }} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className={styles.menu}
          // Beside the point rather than below it: the menu is then moved up or down until all of it fits.
          side="right"
          align="start"
          sideOffset={2}
          collisionPadding={8}
          aria-label={label}
          // Radix names it by its trigger, which has no text here.
          aria-labelledby={undefined}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            const { activeElement } = document;
            const content = event.currentTarget;
            const taken =
              activeElement !== document.body &&
              !(content instanceof Element && content.contains(activeElement));
            if (!taken && opener instanceof HTMLElement) opener.focus();
          }}
        >
          <Entries entries={entries} />
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

/** The menu of a row in a tree was opened from the row, whose keys go on there. */
function focusRow(event: Event): void {
  const content = event.currentTarget;
  if (!(content instanceof HTMLElement)) return;
  const trigger = document.getElementById(content.getAttribute("aria-labelledby") ?? "");
  const row = trigger?.closest<HTMLElement>('[role="treeitem"]');
  const { activeElement } = document;
  const elsewhere =
    activeElement !== null && activeElement !== document.body && !content.contains(activeElement);
  if (!row || elsewhere) return;
  event.preventDefault();
  row.focus();
}

/** Rendered only while the menu is open, which is when its entries are computed. */
function LazyEntries({ entries }: { readonly entries: () => readonly MenuEntry[] }): ReactElement {
  return <Entries entries={entries()} />;
}

function Entries({ entries }: { readonly entries: readonly MenuEntry[] }): ReactNode {
  // Entries have no identity of their own and never move while the menu is open.
  return entries.map((entry, index) => <Entry key={keyOf(entry, index)} entry={entry} />);
}

function keyOf(entry: MenuEntry, index: number): string {
  if (entry.kind === "separator") return `separator ${index}`;
  return entry.kind === "heading" ? `heading ${entry.text}` : `${entry.kind} ${entry.label} ${index}`;
}

function Entry({ entry }: { readonly entry: MenuEntry }): ReactElement {
  if (entry.kind === "separator") return <DropdownMenu.Separator className={styles.separator} />;
  if (entry.kind === "heading")
    return <DropdownMenu.Label className={styles.heading}>{entry.text}</DropdownMenu.Label>;
  if (entry.kind === "copy") return <CopyItem entry={entry} />;
  if (entry.kind === "submenu") {
    return (
      <DropdownMenu.Sub>
        <DropdownMenu.SubTrigger className={styles.item}>
          <MenuIcon name={entry.icon} />
          {entry.label}
          <span className={styles.end}>
            <Icon name="chevron-right" />
          </span>
        </DropdownMenu.SubTrigger>
        <DropdownMenu.Portal>
          <DropdownMenu.SubContent className={styles.menu} sideOffset={2} collisionPadding={8}>
            <Entries entries={entry.entries} />
          </DropdownMenu.SubContent>
        </DropdownMenu.Portal>
      </DropdownMenu.Sub>
    );
  }
  const content = (
    <>
      {entry.swatch ?? <MenuIcon name={entry.checked ? "check" : entry.icon} />}
      <span className={styles.text}>
        {entry.label}
        {entry.note ? <span className={styles.note}>{entry.note}</span> : null}
      </span>
      {entry.hint || entry.shortcut ? (
        <span className={styles.end}>
          {entry.hint}
          {entry.shortcut ? <kbd>{shortcutText(entry.shortcut)}</kbd> : null}
        </span>
      ) : null}
    </>
  );
  // Not Radix's own way, which takes it out of the reach of the keys: the reason stands in it and is read there.
  const shared = {
    className: classNames(styles.item, entry.danger && styles.danger),
    "aria-disabled": entry.disabled ? true : undefined,
    onSelect: (event: Event) => {
      if (entry.disabled) event.preventDefault();
      else entry.run();
    },
  };
  if (entry.checked !== undefined) {
    return (
      <DropdownMenu.CheckboxItem {...shared} checked={entry.checked}>
        {content}
      </DropdownMenu.CheckboxItem>
    );
  }
  return <DropdownMenu.Item {...shared}>{content}</DropdownMenu.Item>;
}

function CopyItem({ entry }: { readonly entry: Extract<MenuEntry, { kind: "copy" }> }): ReactElement {
  const { copyText, showError } = useUiServices();
  const [copied, setCopied] = useState(false);
  return (
    <DropdownMenu.Item
      className={styles.item}
      onSelect={(event) => {
        event.preventDefault();
        void copyText(entry.text).then(() => setCopied(true), showError);
      }}
    >
      {entry.swatch ?? <MenuIcon name="copy" />}
      <span className={styles.text}>{entry.label}</span>
      <span className={styles.end} aria-live="polite">
        {copied ? words.copied : entry.hint}
      </span>
    </DropdownMenu.Item>
  );
}

function MenuIcon({ name }: { readonly name: IconName | undefined }): ReactElement {
  return name ? <Icon name={name} /> : <span className={styles.noIcon} />;
}
