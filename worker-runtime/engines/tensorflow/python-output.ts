/** How programs of Python write, on every system. */

/** Variables by which Python writes UTF-8 to a pipe; on Windows it would be the code page of the country. */
export const PYTHON_OUTPUT = { PYTHONIOENCODING: "utf-8" } as const;

/** Matches Python's messages of a full disk: that of C's library, and Windows' own, whose text is in the user's language. */
export const DISK_FULL = /No space left on device|\[Errno 28\]|\[WinError (?:39|112)\]/;
