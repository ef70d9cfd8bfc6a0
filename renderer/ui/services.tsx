import { createContext, useContext } from "react";

/** The window that contains controls, as far as they need it. */
export interface UiServices {
  /** Copies a text to the clipboard. Rejects if that is not allowed. */
  copyText(text: string): Promise<void>;
  /** Shows an error that no caller handles. */
  showError(error: unknown): void;
}

/** A control outside the window, as in a test, uses the browser directly. */
const UiServicesContext = createContext<UiServices>({
  copyText: (text) => navigator.clipboard.writeText(text),
  showError: (error) => reportError(error),
});

/** Rendered once around the whole window. */
export const UiServicesProvider = UiServicesContext.Provider;

export function useUiServices(): UiServices {
  return useContext(UiServicesContext);
}
