/**
 * Messages between the program, whose module "electron" is electron.ts, and the test, which has the browser and is the system
 * (stand-in-desktop.ts). Node's channel between processes clones their values as Electron's IPC does.
 */
import type { BrowserWindowConstructorOptions } from "electron";
import type { MenuEntry } from "../desktop.js";

/** A request of the program's main process for the browser or the system. */
export type FromProgram =
  | { readonly kind: "window"; readonly id: number; readonly options: BrowserWindowConstructorOptions }
  | { readonly kind: "load"; readonly id: number; readonly url: string }
  | { readonly kind: "reload" | "crash" | "close" | "destroy"; readonly id: number }
  | { readonly kind: "shown"; readonly id: number; readonly shown: boolean }
  | { readonly kind: "to-page"; readonly id: number; readonly channel: string; readonly args: unknown[] }
  | { readonly kind: "answer"; readonly call: number; readonly value: unknown }
  | { readonly kind: "failure"; readonly call: number; readonly message: string }
  | { readonly kind: "dialog"; readonly call: number; readonly method: string; readonly options: object }
  | { readonly kind: "menu"; readonly menu: readonly MenuEntry[] }
  | { readonly kind: "tray"; readonly menu: readonly MenuEntry[] | undefined }
  | { readonly kind: "external"; readonly url: string }
  | { readonly kind: "second"; readonly argv: readonly string[]; readonly cwd: string }
  | { readonly kind: "end" };

/** A response of the program to a request for a page's file. */
export interface FileAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** A call of the program that it answers with "answer" or "failure". */
export type ProgramCall =
  | { readonly kind: "file"; readonly url: string; readonly method: string }
  | { readonly kind: "navigate"; readonly id: number; readonly url: string }
  | { readonly kind: "unload-refused"; readonly id: number }
  | {
      readonly kind: "invoke";
      readonly id: number;
      readonly frame: PageFrame;
      readonly channel: string;
      readonly args: unknown[];
    };

/** A frame of a page, as the program knows it. */
export interface PageFrame {
  readonly url: string;
  readonly isMain: boolean;
}

/** An event for the program's main process. */
export type ToProgram =
  | { readonly kind: "call"; readonly call: number; readonly asked: ProgramCall }
  | {
      readonly kind: "from-page";
      readonly id: number;
      readonly frame: PageFrame;
      readonly channel: string;
      readonly args: unknown[];
    }
  | { readonly kind: "loaded"; readonly id: number }
  | { readonly kind: "navigated"; readonly id: number; readonly isSameDocument: boolean }
  | { readonly kind: "popup"; readonly id: number; readonly url: string }
  | { readonly kind: "gone"; readonly id: number }
  | { readonly kind: "closed"; readonly id: number }
  | { readonly kind: "stayed"; readonly id: number }
  | { readonly kind: "press-close"; readonly id: number }
  | { readonly kind: "dialog-answer"; readonly call: number; readonly answer: unknown }
  | { readonly kind: "blocking-answer"; readonly button: number }
  | { readonly kind: "choose"; readonly labels: readonly string[] }
  | { readonly kind: "choose-in-tray"; readonly label: string }
  | { readonly kind: "open-file"; readonly path: string }
  | { readonly kind: "open-url"; readonly url: string }
  | { readonly kind: "second-instance"; readonly argv: readonly string[]; readonly cwd: string }
  | { readonly kind: "activate" | "quit" };

/** Chromium knows no scheme "app": the browser has the window's pages at this origin, which the test answers. */
export const BROWSER_ORIGIN = "https://tensordeck.test";
export const PROGRAM_ORIGIN = "app://tensordeck";

/** The program's address of a page. */
export function programUrl(url: string): string {
  return url.startsWith(`${BROWSER_ORIGIN}/`) ? PROGRAM_ORIGIN + url.slice(BROWSER_ORIGIN.length) : url;
}

/** The browser's address of a page. */
export function browserUrl(url: string): string {
  return url.startsWith(`${PROGRAM_ORIGIN}/`) ? BROWSER_ORIGIN + url.slice(PROGRAM_ORIGIN.length) : url;
}
