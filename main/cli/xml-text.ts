/** Text within XML, in ASCII alone: it reads the same in any encoding that a shell passes it on in. */
export function xmlText(text: string): string {
  return text.replace(/[&<>"]|[^\t\n\x20-\x7e]/gu, (char) => `&#${char.codePointAt(0)};`);
}
