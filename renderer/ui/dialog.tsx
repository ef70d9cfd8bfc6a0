import { Dialog as Radix } from "radix-ui";
import type { ComponentProps, ReactElement, ReactNode } from "react";
import { texts } from "../texts/texts.js";
import { classNames } from "./class-names.js";
import styles from "./dialog.module.css";
import { Icon, type IconName } from "./icon.js";
import { PlainIconButton } from "./icon-button.js";

const words = texts.ui.dialog;

const WIDTHS = { standard: styles.standard, wide: styles.wide, table: styles.table } as const;

interface DialogProps {
  readonly title: string;
  /** Shown before the title. */
  readonly icon?: IconName;
  /** table: for many columns. */
  readonly width?: keyof typeof WIDTHS;
  readonly children: ReactNode;
  /** The row of buttons. */
  readonly footer?: ReactNode;
  onClose(): void;
}

/** The selected choice, the first field, the list or the main button; never the close button. */
function focusFirst(event: Event): void {
  const content = event.currentTarget;
  if (!(content instanceof HTMLElement)) return;
  event.preventDefault();
  const first =
    content.querySelector<HTMLElement>("[data-first-focus]") ??
    content.querySelector<HTMLElement>('input[type="radio"]:checked') ??
    content.querySelector<HTMLElement>("input") ??
    content.querySelector<HTMLElement>('[role="listbox"]') ??
    content.querySelector<HTMLElement>("[data-dialog-footer] [data-primary]:not(:disabled)");
  (first ?? content).focus();
}

/** When a dialog closes, the one below it gets the focus; if there is none, the focus moves elsewhere. */
function focusUnder(event: Event): void {
  event.preventDefault();
  const under = [...document.querySelectorAll<HTMLElement>('[role="dialog"]')]
    .filter((dialog) => dialog !== event.currentTarget)
    .at(-1);
  (under?.querySelector<HTMLElement>("input") ?? under)?.focus();
}

/** A modal dialog that is open as long as it is drawn. Escape and a click beside it close it. */
export function Dialog(props: DialogProps): ReactElement {
  const { title, icon, width = "standard", children, footer, onClose } = props;
  return (
    <Radix.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Radix.Portal>
        <Radix.Overlay className={styles.scrim} />
        <Radix.Content
          className={classNames(styles.dialog, WIDTHS[width])}
          aria-describedby={undefined}
          onOpenAutoFocus={focusFirst}
          onCloseAutoFocus={focusUnder}
        >
          <div className={styles.head}>
            {icon ? <Icon name={icon} /> : null}
            <Radix.Title asChild>
              <h2>{title}</h2>
            </Radix.Title>
            <Radix.Close asChild>
              <PlainIconButton icon="close" label={words.close} />
            </Radix.Close>
          </div>
          {children}
          {footer ? <DialogFooter>{footer}</DialogFooter> : null}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** The part of a dialog between its title and its buttons; it scrolls where it is too long. */
export function DialogBody({ className, ...rest }: ComponentProps<"div">): ReactElement {
  return <div className={classNames(styles.body, className)} {...rest} />;
}

/** The row of buttons, for a dialog whose buttons belong to a form. */
export function DialogFooter({ children }: { readonly children: ReactNode }): ReactElement {
  return (
    <div className={styles.footer} data-dialog-footer="">
      {children}
    </div>
  );
}
