/** Commands as buttons. One that cannot run now can still be focused, and its tooltip says why. */

import type { ReactElement, ReactNode } from "react";
import type { Action, AnyCommand, Command } from "../commands/command.js";
import { useCommand, useCommandOn } from "../commands/use-action.js";
import { Button, type ButtonProps } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import { IconButton } from "../ui/icon-button.js";
import { Switch } from "../ui/switch.js";
import { TextButton } from "../ui/text-button.js";
import { Tooltip } from "../ui/tooltip.js";

/** A command without a target acts on the current one. */
type Commanded<T> =
  | { readonly command: AnyCommand; readonly target?: undefined }
  | { readonly command: Command<T>; readonly target: T };

function useActionOf<T>(props: Commanded<T>): Action {
  // A button uses the same one of the two as long as it is mounted.
  return props.target === undefined
    ? // biome-ignore lint/correctness/useHookAtTopLevel: see above
      useCommand(props.command)
    : // biome-ignore lint/correctness/useHookAtTopLevel: see above
      useCommandOn(props.command as Command<T>, props.target);
}

/** The properties that make an element a button of an action. Others may have to be done first, such as closing a dialog. */
function pressProps({ id, reason, run }: Action, before?: () => void) {
  return {
    "data-command": id,
    "aria-disabled": reason === undefined ? undefined : true,
    onClick: () => {
      if (reason !== undefined) return;
      before?.();
      run();
    },
  };
}

function tooltipOf({ reason, note, label }: Action, shown: string | undefined): string | undefined {
  return reason ?? note ?? (label === shown ? undefined : label);
}

type Look = Pick<ButtonProps, "variant" | "size" | "wide" | "className" | "role" | "tabIndex" | "onFocus"> & {
  readonly "aria-level"?: number;
};

type CommandButtonProps<T> = Commanded<T> &
  Look & {
    /** Also shows the command's icon. */
    readonly icon?: boolean;
    /** The text for screen readers; defaults to the button's text. */
    readonly spoken?: "named" | "label" | "short";
    /** The text on the button. */
    readonly text?: "short" | "label" | "named";
    /** Lays the text out; left out: the text alone. */
    children?(text: string): ReactNode;
    before?(): void;
  };

/** Renders nothing if the command does not apply to its target. */
export function CommandButton<T>(props: CommandButtonProps<T>): ReactElement | null {
  const { command, target, icon, spoken, text = "short", children, before, ...look } = props;
  const action = useActionOf<T>(props);
  if (!action.applies) return null;
  return (
    <Tooltip text={tooltipOf(action, action[text])} shortcut={action.shortcut}>
      <Button
        {...look}
        {...(icon && action.icon ? { icon: action.icon } : {})}
        {...(spoken ? { "aria-label": action[spoken] } : {})}
        {...(action.checked === undefined ? {} : { "aria-pressed": action.checked })}
        {...pressProps(action, before)}
      >
        {children?.(action[text]) ?? action[text]}
      </Button>
    </Tooltip>
  );
}

type CommandIconButtonProps<T> = Commanded<T> & {
  readonly text?: "short" | "label" | "named";
  readonly small?: boolean;
  readonly className?: string | undefined;
  /** Replaces the command's own, e.g. an arrow in the direction in which a panel moves. */
  readonly icon?: Action["icon"];
  readonly "aria-expanded"?: boolean;
};

/** Only the icon; the label is read out and is the tooltip. */
export function CommandIconButton<T>(props: CommandIconButtonProps<T>): ReactElement | null {
  const { command, target, text = "label", icon, className, small = false, ...rest } = props;
  const action = useActionOf<T>(props);
  if (!action.applies) return null;
  return (
    <IconButton
      {...rest}
      {...pressProps(action)}
      icon={icon ?? action.icon ?? "more"}
      label={action[text]}
      tooltip={action.reason === undefined ? action[text] : `${action[text]}: ${action.reason}`}
      shortcut={action.shortcut}
      small={small}
      className={className}
      aria-pressed={action.checked}
    />
  );
}

type CommandLinkProps<T> = Commanded<T> & {
  readonly className?: string | undefined;
  readonly icon?: boolean;
  readonly spoken?: "named" | "label" | "short";
  readonly text?: "short" | "label" | "named";
  /** Lays the text out; left out: the text alone. */
  children?(text: string): ReactNode;
};

/** Looks like a link in a line of text. */
export function CommandLink<T>(props: CommandLinkProps<T>): ReactElement | null {
  const { text = "short", className, icon, spoken, children } = props;
  const action = useActionOf<T>(props);
  if (!action.applies) return null;
  return (
    <Tooltip text={tooltipOf(action, action[text])} shortcut={action.shortcut}>
      <TextButton
        className={className}
        {...(spoken ? { "aria-label": action[spoken] } : {})}
        {...pressProps(action)}
      >
        {icon && action.icon ? <Icon name={action.icon} size={13} /> : null}
        {children?.(action[text]) ?? action[text]}
      </TextButton>
    </Tooltip>
  );
}

/** A command that switches something on and off. */
export function CommandSwitch({ command }: { readonly command: AnyCommand }): ReactElement {
  const { short, icon, checked = false, note, reason, run } = useCommand(command);
  return (
    <Switch
      label={short}
      {...(icon ? { icon } : {})}
      checked={checked}
      disabled={reason !== undefined}
      title={reason ?? note}
      onChange={() => void run()}
    />
  );
}
