import { Tooltip as Radix } from "radix-ui";
import type { ReactElement, ReactNode } from "react";
import { shortcutText } from "../commands/shortcut.js";

interface TooltipProps {
  readonly text: ReactNode;
  /** As in a command, "Mod+Z". */
  readonly shortcut?: string | undefined;
  readonly side?: "top" | "bottom" | "left" | "right";
  /** One element that takes a ref. */
  readonly children: ReactElement;
}

/** Must stand once around the whole window. */
export function TooltipProvider({ children }: { readonly children: ReactNode }): ReactElement {
  return (
    <Radix.Provider delayDuration={400} skipDelayDuration={200}>
      {children}
    </Radix.Provider>
  );
}

export function Tooltip({ text, shortcut, side = "bottom", children }: TooltipProps): ReactElement {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="tooltip" side={side} sideOffset={4} collisionPadding={8}>
          <span>{text}</span>
          {shortcut ? <kbd>{shortcutText(shortcut)}</kbd> : null}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
