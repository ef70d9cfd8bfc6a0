/**
 * The content security policy of the window's page. All of it comes from the program itself: the page opens no
 * connection, since what it needs comes over IPC.
 */
export function contentSecurityPolicy(): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // The component libraries put their rules into style elements at run time.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "worker-src 'self'",
    // Only the page's own files, such as its modules and source maps.
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
