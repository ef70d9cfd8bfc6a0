/** The processes of a Windows machine: names, parents, processor time and memory. */
import {
  ERROR_ACCESS_DENIED,
  ERROR_INVALID_PARAMETER,
  type Handle,
  lastErrorNumber,
  windowsError,
  windowsFunction,
} from "./windows-library.js";

export interface ListedProcess {
  readonly pid: number;
  /** That which started it. It may have ended, and its number may be another process's by now. */
  readonly parent: number;
  /** "node.exe" */
  readonly name: string;
}

export interface MeasuredProcess {
  /** Moment of its start, in units of 100 ns since 1601: a child began later than its parent. */
  readonly created: bigint;
  /** Processor time since then, user and system. */
  readonly cpuMillis: number;
  /** Resident memory. */
  readonly memoryBytes: number;
}

const closeHandle = windowsFunction<[Handle], number>(
  "kernel32.dll",
  "int __stdcall CloseHandle(intptr_t handle)",
);
const openProcess = windowsFunction<[number, number, number], Handle>(
  "kernel32.dll",
  "intptr_t __stdcall OpenProcess(uint32_t access, int inherit, uint32_t pid)",
);
const getProcessTimes = windowsFunction<[Handle, Uint8Array, Uint8Array, Uint8Array, Uint8Array], number>(
  "kernel32.dll",
  "int __stdcall GetProcessTimes(intptr_t process, void *created, void *ended, void *kernel, void *user)",
);
const getMemory = windowsFunction<[Handle, Uint8Array, number], number>(
  "kernel32.dll",
  "int __stdcall K32GetProcessMemoryInfo(intptr_t process, void *counters, uint32_t bytes)",
);
const createSnapshot = windowsFunction<[number, number], Handle>(
  "kernel32.dll",
  "intptr_t __stdcall CreateToolhelp32Snapshot(uint32_t flags, uint32_t pid)",
);
const firstProcess = windowsFunction<[Handle, Uint8Array], number>(
  "kernel32.dll",
  "int __stdcall Process32FirstW(intptr_t snapshot, void *entry)",
);
const nextProcess = windowsFunction<[Handle, Uint8Array], number>(
  "kernel32.dll",
  "int __stdcall Process32NextW(intptr_t snapshot, void *entry)",
);

/** Permits times and memory, also of processes with more rights than this one. */
const PROCESS_QUERY_LIMITED_INFORMATION = 0x1000;
const FILETIME_BYTES = 8;
const UNITS_PER_MILLI = 10_000n;
/** PROCESS_MEMORY_COUNTERS. */
const MEMORY_BYTES = 72;
const WORKING_SET_OFFSET = 16;

const TH32CS_SNAPPROCESS = 2;
const INVALID_HANDLE_VALUE = -1;
const ERROR_NO_MORE_FILES = 18;
/** PROCESSENTRY32W. */
const ENTRY_BYTES = 568;
const PID_OFFSET = 8;
const PARENT_OFFSET = 32;
const NAME_OFFSET = 44;
const NAME_BYTES = 520;

/**
 * What a process has used; undefined if it has ended, or belongs to an account that this one may not look into.
 *
 * @throws Error as `windowsFunction`; TensorFlowError INTERNAL with Windows' reason for any other failure.
 */
export function measureProcess(pid: number): MeasuredProcess | undefined {
  const process = openProcess()(PROCESS_QUERY_LIMITED_INFORMATION, 0, pid);
  if (Number(process) === 0) {
    const code = lastErrorNumber();
    if (code === ERROR_INVALID_PARAMETER || code === ERROR_ACCESS_DENIED) {
      return undefined;
    }
    throw windowsError("OpenProcess", code);
  }
  try {
    const [created, ended, kernel, user] = [0, 0, 0, 0].map(() => Buffer.alloc(FILETIME_BYTES)) as [
      Buffer,
      Buffer,
      Buffer,
      Buffer,
    ];
    check("GetProcessTimes", getProcessTimes()(process, created, ended, kernel, user));
    // It can be opened as long as somebody holds a handle of it, also when it has ended.
    if (ended.readBigUInt64LE() !== 0n) {
      return undefined;
    }
    const memory = Buffer.alloc(MEMORY_BYTES);
    memory.writeUInt32LE(MEMORY_BYTES);
    check("K32GetProcessMemoryInfo", getMemory()(process, memory, MEMORY_BYTES));
    return {
      created: created.readBigUInt64LE(),
      cpuMillis: Number((kernel.readBigUInt64LE() + user.readBigUInt64LE()) / UNITS_PER_MILLI),
      memoryBytes: Number(memory.readBigUInt64LE(WORKING_SET_OFFSET)),
    };
  } finally {
    closeHandle()(process);
  }
}

/** All processes, of all accounts. @throws as `measureProcess`. */
export function listProcesses(): ListedProcess[] {
  const snapshot = createSnapshot()(TH32CS_SNAPPROCESS, 0);
  if (Number(snapshot) === INVALID_HANDLE_VALUE) {
    throw windowsError("CreateToolhelp32Snapshot", lastErrorNumber());
  }
  try {
    const entry = Buffer.alloc(ENTRY_BYTES);
    entry.writeUInt32LE(ENTRY_BYTES);
    const processes: ListedProcess[] = [];
    for (let more = firstProcess()(snapshot, entry); more !== 0; more = nextProcess()(snapshot, entry)) {
      const name = entry.toString("utf16le", NAME_OFFSET, NAME_OFFSET + NAME_BYTES);
      processes.push({
        pid: entry.readUInt32LE(PID_OFFSET),
        parent: entry.readUInt32LE(PARENT_OFFSET),
        name: name.slice(0, name.indexOf("\0")),
      });
    }
    const code = lastErrorNumber();
    if (code !== ERROR_NO_MORE_FILES) {
      throw windowsError("Process32Next", code);
    }
    return processes;
  } finally {
    closeHandle()(snapshot);
  }
}

function check(call: string, succeeded: number): void {
  if (succeeded === 0) {
    throw windowsError(call, lastErrorNumber());
  }
}
