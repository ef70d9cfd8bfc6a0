import { type ReactElement, type ReactNode, useLayoutEffect, useRef } from "react";
import { Group, Panel, Separator, usePanelRef } from "react-resizable-panels";
import { classNames } from "./class-names.js";
import styles from "./split.module.css";

interface SplitProps {
  /** horizontal: the panes are side by side. */
  readonly orientation: "horizontal" | "vertical";
  /** The position of the pane that has a size of its own. */
  readonly at: "start" | "end";
  /** The pane with a size of its own; undefined while it is not shown. */
  readonly pane: ReactNode | undefined;
  /** In pixels; unchanged when the window is resized. */
  readonly size: number;
  /** In pixels. */
  readonly least: number;
  readonly most: number;
  /** The minimum share of the other pane, "30%". */
  readonly leastRest: string;
  /** The size of the pane when it is closed, in pixels; omitted for one that cannot be closed to a bar. */
  readonly bar?: number;
  readonly closed?: boolean;
  /** Names the edge between the panes. */
  readonly label: string;
  /** Called with the pane's new size in pixels when the user has changed it. */
  onResize(size: number): void;
  /** Called when the user has closed the pane to its bar by dragging its edge, or by arrow keys beyond its least size. */
  onClose?(): void;
  /** The part that takes the rest of the room. */
  readonly children: ReactNode;
}

/** Two panes, of which one has a size that the user changes by dragging the edge between them or by its arrow keys. */
export function Split(props: SplitProps): ReactElement {
  const {
    orientation,
    at,
    pane,
    size,
    least,
    most,
    leastRest,
    bar,
    closed = false,
    label,
    onResize,
    onClose,
    children,
  } = props;
  const panel = usePanelRef();
  const group = useRef<HTMLDivElement>(null);
  const wasClosed = useRef(closed);
  useLayoutEffect(() => {
    if (wasClosed.current === closed) return;
    wasClosed.current = closed;
    if (closed) panel.current?.collapse();
    else panel.current?.resize(size);
  }, [closed, size, panel]);
  const sized =
    pane === undefined
      ? []
      : [
          <Panel
            key="pane"
            id="pane"
            className={styles.pane}
            panelRef={panel}
            defaultSize={closed ? bar : size}
            minSize={least}
            maxSize={most}
            collapsible={bar !== undefined}
            collapsedSize={bar}
            groupResizeBehavior="preserve-pixel-size"
          >
            {pane}
          </Panel>,
          <Separator
            key="edge"
            className={classNames(styles.edge, orientation === "vertical" ? styles.level : styles.upright)}
            aria-label={label}
            disableDoubleClick
            disabled={closed}
            hidden={closed}
          />,
        ];
  const rest = (
    <Panel key="rest" id="rest" className={styles.pane} minSize={leastRest}>
      {children}
    </Panel>
  );
  return (
    <Group
      orientation={orientation}
      elementRef={group}
      onLayoutChanged={(layout, { isUserInteraction }) => {
        if (!isUserInteraction || !panel.current || !group.current) return;
        // The elements get their new size with the next drawing.
        const { offsetWidth, offsetHeight } = group.current;
        const whole = orientation === "vertical" ? offsetHeight : offsetWidth;
        if (panel.current.isCollapsed()) onClose?.();
        else onResize(((layout.pane ?? 0) * whole) / 100);
      }}
    >
      {at === "start" ? [...sized, rest] : [rest, ...sized.reverse()]}
    </Group>
  );
}
