import { Dialog as Radix } from "radix-ui";
import type { ReactElement, ReactNode } from "react";
import { Icon, type IconName } from "./icon.js";

interface DialogProps {
  readonly title: string;
  /** Stands before the title. */
  readonly icon?: IconName;
  readonly wide?: boolean;
  readonly children: ReactNode;
  /** The row of buttons. */
  readonly footer?: ReactNode;
  onClose(): void;
}

/** The choice that holds, the first field, the list or the main button; never the cross, which would be an odd thing to begin with. */
function focusFirst(event: Event): void {
  const content = event.currentTarget;
  if (!(content instanceof HTMLElement)) return;
  event.preventDefault();
  const first =
    content.querySelector<HTMLElement>('input[type="radio"]:checked') ??
    content.querySelector<HTMLElement>("input") ??
    content.querySelector<HTMLElement>('[role="listbox"]') ??
    content.querySelector<HTMLElement>(".dlg-foot .btn.primary:not(:disabled)");
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
export function Dialog({ title, icon, wide, children, footer, onClose }: DialogProps): ReactElement {
  return (
    <Radix.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Radix.Portal>
        <Radix.Overlay className="scrim" />
        <Radix.Content
          className={wide ? "dlg wide" : "dlg"}
          aria-describedby={undefined}
          onOpenAutoFocus={focusFirst}
          onCloseAutoFocus={focusUnder}
        >
          <div className="dlg-head">
            {icon ? <Icon name={icon} /> : null}
            <Radix.Title asChild>
              <h2>{title}</h2>
            </Radix.Title>
            <Radix.Close asChild>
              <button type="button" className="ib" aria-label="Close">
                <Icon name="close" />
              </button>
            </Radix.Close>
          </div>
          {children}
          {footer ? <div className="dlg-foot">{footer}</div> : null}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
