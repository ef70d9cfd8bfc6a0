/** Words of buttons that mean the same wherever they stand. */
export const common = {
  back: "Back",
  cancel: "Cancel",
  close: "Close",
  details: "Details",
  done: "Done",
  reloadWindow: "Reload the window",
  tryAgain: "Try again",
} as const;
