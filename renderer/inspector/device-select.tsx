import type { CSSProperties, ReactElement } from "react";
import { taskColourVar, taskDevice, taskName, useCluster } from "../stores/cluster-store.js";
import { Icon } from "../ui/icon.js";

interface DeviceSelectProps {
  /** "" for auto; undefined where several nodes differ. */
  readonly device: string | undefined;
  readonly labelledBy: string;
  onChoose(device: string): void;
}

/** "/job:worker/task:0/device:GPU:0" from a device as ListDevices names it. */
function pinDevice(task: { job: string; index: number }, type: string, name: string): string {
  return `${taskDevice(task)}/device:${type}:${name.slice(name.lastIndexOf(":") + 1)}`;
}

export function DeviceSelect({ device, labelledBy, onChoose }: DeviceSelectProps): ReactElement {
  const tasks = useCluster((state) => state.tasks);
  const task = useCluster((state) => (device ? state.taskForDevice(device) : undefined));
  const options = tasks.flatMap((one) => {
    const whole = { device: taskDevice(one), label: taskDevice(one) };
    const single = one.devices
      .filter(({ type }) => type === "GPU" || one.devices.length > 1)
      .map(({ type, name }) => pinDevice(one, type, name))
      .map((value) => ({ device: value, label: value }));
    return [whole, ...single];
  });
  const known = device === undefined || device === "" || options.some((option) => option.device === device);
  return (
    <span className="inp select" style={{ "--c": taskColourVar(task) } as CSSProperties}>
      <i className={device && task ? "sw" : "sw dashed"} />
      <select
        aria-labelledby={labelledBy}
        value={device ?? "mixed"}
        title={task ? taskName(task) : undefined}
        onChange={(event) => onChoose(event.target.value)}
      >
        {device === undefined ? (
          <option value="mixed" disabled>
            different
          </option>
        ) : null}
        <option value="">auto</option>
        {known ? null : <option value={device}>{device} (not in the cluster)</option>}
        {options.map((option) => (
          <option key={option.device} value={option.device}>
            {option.label}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" />
    </span>
  );
}
