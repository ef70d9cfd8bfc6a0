import { Dialog as Radix } from "radix-ui";
import type { ReactElement, ReactNode } from "react";
import { IconButton } from "./button.js";

interface DialogProps {
  readonly title: string;
  readonly wide?: boolean;
  readonly children: ReactNode;
  /** The row of buttons. */
  readonly footer?: ReactNode;
  onClose(): void;
}

/** A modal dialog that is open as long as it is drawn. Escape and a click beside it close it. */
export function Dialog({ title, wide, children, footer, onClose }: DialogProps): ReactElement {
  return (
    <Radix.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Radix.Portal>
        <Radix.Overlay className="scrim" />
        <Radix.Content className={wide ? "dlg wide" : "dlg"} aria-describedby={undefined}>
          <div className="dlg-head">
            <Radix.Title asChild>
              <h2>{title}</h2>
            </Radix.Title>
            <Radix.Close asChild>
              <IconButton icon="close" label="Close" />
            </Radix.Close>
          </div>
          {children}
          {footer ? <div className="dlg-foot">{footer}</div> : null}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
