import type { ReactElement } from "react";
import { formatDeviceName, parseDeviceName } from "../../worker-runtime/cluster/device-name.js";
import { taskDevice, taskName, taskNameOfDevice } from "../cluster/task-name.js";
import { SelectFrame } from "../parts/input-frame.js";
import { machineNameOfTask, runMachinesOf, useCluster } from "../stores/cluster-store.js";
import { texts } from "../texts/texts.js";
import { Swatch } from "../ui/swatch.js";

const words = texts.inspector.deviceSelect;

interface DeviceSelectProps {
  /** "" for auto; undefined where several nodes differ. */
  readonly device: string | undefined;
  readonly labelledBy: string;
  onChoose(device: string): void;
}

/** "/job:worker/task:0/device:GPU:0" from a device as ListDevices names it. */
function pinDevice(name: string): string {
  return formatDeviceName({ ...parseDeviceName(name), replica: undefined });
}

/** A device that no task of the cluster has by that very name. */
function unlistedText(device: string): string {
  return taskNameOfDevice(device) === undefined
    ? words.partialDevice({ device })
    : words.missingDevice({ device });
}

export function DeviceSelect({ device, labelledBy, onChoose }: DeviceSelectProps): ReactElement {
  const task = useCluster((state) => (device ? state.taskForDevice(device) : undefined));
  const machineName = useCluster((state) => task && machineNameOfTask(state, task.id));
  const machines = useCluster(runMachinesOf);
  const several = machines.filter((machine) => machine.tasks.length > 0).length > 1;
  const options = machines.flatMap((machine) =>
    machine.tasks.flatMap((one) => {
      const single = one.devices
        .filter(({ type }) => type === "GPU" || one.devices.length > 1)
        .map(({ name }) => pinDevice(name));
      return [taskDevice(one), ...single].map((value) => ({
        device: value,
        label: several ? words.taskOnMachine({ task: value, machine: machine.name }) : value,
      }));
    }),
  );
  const known = device === undefined || device === "" || options.some((option) => option.device === device);
  return (
    <SelectFrame>
      <Swatch task={task} />
      <select
        aria-labelledby={labelledBy}
        value={device ?? "mixed"}
        title={task ? [taskName(task), machineName].filter(Boolean).join(" on ") : undefined}
        onChange={(event) => onChoose(event.target.value)}
      >
        {device === undefined ? (
          <option value="mixed" disabled>
            {words.different}
          </option>
        ) : null}
        <option value="">{words.auto}</option>
        {known ? null : <option value={device}>{unlistedText(device ?? "")}</option>}
        {options.map((option) => (
          <option key={option.device} value={option.device}>
            {option.label}
          </option>
        ))}
      </select>
    </SelectFrame>
  );
}
