/** Hands a text to the user as a file. */
export function downloadText(text: string, name: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken the content over once the click has been handled.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
