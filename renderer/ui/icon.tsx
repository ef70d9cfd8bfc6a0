import type { ReactElement, SVGProps } from "react";
import { classNames } from "./class-names.js";
import styles from "./icon.module.css";

/** Drawn for Tensordeck: 16 px, stroke 1.5, round ends; filled shapes only where a sign is known as filled. */
const drawings = {
  check: <path d="m3.5 8.5 3 3 6-7" />,
  "chevron-down": <path d="m5 6.5 3 3 3-3" />,
  "chevron-left": <path d="m9.5 5-3 3 3 3" />,
  "chevron-right": <path d="m6.5 5 3 3-3 3" />,
  "chevron-up": <path d="m5 9.5 3-3 3 3" />,
  chip: (
    <>
      <rect x="4" y="4" width="8" height="8" rx="1" />
      <path d="M6.5 2v2M9.5 2v2M6.5 12v2M9.5 12v2M2 6.500h2M2 9.500h2M12 6.500h2M12 9.500h2" />
    </>
  ),
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  copy: (
    <>
      <rect x="5.5" y="5.5" width="7.5" height="7.5" rx="1.5" />
      <path d="M10.5 3.500H4.500a1 1 0 0 0-1 1v6" />
    </>
  ),
  cube: <path d="m8 2.5 5 2.700v5.600L8 13.500l-5-2.700V5.200zM3 5.200l5 2.8 5-2.800M8 8v5.5" />,
  desktop: (
    <>
      <rect x="2.5" y="3" width="11" height="7.5" rx="1" />
      <path d="M6 13h4" />
    </>
  ),
  download: <path d="M8 3v7M5 7.5 8 10.500l3-3M3.5 13h9" />,
  error: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="m6 6 4 4M10 6l-4 4" />
    </>
  ),
  external: <path d="M9 3h4v4M13 3 7.5 8.500M11 9v4H3V5h4" />,
  "fast-forward": <path d="M3 4v8l5-4zM8.5 4v8l5-4z" fill="currentColor" stroke="none" />,
  file: <path d="M4 2.500h5l3 3V12.500a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1zM9 2.500v3h3" />,
  filter: <path d="M3 4h10L9.5 8.500V13l-3-1.500v-3z" />,
  fit: <path d="M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3" />,
  folder: (
    <path d="M2.5 12V4.5a1 1 0 0 1 1-1h2.700l1.3 1.500h5a1 1 0 0 1 1 1V12a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1z" />
  ),
  follow: <path d="M8 3v8M5 8.5 8 11.500l3-3M3.5 13.500h9" />,
  grip: <path d="M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01" strokeWidth="2" />,
  help: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M6.3 6.500a1.7 1.7 0 1 1 2.4 1.600c-.5.2-.7.5-.7 1M8 11.200v.1" />
    </>
  ),
  home: <path d="m2.5 8 5.5-5 5.5 5M4.5 6.500V13h7V6.5" />,
  info: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 7.500v3.500M8 5.200v.1" />
    </>
  ),
  key: (
    <>
      <circle cx="5.5" cy="10.5" r="2.5" />
      <path d="M7.5 8.500 13 3M11 5l1.500 1.500" />
    </>
  ),
  laptop: (
    <>
      <rect x="3.5" y="3.5" width="9" height="6.5" rx="1" />
      <path d="M2 12.500h12" />
    </>
  ),
  link: <path d="M3 6h9.500M10 3.5 12.5 6M13 10H3.500M6 12.5 3.5 10" />,
  list: <path d="M6 4.500h7M6 8h7M6 11.500h7M3 4.500h.01M3 8h.01M3 11.500h.01" />,
  lock: (
    <>
      <rect x="4" y="7" width="8" height="6" rx="1" />
      <path d="M5.5 7V5.500a2.5 2.5 0 0 1 5 0V7" />
    </>
  ),
  menu: <path d="M3 5h10M3 8h10M3 11h10" />,
  minimap: (
    <>
      <rect x="2.5" y="3.5" width="11" height="9" rx="1" />
      <rect x="8" y="8" width="3.5" height="2.5" />
    </>
  ),
  minus: <path d="M3.5 8h9" />,
  moon: <path d="M13 9.500A5.5 5.5 0 1 1 6.5 3a4.5 4.5 0 0 0 6.5 6.500z" />,
  more: <path d="M4 8h.01M8 8h.01M12 8h.01" strokeWidth="2" />,
  "panel-bottom": (
    <>
      <rect x="2.5" y="3.5" width="11" height="9" rx="1" />
      <path d="M2.5 9.500h11" />
    </>
  ),
  "panel-left": (
    <>
      <rect x="2.5" y="3.5" width="11" height="9" rx="1" />
      <path d="M6.5 3.500v9" />
    </>
  ),
  "panel-right": (
    <>
      <rect x="2.5" y="3.5" width="11" height="9" rx="1" />
      <path d="M9.5 3.500v9" />
    </>
  ),
  pause: <path d="M5.5 4v8M10.5 4v8" strokeWidth="2.5" />,
  pin: <path d="M6 2.500h4l-.5 4 2 2.500h-7l2-2.500zM8 9v4.5" />,
  play: <path d="M5 3.5v9l7-4.5z" fill="currentColor" stroke="none" />,
  plus: <path d="M8 3.500v9M3.5 8h9" />,
  power: <path d="M8 2.500V8M4.7 4.600a5 5 0 1 0 6.6 0" />,
  prompt: <path d="m4 5 3 3-3 3M8.5 11H12" />,
  pulse: <path d="M2 8h3l2-4.5 2.5 9L11.5 8H14" />,
  redo: <path d="m10 4 3 3-3 3M12.5 7H6a3 3 0 0 0 0 6h3" />,
  refresh: <path d="M13 8a5 5 0 1 1-1.5-3.500M13 2.500v3h-3" />,
  save: <path d="M3.5 3.500h7l2 2v7h-9zM6 3.500v3h4v-3M6 12.500v-3h4v3" />,
  search: (
    <>
      <circle cx="7" cy="7" r="3.5" />
      <path d="m10 10 3 3" />
    </>
  ),
  server: (
    <>
      <rect x="2.5" y="3" width="11" height="4" rx="1" />
      <rect x="2.5" y="9" width="11" height="4" rx="1" />
      <path d="M5 5h.01M5 11h.01" strokeWidth="2" />
    </>
  ),
  shield: <path d="M8 2 13 4v4c0 3-2 5-5 6-3-1-5-3-5-6V4z" />,
  stop: <rect x="4" y="4" width="8" height="8" rx="1.5" fill="currentColor" stroke="none" />,
  sun: (
    <>
      <circle cx="8" cy="8" r="2.5" />
      <path d="M8 2.5v1M8 12.5v1M2.5 8h1M12.5 8h1M4.1 4.1l.7.7M11.2 11.2l.7.7M11.9 4.1l-.7.7M4.8 11.2l-.7.7" />
    </>
  ),
  table: (
    <>
      <rect x="2.5" y="3.5" width="11" height="9" rx="1" />
      <path d="M2.5 6.500h11M6.5 6.500v6" />
    </>
  ),
  trash: <path d="M3 4.500h10M6.5 4.500v-2h3v2M4.5 4.500l.5 9h6l.5-9M6.8 7v4M9.2 7v4" />,
  undo: <path d="M6 4 3 7l3 3M3.5 7H10a3 3 0 0 1 0 6H7" />,
  unknown: <circle cx="8" cy="8" r="5.5" strokeDasharray="2 2" />,
  unlock: (
    <>
      <rect x="4" y="7" width="8" height="6" rx="1" />
      <path d="M5.5 7V5.500a2.5 2.5 0 0 1 4.800-1" />
    </>
  ),
  warning: (
    <>
      <path d="M8 2.5 14 13H2z" />
      <path d="M8 6.500v3M8 11.200v.1" />
    </>
  ),
} satisfies Record<string, ReactElement>;

export type IconName = keyof typeof drawings;

export interface IconProps extends SVGProps<SVGSVGElement> {
  readonly name: IconName;
  /** Side in CSS pixels; defaults to 16. */
  readonly size?: number;
}

/** One icon. It is hidden from screen readers: the control or text beside it carries the name. */
export function Icon({ name, size = 16, className, ...rest }: IconProps): ReactElement {
  return (
    <svg
      viewBox="0 0 16 16"
      width={size}
      height={size}
      className={classNames(styles.icon, className)}
      aria-hidden="true"
      focusable="false"
      {...rest}
    >
      {drawings[name]}
    </svg>
  );
}
