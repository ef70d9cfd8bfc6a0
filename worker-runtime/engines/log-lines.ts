/** One message of TensorFlow's log, or of a worker's own. */
export interface LogLine {
  readonly level: LogLevel;
  readonly text: string;
  /** The source file that wrote it, "gpu_device.cc"; absent if the line does not say. */
  readonly source?: string;
}

export type LogLevel = "info" | "warning" | "error" | "fatal";

const levels: Readonly<Record<string, LogLevel>> = { I: "info", W: "warning", E: "error", F: "fatal" };

// 2026-11-21 07:23:00.123456: I tensorflow/core/util/port.cc:153] text
const ownFormat = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+: ([IWEF]) ([^\]\s]+?)(?::\d+)?\] ?(.*)$/;
// I0000 00:00:1795245740.611231   11874 port.cc:153] text
const abslFormat = /^([IWEF])\d{4} \d\d:\d\d:[\d.]+\s+\d+ ([^\]\s]+?)(?::\d+)?\] ?(.*)$/;
/** Says only where the log goes; not useful. */
const abslNotice = "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR";

/** One line of a worker's stderr; undefined for one that is not the beginning of a message. */
export function parseLogLine(line: string): LogLine | undefined {
  const match = ownFormat.exec(line) ?? abslFormat.exec(line);
  if (match === null) {
    return undefined;
  }
  const [, letter = "I", path = "", text = ""] = match;
  return { level: levels[letter] ?? "info", text, source: path.slice(path.lastIndexOf("/") + 1) };
}

/** One line in TensorFlow's format, for what a worker says itself, so that one reader understands both. */
export function formatLogLine(level: LogLevel, text: string, at: Date): string {
  const letter = Object.keys(levels).find((key) => levels[key] === level) ?? "I";
  const stamp = at.toISOString().replace("T", " ").replace("Z", "000");
  return `${stamp}: ${letter} tensordeck/worker] ${text}`;
}

/**
 * Puts the pieces of a stream together to messages. Lines that do not begin a message belong to the one before, as
 * "Skipping registering GPU devices..." does; they are handed on as messages of the same level.
 */
export class LogReader {
  private rest = "";
  private level: LogLevel = "info";

  constructor(private readonly onLine: (line: LogLine) => void) {}

  push(piece: string): void {
    const lines = (this.rest + piece).split("\n");
    this.rest = lines.pop() ?? "";
    for (const line of lines) {
      this.take(line);
    }
  }

  /** The stream has ended: what has no line break is a line, too. */
  end(): void {
    if (this.rest !== "") {
      this.take(this.rest);
      this.rest = "";
    }
  }

  private take(raw: string): void {
    const line = raw.trimEnd();
    if (line === "" || line === abslNotice) {
      return;
    }
    const parsed = parseLogLine(line) ?? { level: this.level, text: line };
    this.level = parsed.level;
    this.onLine(parsed);
  }
}
