/** The origin of the window's page: our own scheme, because pages from file: may read other files. */
export const WINDOW_SCHEME = "app";
export const WINDOW_ORIGIN = `${WINDOW_SCHEME}://tensordeck`;
export const WINDOW_URL = `${WINDOW_ORIGIN}/index.html`;

/** True for an address of the window itself, whatever its path. */
export function isWindowUrl(url: string): boolean {
  // `new URL("app://…").origin` is "null" for schemes that the URL standard does not know.
  try {
    const { protocol, host, username, password } = new URL(url);
    return `${protocol}//${host}` === WINDOW_ORIGIN && username === "" && password === "";
  } catch {
    return false;
  }
}
