/** Words of buttons that mean the same wherever they stand. */
export const common = {
  back: "Back",
  cancel: "Cancel",
  close: "Close",
  details: "Details",
  done: "Done",
  tryAgain: "Try again",
} as const;
