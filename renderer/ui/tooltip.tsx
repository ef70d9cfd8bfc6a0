import { Tooltip as Radix } from "radix-ui";
import { type ReactElement, type ReactNode, useEffect } from "react";
import { shortcutText } from "./shortcut.js";
import styles from "./tooltip.module.css";

/**
 * The focus was moved by the key that goes from one control to the next. What gets it in another way, as a menu's button
 * when the menu closes, shows no tooltip, which would stay until the focus goes on.
 */
let movedByKey = false;

function watchFocusKeys(): () => void {
  const onKey = ({ key }: KeyboardEvent) => {
    movedByKey = key === "Tab" || key === "F6";
  };
  const onPointer = () => {
    movedByKey = false;
  };
  window.addEventListener("keydown", onKey, true);
  window.addEventListener("pointerdown", onPointer, true);
  return () => {
    window.removeEventListener("keydown", onKey, true);
    window.removeEventListener("pointerdown", onPointer, true);
  };
}

interface TooltipProps {
  /** Undefined: no tooltip at the moment. */
  readonly text: ReactNode | undefined;
  /** As in a command, "Mod+Z". */
  readonly shortcut?: string | undefined;
  readonly side?: "top" | "bottom" | "left" | "right";
  /** One element that takes a ref. */
  readonly children: ReactElement;
}

/** Must stand once around the whole window. */
export function TooltipProvider({ children }: { readonly children: ReactNode }): ReactElement {
  useEffect(watchFocusKeys, []);
  return (
    <Radix.Provider delayDuration={400} skipDelayDuration={200} disableHoverableContent>
      {children}
    </Radix.Provider>
  );
}

export function Tooltip({ text, shortcut, side = "bottom", children }: TooltipProps): ReactElement {
  return (
    <Radix.Root>
      <Radix.Trigger
        asChild
        onFocus={(event) => {
          if (!movedByKey) event.preventDefault();
        }}
      >
        {children}
      </Radix.Trigger>
      {text || shortcut ? (
        <Radix.Portal>
          <Radix.Content className={styles.tooltip} side={side} sideOffset={4} collisionPadding={8}>
            <span>{text}</span>
            {shortcut ? <kbd>{shortcutText(shortcut)}</kbd> : null}
          </Radix.Content>
        </Radix.Portal>
      ) : null}
    </Radix.Root>
  );
}
