/**
 * A command: one action of the window, defined once. Toolbar, menus, cards, palette, keyboard, the overview of
 * shortcuts and the native menu are all made from the same commands, so that they can never differ.
 */
import { attempt, dismissResultsOf, type NoticeSubject, useApp } from "../stores/app-store.js";
import { activeSession } from "../stores/document-session.js";
import { texts } from "../texts/texts.js";
import type { IconName } from "../ui/icon.js";

const words = texts.commands.command;

/** The group of a command in the palette, in the overview of shortcuts and in the native menu. */
export type CommandGroup = "File" | "Edit" | "Run" | "Cluster" | "Graph" | "View" | "Settings" | "Help";

/** Yes, or the reason why not, as a sentence that every surface shows. */
export type Enabled = true | { readonly reason: string };

/** Enabled when the condition holds; otherwise the reason says why not. */
export function when(condition: boolean, reason: string): Enabled {
  return condition || { reason };
}

/** Enabled when there is no reason against it. */
export function unless(reason: string | undefined): Enabled {
  return reason === undefined || { reason };
}

/** A kind of thing that commands act on. Commands get it as a typed argument; surfaces that have one at hand pass it. */
export interface TargetKind<T> {
  readonly name: string;
  /** The target of a surface without one of its own, such as the keyboard; the reason if there is none. */
  current(): { readonly target: T } | { readonly reason: string };
  /** All targets that the palette offers a command for; defaults to the current one. */
  all?(): readonly T[];
  /** The name that distinguishes a target from the others, for labels. */
  nameOf?(target: T): string;
  /** True if targets are parts of the shown document, so that messages about them belong to it. */
  readonly inDocument?: boolean;
  /** Tells, from now on, that a failure to reach the target is over. */
  recovery?(target: T): () => boolean;
}

/** The definition of a command. */
export interface CommandSpec<T> {
  /** Unique and stable, "run.once". */
  readonly id: string;
  readonly group: CommandGroup;
  /** Its label, if the target is visible: "Add worker". */
  readonly label: string;
  /** Its label for the target in its current state, if that differs: "Hide the side panel". */
  labelNow?(target: T): string;
  /** The text of a button, where space is limited; defaults to the label. */
  short?(target: T): string;
  /** The label if the target is not visible, with the target's name: "Add worker on pi". */
  named?(name: string, target: T): string;
  /** One more sentence, shown under the label in a menu and as the tooltip of a button. */
  note?(target: T): string | undefined;
  /** A few words beside the label that name its current target: "3 nodes". */
  hint?(target: T): string | undefined;
  /** Other words by which the palette finds it. */
  readonly keywords?: string;
  readonly icon?: IconName | ((target: T) => IconName);
  /**
   * Keys joined by "+", "Mod" being Ctrl or, on macOS, Cmd: "Mod+Shift+Z", "Delete", "Shift+Escape". Several
   * alternatives are separated by a space.
   */
  readonly shortcut?: string;
  /** Whether it applies to the target; menus omit it if it does not. Defaults to always. */
  applies?(target: T): boolean;
  /** Called for a target that it applies to. Defaults to always enabled. */
  isEnabled?(target: T): Enabled;
  /** Whether the setting that it toggles or chooses is active; drawn with a check mark. */
  isOn?(target: T): boolean;
  run(target: T): void | Promise<void>;
  /** True: it needs the connection to the application. */
  readonly needsApplication?: boolean;
  /** True: destroys something irrecoverably; drawn in the colour of errors. */
  readonly danger?: boolean;
  /**
   * True: also runs while the user types in a field. Shortcuts with Ctrl or Cmd do so anyway, unless their keys edit
   * text; this is for the others.
   */
  readonly whileTyping?: boolean;
  /** True: uses the document as it is, so that a field with invalid text prevents it from running. */
  readonly takesDocument?: boolean;
  /** The browser turns the keys into an event of its own, and that event does the work. */
  readonly byEvent?: "cut" | "copy" | "paste";
  /** True: the shortcut belongs to the canvas and only works while the focus is not in another panel. */
  readonly onCanvas?: boolean;
}

/** A command with its target at this moment: what a surface shows and runs. */
export interface Action {
  readonly id: string;
  readonly label: string;
  /** As on a button. */
  readonly short: string;
  /** The label with the target's name in it. */
  readonly named: string;
  readonly note: string | undefined;
  readonly hint: string | undefined;
  readonly icon: IconName | undefined;
  readonly shortcut: string | undefined;
  readonly danger: boolean;
  /** False: it does not apply to the target, and menus omit it. */
  readonly applies: boolean;
  /** Undefined for a command that is not a toggle or choice. */
  readonly checked: boolean | undefined;
  /** Why it cannot run now; undefined if it can. */
  readonly reason: string | undefined;
  /** Runs it if it still can, and shows what it throws. Otherwise does nothing and returns the reason. */
  run(): Enabled;
}

