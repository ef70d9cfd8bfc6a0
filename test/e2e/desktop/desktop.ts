/** The desktop program as a user and the system have it before them: its window, menu, tray, dialogs and end. */
import type { Page } from "playwright-core";
import type { PeerExit } from "../../support/processes.js";

/** An entry of a menu that the system shows. */
export interface MenuEntry {
  readonly label: string;
  readonly role?: string;
  readonly enabled: boolean;
  readonly submenu?: readonly MenuEntry[];
}

/** A dialog of the system's, which the program waits for. */
export interface SystemDialog {
  readonly method: "showMessageBox" | "showOpenDialog" | "showSaveDialog";
  readonly options: {
    readonly title?: string;
    readonly message?: string;
    readonly detail?: string;
    readonly buttons?: readonly string[];
    readonly defaultPath?: string;
  };
  /** Answers it: with the button's index, or the chosen path (undefined: cancelled). */
  answer(chosen: number | string | undefined): Promise<void>;
}

export interface DesktopOptions {
  /** The account's home, where documents are; its "data" is Tensordeck's. */
  readonly folder: string;
  /** Arguments of the program, such as documents. */
  readonly args?: readonly string[];
}

export interface Desktop {
  /** The page of the window that is open; waits until there is one. */
  page(): Promise<Page>;
  /** False while the program runs without a window, or with a hidden one. */
  isShown(): Promise<boolean>;
  /** The next dialog that was not returned before. */
  nextDialog(): Promise<SystemDialog>;
  /** The button that is pressed in dialogs that block the program, from now on. */
  answerBlockingDialogs(button: number): Promise<void>;
  /** The menu bar. */
  menu(): Promise<readonly MenuEntry[]>;
  /** Chooses from the menu bar, by labels. */
  choose(...labels: readonly string[]): Promise<void>;
  /** The menu of the program in the tray; undefined while it is not there. */
  tray(): Promise<readonly MenuEntry[] | undefined>;
  /** Chooses from that menu. */
  chooseInTray(label: string): Promise<void>;
  /** Presses the window's button that closes it. */
  closeWindow(): Promise<void>;
  /** Double-clicks a file, as macOS tells the program. */
  openFile(path: string): Promise<void>;
  /** Follows a link of the scheme "tensordeck" in a browser. */
  openLink(link: string): Promise<void>;
  /** Starts the program once more, and waits until that process has ended. */
  startAgain(...args: readonly string[]): Promise<PeerExit>;
  /** Addresses that were handed to the system's browser. */
  openedInBrowser(): Promise<readonly string[]>;
  /** Asks the program to quit, as the dock does. */
  quit(): Promise<void>;
  /** Sends a signal to the program. */
  signal(signal: NodeJS.Signals): void;
  readonly exited: Promise<PeerExit>;
  /** Everything that it has printed. */
  output(): string;
  /** Ends what is left. */
  dispose(): Promise<void>;
}

/** Starts it; resolves once its process runs. */
export type StartDesktop = (options: DesktopOptions) => Promise<Desktop>;
