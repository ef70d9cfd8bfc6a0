export const ui = {
  chart: {
    name: "{label}, as a chart",
    plot: "{label}. Arrow keys read the values.",
  },
  copyButton: {
    copy: "Copy",
    copied: "Copied",
  },
  dialog: {
    close: "Close",
  },
  menu: {
    copied: "Copied",
  },
  proofList: {
    outcomes: {
      unknown: "not known",
      busy: "in progress",
      ok: "ok",
      failed: "failed",
    },
  },
  shortcut: {
    command: "Cmd",
    control: "Ctrl",
    keys: {
      Escape: "Esc",
      Delete: "Del",
      PageUp: "Page Up",
      PageDown: "Page Down",
      Shift: "Shift",
      Alt: "Alt",
      Ctrl: "Ctrl",
      Tab: "Tab",
      Enter: "Enter",
      Space: "Space",
    },
  },
  tabs: {
    unsaved: "has unsaved changes",
    close: "Close (Del)",
  },
  format: {
    units: {
      B: "{value} B",
      kB: "{value} kB",
      MB: "{value} MB",
      GB: "{value} GB",
      TB: "{value} TB",
    },
    bytesNotKnown: "bytes not known",
    atLeast: "at least {bytes}",
    step: "step {step, number}",
    stepWithSetUp: "step {step, number}, with set-up",
    underOneMicrosecond: "<1 µs",
    microseconds: "{value} µs",
    milliseconds: "{value} ms",
    seconds: "{value} s",
    minutesAndSeconds: "{minutes, number} min {seconds, number} s",
    hoursAndMinutes: "{hours, number} h {minutes, number} min",
    date: "{date} {time}",
    justNow: "just now",
    minutesAgo: "{minutes, number} min ago",
    hoursAgo: "{hours, number} h ago",
    daysAgo: "{days, plural, one {# day ago} other {# days ago}}",
    minutes: "{minutes, number} min",
  },
} as const;