/** For surfaces that treat all commands alike. */
export interface AnyCommand {
  readonly id: string;
  readonly group: CommandGroup;
  readonly label: string;
  /** The name of the kind of its target. */
  readonly target: string;
  readonly keywords: string;
  readonly shortcut: string | undefined;
  readonly whileTyping: boolean;
  readonly takesDocument: boolean;
  readonly byEvent: "cut" | "copy" | "paste" | undefined;
  readonly onCanvas: boolean;
  /** There may be several targets, each with a name in the label. */
  readonly many: boolean;
  /** With the current target; disabled where there is none. */
  now(): Action;
  /** For each target that it applies to; only for the current one if there can be only one. */
  all(): readonly Action[];
}

export interface Command<T = void> extends AnyCommand {
  on(target: T): Action;
}

export const NOT_CONNECTED = words.notConnected;
const DOES_NOT_APPLY = words.doesNotApply;

function reasonOf<T>(spec: CommandSpec<T>, target: T): string | undefined {
  if (spec.applies?.(target) === false) return DOES_NOT_APPLY;
  if (spec.needsApplication && useApp.getState().connection !== "connected") return NOT_CONNECTED;
  const enabled = spec.isEnabled?.(target) ?? true;
  return enabled === true ? undefined : enabled.reason;
}

function actionOn<T>(kind: TargetKind<T>, spec: CommandSpec<T>, target: T): Action {
  const { id, icon, shortcut, danger = false } = spec;
  const label = spec.labelNow?.(target) ?? spec.label;
  const name = kind.nameOf?.(target);
  return {
    id,
    label,
    short: spec.short?.(target) ?? label,
    named: (name === undefined ? undefined : spec.named?.(name, target)) ?? label,
    note: spec.note?.(target),
    hint: spec.hint?.(target),
    icon: typeof icon === "function" ? icon(target) : icon,
    shortcut,
    danger,
    applies: spec.applies?.(target) ?? true,
    checked: spec.isOn?.(target),
    reason: reasonOf(spec, target),
    run: () => {
      // Checked again: the displayed state may be outdated.
      const reason = reasonOf(spec, target);
      if (reason === undefined) attempt(() => spec.run(target), subjectOf(kind, spec, target));
      return unless(reason);
    },
  };
}

/** The subject of a command's messages. The results of the one before it on the document go. */
function subjectOf<T>(kind: TargetKind<T>, spec: CommandSpec<T>, target: T): NoticeSubject {
  const session = kind.inDocument || spec.takesDocument ? activeSession() : undefined;
  if (session && spec.needsApplication) dismissResultsOf(session);
  const isOver = kind.recovery?.(target);
  return {
    key: `${spec.id} ${kind.nameOf?.(target) ?? ""}`,
    ...(session && { session }),
    ...(isOver && { isOver }),
  };
}

/** The action without a target: the label, and the reason. */
function actionWithout<T>(spec: CommandSpec<T>, reason: string): Action {
  const { id, label, icon, shortcut, danger = false } = spec;
  return {
    id,
    label,
    short: label,
    named: label,
    note: undefined,
    hint: undefined,
    icon: typeof icon === "function" ? undefined : icon,
    shortcut,
    danger,
    applies: true,
    checked: undefined,
    reason,
    run: () => ({ reason }),
  };
}

function commandOf<T>(kind: TargetKind<T>, spec: CommandSpec<T>): Command<T> {
  const on = (target: T) => actionOn(kind, spec, target);
  const shown = () => {
    const current = kind.current();
    return "target" in current ? on(current.target) : actionWithout(spec, current.reason);
  };
  // It acts on the current target when it is run, which may be long after it was rendered.
  const now = (): Action => ({ ...shown(), run: () => shown().run() });
  return {
    id: spec.id,
    group: spec.group,
    label: spec.label,
    target: kind.name,
    keywords: spec.keywords ?? "",
    shortcut: spec.shortcut,
    whileTyping: spec.whileTyping ?? false,
    takesDocument: spec.takesDocument ?? false,
    byEvent: spec.byEvent,
    onCanvas: spec.onCanvas ?? false,
    many: kind.all !== undefined,
    on,
    now,
    all: () => (kind.all?.().map(on) ?? [now()]).filter(({ applies }) => applies),
  };
}

/** Commands that act on one kind of target, by the names under which surfaces use them. */
export function defineCommands<T, K extends string>(
  kind: TargetKind<T>,
  specs: { readonly [Name in K]: CommandSpec<NoInfer<T>> },
): { readonly [Name in K]: Command<T> } {
  const commands = {} as Record<K, Command<T>>;
  for (const name in specs) commands[name] = commandOf(kind, specs[name]);
  return commands;
}
